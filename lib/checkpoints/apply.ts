import { dirname, join } from "node:path";
import { faultPoint } from "../base/fault.js";
import { errorCode } from "../base/fs/files.js";
import { inspectPath } from "../base/fs/tree-read.js";
import { changesBelow, NotInside, type ProjectChanges } from "../base/fs/tree-write.js";
import type { SkippedPath } from "../contracts/owner/checkpoints.js";
import type { ManifestEntry } from "./manifest.js";
import type { RestoreStep } from "./plan.js";

export interface Applied {
  readonly restored: readonly string[];
  readonly removed: readonly string[];
  readonly failed: readonly SkippedPath[];
}

export interface Applying {
  /** @throws when the content is missing or damaged */
  read(hash: string): Promise<Buffer>;
  /** Called between pieces of the work. */
  pause(): Promise<void>;
}

interface Work {
  readonly root: string;
  readonly changes: ProjectChanges;
  readonly read: (hash: string) => Promise<Buffer>;
  readonly restored: Set<string>;
  readonly removed: Set<string>;
  readonly failed: Map<string, string>;
  /** Directories that had to be opened for writing, with the mode that they get back. */
  readonly opened: Map<string, number>;
}

/**
 * Bring paths below `root` to where they were: each is as before or done. First goes what stands in the way, then come directories, files
 * and links, at last the modes of directories.
 */
export async function applySteps(
  root: string,
  steps: readonly RestoreStep[],
  { read, pause }: Applying,
): Promise<Applied> {
  const work: Work = {
    root,
    changes: changesBelow(root),
    read,
    restored: new Set(),
    removed: new Set(),
    failed: new Map(),
    opened: new Map(),
  };
  const each = async (all: readonly RestoreStep[], act: (step: RestoreStep) => void | Promise<void>) => {
    for (const step of all) {
      await act(step);
      await pause();
    }
  };
  const backwards = steps.toReversed();
  await each(backwards, (step) => clearWay(work, step));
  await each(steps, (step) => makeDirectory(work, step));
  await each(steps, (step) => place(work, step));
  await each(backwards, (step) => setDirectoryMode(work, step));
  for (const [path, mode] of work.opened) attempt(work, path, () => work.changes.setMode(path, mode));
  return {
    restored: [...work.restored].filter((path) => !work.failed.has(path)),
    removed: [...work.removed],
    failed: [...work.failed].map(([path, why]) => ({ path, why })),
  };
}

/** Entries come after what is below them: the order of the steps, backwards. */
function clearWay(work: Work, step: RestoreStep): void {
  const { path, now, was } = step;
  if (now === undefined || (was !== undefined && !isInTheWay(now, was))) return;
  const gone = attempt(work, path, () => {
    checkStill(work, step);
    if (now.kind !== "directory") {
      opening(work, path, () => work.changes.remove(path));
      return true;
    }
    return opening(work, path, () => work.changes.removeDirectory(path));
  });
  if (gone === false && was !== undefined)
    work.failed.set(path, "the directory in its place contains files that checkpoints do not store");
  if (gone === true && was === undefined) work.removed.add(path);
  if (gone === true) faultPoint("rollback.file-done");
}

/** Between the look and the change the file may be written by others; their text is in no checkpoint. */
function checkStill({ root }: Work, { path, now }: RestoreStep): void {
  const seen = inspectPath(join(root, path));
  if (seen === "unreadable") return;
  const same =
    now?.kind === "file"
      ? seen?.kind === "file" && seen.size === now.size && seen.mtime === now.mtime
      : seen?.kind === now?.kind;
  if (!same) throw new Error("it changed during the rollback");
}

/** A file or link gives way to another by itself; a directory does not, nor does anything to a directory. */
const isInTheWay = (now: ManifestEntry, was: ManifestEntry): boolean =>
  now.kind !== was.kind && (now.kind === "directory" || was.kind === "directory");

function makeDirectory(work: Work, { path, now, was }: RestoreStep): void {
  if (was?.kind !== "directory" || now?.kind === "directory" || work.failed.has(path)) return;
  attempt(work, path, () => {
    opening(work, path, () => work.changes.makeDirectory(path, was.mode));
    work.restored.add(path);
  });
}

async function place(work: Work, { path, now, was }: RestoreStep): Promise<void> {
  if (was === undefined || was.kind === "directory" || work.failed.has(path)) return;
  try {
    if (!work.removed.has(path) && !isInTheWay(now ?? was, was)) checkStill(work, { path, now, was });
    if (was.kind === "link") opening(work, path, () => work.changes.placeLink(path, was.target));
    else if (was.kind === "file") await placeFile(work, path, now, was);
    work.restored.add(path);
    faultPoint("rollback.file-done");
  } catch (error) {
    work.failed.set(path, reasonOf(error));
  }
}

async function placeFile(
  work: Work,
  path: string,
  now: ManifestEntry | undefined,
  was: Extract<ManifestEntry, { kind: "file" }>,
): Promise<void> {
  if (now?.kind === "file" && now.hash === was.hash) {
    work.changes.setMode(path, was.mode);
    return;
  }
  const bytes = await work.read(was.hash);
  opening(work, path, () => work.changes.placeFile(path, bytes, was.mode));
}

function setDirectoryMode(work: Work, { path, was }: RestoreStep): void {
  if (was?.kind !== "directory" || work.failed.has(path)) return;
  work.opened.delete(path);
  attempt(work, path, () => {
    work.changes.setMode(path, was.mode);
    work.restored.add(path);
  });
}

/** Do it, and once more with the directory above opened for writing when its mode forbids it. */
function opening<T>(work: Work, path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    const above = dirname(path);
    const seen = above === "." || errorCode(error) !== "EACCES" ? undefined : inspectPath(join(work.root, above));
    if (seen === undefined || seen === "unreadable" || seen.kind !== "directory" || work.opened.has(above)) throw error;
    work.changes.setMode(above, seen.mode | 0o700);
    work.opened.set(above, seen.mode);
    return act();
  }
}

function attempt<T>(work: Work, path: string, act: () => T): T | undefined {
  try {
    return act();
  } catch (error) {
    work.failed.set(path, reasonOf(error));
    return undefined;
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "not permitted",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is exceeded",
};

function reasonOf(error: unknown): string {
  if (error instanceof NotInside) return error.message;
  const code = errorCode(error);
  return (code && REASONS[code]) ?? (error instanceof Error ? error.message : String(error));
}
