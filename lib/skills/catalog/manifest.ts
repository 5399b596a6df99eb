import { join } from "node:path";
import * as z from "zod";
import { makeDirectory, readRegularFileSync, writeAtomic } from "../../base/fs/files.js";
import { exists } from "../../base/fs/home-files.js";
import type { Home } from "../../base/home.js";
import { jsonOf } from "../../base/json/record.js";
import type { ReadFile, ReadFiles } from "./facts.js";
import type { SkillFacts } from "./front-matter.js";

/** Of the facts as they are stored: another number, and everything is read again. */
const FORM = 1;
const FILE_MAX = 32 << 20;
const ENTRIES_MAX = 20_000;

const list = z.array(z.string());
const offered = z.object({ toolsets: list, tools: list });
const facts: z.ZodType<SkillFacts> = z.object({
  name: z.string(),
  description: z.string(),
  version: z.string(),
  license: z.string(),
  platforms: list,
  environments: list,
  userOnly: z.boolean(),
  tags: list,
  related: list,
  variables: z.array(z.object({ name: z.string(), prompt: z.string(), help: z.string(), optional: z.boolean() })),
  commands: list,
  requires: offered,
  fallbackFor: offered,
  settings: z.array(z.object({ key: z.string(), description: z.string(), default: z.string() })),
});
const entry = z.object({
  stamp: z.string(),
  facts: facts.exactOptional(),
  text: z.string().exactOptional(),
  problems: list,
});
const stored = z.object({ form: z.literal(FORM), files: z.record(z.string(), entry) });

const pathOf = (home: Pick<Home, "dir">) => join(home.dir, "cache", "skills.json");

/** What an earlier process has read of skills. A damaged file is none. */
export function loadManifest(home: Pick<Home, "dir">): ReadFiles {
  const text = readRegularFileSync(pathOf(home), FILE_MAX)?.toString("utf8");
  const read = stored.safeParse(text === undefined ? undefined : jsonOf(text));
  return new Map(read.success ? Object.entries<ReadFile>(read.data.files) : []);
}

/** Keep it for the next process. */
export async function saveManifest(home: Pick<Home, "dir">, read: ReadFiles): Promise<void> {
  const files = Object.fromEntries([...read].slice(-ENTRIES_MAX));
  if (!exists(home.dir)) return; // who only looks makes no home
  try {
    await makeDirectory(join(home.dir, "cache"), 0o700);
    await writeAtomic(pathOf(home), JSON.stringify({ form: FORM, files }), 0o600, false);
  } catch {
    /* ok to lose: the next process reads the skills themselves */
  }
}
