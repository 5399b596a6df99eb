import { join } from "node:path";
import { AppError } from "../../base/errors.js";
import { inspectPath } from "../../base/fs/tree-read.js";
import { lockFile } from "../../base/process/file-lock.js";
import type { SkillFile } from "../../contracts/skills/guard.js";
import type { InstalledSkill, SkillPreview } from "../../contracts/skills/hub.js";
import { digestBytes, filesOfDirectory } from "./collect.js";
import type { HubDeps } from "./hub-deps.js";
import { audit, type HubLock, type LockEntry } from "./lock.js";
import type { PreparedSkill } from "./prepare.js";

const WAIT_MS = 10_000;

/** Files of the hub are never started by themselves: one is run by an interpreter that is named. */
export const withoutBits = (files: readonly SkillFile[]): readonly SkillFile[] =>
  files.map(({ path, bytes }) => ({ path, bytes }));

export const lockEntryOf = (preview: SkillPreview, files: readonly SkillFile[]) => ({
  name: preview.name,
  version: preview.version,
  source: preview.source,
  identifier: preview.identifier,
  ref: preview.ref,
  commit: preview.commit,
  trust: preview.trust,
  verdict: preview.verdict,
  hash: preview.hash,
  files: Object.fromEntries(files.map(({ path, bytes }) => [path, digestBytes(bytes)])),
  follows: [],
  uses: preview.uses,
});

/** The entry of a skill that got the files of its source again. */
export const renewedEntry = (entry: LockEntry, { preview, files }: PreparedSkill, now: number): LockEntry => ({
  ...lockEntryOf(preview, files),
  path: entry.path,
  installed_at: entry.installed_at,
  updated_at: now,
});

export function refusedSkill({ name, verdict, findings, decision }: SkillPreview): AppError {
  const [first] = findings;
  const where = first === undefined ? "" : `: ${first.file}:${first.line} ${first.text}`;
  return new AppError("E_FORBIDDEN", `${name} was not installed; ${decision.why}${where}`, {
    hint: "agent skills inspect IDENTIFIER shows every finding",
    verdict,
    findings: findings.length,
  });
}

export function auditSkill(
  event: string,
  preview: SkillPreview,
  { home, clock }: HubDeps,
  more: Record<string, unknown> = {},
): void {
  const { name, identifier, source, ref, commit, trust, verdict, hash } = preview;
  audit(home, {
    at: new Date(clock.now()).toISOString(),
    event,
    name,
    identifier,
    source,
    ref,
    commit,
    trust,
    verdict,
    hash,
    findings: preview.findings.length,
    ...more,
  });
}

export async function whileHubLocked<T>(deps: HubDeps, work: () => Promise<T>): Promise<T> {
  const lock = await lockFile(join(deps.home.dir, "skills", ".hub", "hub.lock"), deps, { ms: WAIT_MS });
  try {
    return await work();
  } finally {
    lock.release();
  }
}

export function chosenEntries(lock: HubLock, name: string | undefined): readonly LockEntry[] {
  if (name === undefined) return Object.values(lock);
  const entry = lock[name];
  if (entry !== undefined) return [entry];
  throw notInstalled(name, lock);
}

export const notInstalled = (name: string, lock: HubLock): AppError =>
  new AppError("E_NOT_FOUND", `no skill '${name}' was installed from a source`, {
    hint: `installed: ${Object.keys(lock).join(", ") || "none"}`,
  });

/** The entry with what its files are like now. */
export function toInstalled(entry: LockEntry, home: HubDeps["home"]): InstalledSkill {
  const { follows: _follows, files, ...rest } = entry;
  const dir = join(home.dir, "skills", entry.path);
  const facts = inspectPath(dir);
  if (facts === undefined) return { ...rest, state: "missing", changes: [] };
  const changes = changesOf(dir, files);
  return { ...rest, state: changes.length === 0 ? "unchanged" : "changed", changes };
}

/** Files that are not those that were installed. What cannot be read counts as changed. */
function changesOf(dir: string, installed: Readonly<Record<string, string>>): readonly string[] {
  try {
    const now = new Map(filesOfDirectory(dir).map(({ path, bytes }) => [path, digestBytes(bytes)]));
    const changed = Object.entries(installed).flatMap(([path, hash]) => (now.get(path) === hash ? [] : [path]));
    const added = [...now.keys()].filter((path) => installed[path] === undefined);
    return [...changed, ...added].toSorted();
  } catch (error) {
    return [error instanceof AppError ? error.message : String(error)];
  }
}

export const releaseOf = ({ version, commit, hash }: Pick<LockEntry, "version" | "commit" | "hash">): string =>
  [version, (commit || hash).slice(0, 12)].filter((part) => part !== "").join(" ");

export const baseDir = (name: string, home: HubDeps["home"]): string => join(home.dir, "skills", ".hub", "base", name);
