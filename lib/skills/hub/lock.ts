import { join } from "node:path";
import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { makeDir } from "../../base/fs/directory.js";
import { appendText, readRegularFileSync } from "../../base/fs/files.js";
import { readTailText } from "../../base/fs/text-file.js";

const strings = z.array(z.string()).readonly().catch([]);
const uses = z.object({
  tools: strings,
  hosts: strings,
  programs: strings,
  paths: strings,
  scripts: strings,
  variables: strings,
});
const entry = z.object({
  name: z.string(),
  /** Below `skills/`. */
  path: z.string(),
  version: z.string().catch(""),
  source: z.enum(["official", "github", "git", "well-known", "url", "marketplace", "directory"]),
  identifier: z.string(),
  ref: z.string().catch(""),
  commit: z.string().catch(""),
  trust: z.enum(["builtin", "trusted", "community"]),
  verdict: z.enum(["safe", "caution", "dangerous"]),
  hash: z.string(),
  /** SHA-256 of each file as the source gave it. */
  files: z.record(z.string(), z.string()),
  /** Files whose changes are given up at the next update. */
  follows: strings,
  uses: uses.catch({ tools: [], hosts: [], programs: [], paths: [], scripts: [], variables: [] }),
  installed_at: z.number(),
  updated_at: z.number().nullable().catch(null),
});
const lockFile = z.object({ version: z.literal(1), skills: z.record(z.string(), entry) });

/** What is known of an installed skill, in `skills/.hub/lock.json`. */
export type LockEntry = z.infer<typeof entry>;
export type HubLock = Readonly<Record<string, LockEntry>>;

const LOCK_MAX = 16 << 20;
const AUDIT_BYTES = 1 << 20;

/** Below `skills/`: written together with the skills that it speaks of. */
export const LOCK_PATH = ".hub/lock.json";

/** @throws E_STATE the file is damaged: guessing what is installed would lose it */
export function readLock(home: { readonly dir: string }): HubLock {
  const path = join(home.dir, "skills", LOCK_PATH);
  const bytes = readRegularFileSync(path, LOCK_MAX);
  if (bytes === undefined) return {};
  try {
    return lockFile.parse(JSON.parse(bytes.toString("utf8"))).skills;
  } catch (error) {
    throw new AppError(
      "E_STATE",
      `${path} is damaged`,
      { hint: "restore it from a backup, or remove it: installed skills then count as your own" },
      error,
    );
  }
}

/** Names of the skills that a source gave; none where the record is damaged, which a user of the hub learns. */
export function installedNames(home: { readonly dir: string }): readonly string[] {
  try {
    return Object.keys(readLock(home));
  } catch {
    return []; /* ok to lose: the records of use tell it as well */
  }
}

export const writeLock = (skills: HubLock): Buffer =>
  Buffer.from(`${JSON.stringify({ version: 1, skills: sortKeys(skills) }, null, 1)}\n`);

const sortKeys = (skills: HubLock): HubLock =>
  Object.fromEntries(Object.entries(skills).toSorted(([a], [b]) => (a < b ? -1 : 1)));

const auditPath = (home: { readonly dir: string }) => join(home.dir, "skills", ".hub", "audit.jsonl");

/** Add a line to the audit log, which is only ever added to. */
export function audit(home: { readonly dir: string }, line: Readonly<Record<string, unknown>>): void {
  makeDir(join(home.dir, "skills", ".hub"));
  appendText(auditPath(home), `${JSON.stringify(line)}\n`, 0o600);
}

/** The newest lines of the audit log, oldest first. */
export function readAudit(home: { readonly dir: string }, limit: number): readonly Readonly<Record<string, unknown>>[] {
  return readTailText(auditPath(home), AUDIT_BYTES)
    .split("\n")
    .filter((line) => line !== "")
    .slice(-limit)
    .flatMap((line) => {
      try {
        return [z.record(z.string(), z.unknown()).parse(JSON.parse(line))];
      } catch {
        return []; /* ok to lose: the last line of a killed process may be cut */
      }
    });
}
