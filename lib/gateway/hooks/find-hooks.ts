import { extname, join } from "node:path";
import * as z from "zod";
import { listNames } from "../../base/fs/directory.js";
import { openedFile } from "../../base/fs/file-digest.js";
import { readText, realPath, statPath } from "../../base/fs/files.js";
import { sha256 } from "../../base/text/hash.js";
import { readSettingsFile } from "../../config/read-settings.js";
import { type FoundHook, HOOK_EVENTS } from "../../contracts/gateway/hooks.js";
import { isBelow } from "../../safety/paths/paths.js";

export interface FoundHooks {
  readonly hooks: readonly FoundHook[];
  /** Why directories are not hooks, a sentence each. */
  readonly problems: readonly string[];
}

const known = z
  .string()
  .refine(
    (event) => (HOOK_EVENTS as readonly string[]).includes(event) || /^command:(?:\*|[a-z0-9_-]+)$/.test(event),
    "is no event of hooks",
  );
const shape = z.object({
  name: z.string().min(1).optional(),
  events: z.array(known).min(1),
  handler: z.string().min(1),
});

const EXECUTABLE = 0o111;

/** The hooks below a directory, by name. Nothing of them is run. */
export async function findHooks(folder: string): Promise<FoundHooks> {
  const hooks: FoundHook[] = [];
  const problems: string[] = [];
  for (const id of listNames(folder)) {
    const one = await readHook(folder, id);
    if (typeof one === "string") problems.push(`hook ${id}: ${one}`);
    else if (one !== undefined) hooks.push(one);
  }
  return { hooks, problems };
}

async function readHook(folder: string, id: string): Promise<FoundHook | string | undefined> {
  const dir = join(folder, id);
  const path = join(dir, "HOOK.yaml");
  const text = await readText(path);
  if (text === undefined) return (await statPath(dir))?.kind === "directory" ? "it has no HOOK.yaml" : undefined;
  const read = await readSettingsFile(path);
  if (!read.ok) return read.message;
  const given = shape.safeParse(read.settings);
  if (!given.success) {
    const [issue] = given.error.issues;
    return `${path}: ${issue?.path.join(".") ?? ""} ${issue?.message ?? "cannot be read"}`;
  }
  const { events, handler: named } = given.data;
  const handler = await realPath(join(dir, named));
  const root = await realPath(dir);
  if (handler === undefined) return `its handler ${named} does not exist`;
  if (root === undefined || !isBelow(handler, root)) return `its handler ${named} is outside ${dir}`;
  const facts = await statPath(handler);
  const script = [".js", ".mjs"].includes(extname(handler).toLowerCase());
  if (facts?.kind !== "file") return `its handler ${named} is not a file`;
  if (!script && (facts.mode & EXECUTABLE) === 0) return `its handler ${named} is not executable`;
  const program = openedFile(handler);
  if (program === undefined) return `its handler ${named} cannot be read`;
  const digest = sha256(`${text}\0${named}\0${program.bytes.toString("utf8")}`);
  return { id, dir, events, handler, script, digest, handlerDigest: program.digest };
}
