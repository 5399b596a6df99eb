import { join } from "node:path";
import { AppError } from "../base/errors.js";
import { readAtMostSync } from "../base/fs/files.js";
import { inspectPath, linkTarget, type PathFacts, readDirentsSync } from "../base/fs/tree-read.js";
import type { Clock } from "../base/time/clock.js";
import type { Ms } from "../base/units.js";
import { type IgnoreRules, isIgnored, parseIgnore } from "../tools/file/ignore.js";
import { outerRules } from "../tools/file/walk.js";
import { ENVIRONMENT_MARK, isLeftOut, isVersionControl } from "./excluded.js";
import type { FileEntry, Manifest, ManifestEntry } from "./manifest.js";

/** How long a scan works before it lets others work. */
const SLICE_MS: Ms = 8;
/** The most that one entry counts towards the bound of time: a machine that stands still, or a disk that stalls once, is not a large directory. */
const STEP_MS: Ms = 50;
/** Changes within this time of each other may have the same time stamp. */
const STAMP_MS = 50;
const IGNORE_BYTES = 1 << 20;

export interface ScanOptions {
  /** Real path. */
  readonly root: string;
  readonly userHome: string;
  /** Directories that are never looked into: the homes of the program. */
  readonly never: readonly string[];
  /** Relative paths that are kept whatever rules leave out. */
  readonly named: Iterable<string>;
  /** What was there before: files that look the same are not read again. */
  readonly known: Manifest | undefined;
  readonly maxFileBytes: number;
  readonly maxEntries: number;
  /** Why only what is named is looked at; nothing is looked through then. */
  readonly tooLarge?: "entries" | "time";
  /** Time that the scan itself works, without its pauses and with `STEP_MS` for an entry at most. */
  readonly maxMs: Ms;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
}

/** What was seen. `unread` holds the files whose content has to be looked at. */
export interface Scan {
  readonly entries: Map<string, ManifestEntry>;
  readonly unread: Map<string, PathFacts>;
  /** Bytes of the unread files. */
  readonly bytes: number;
  /** Wall time of its beginning. */
  readonly began: number;
  /** Set: the directory is too large, and only what is named is in `entries`. */
  readonly partial?: "entries" | "time";
}

interface Scanning {
  readonly options: ScanOptions;
  readonly entries: Map<string, ManifestEntry>;
  readonly unread: Map<string, PathFacts>;
  /** Wall time of the beginning: what has a time stamp near it or later may change again unseen. */
  readonly began: number;
  bytes: number;
}

/** Look through a directory without following links. @throws the signal's reason */
export async function scan(options: ScanOptions): Promise<Scan> {
  const work: Scanning = { options, entries: new Map(), unread: new Map(), began: options.clock.now(), bytes: 0 };
  const partial = options.tooLarge ?? (await scanTree(work));
  if (partial !== undefined) {
    work.entries.clear();
    work.unread.clear();
    work.bytes = 0;
  }
  for (const path of options.named) if (!work.entries.has(path) && !work.unread.has(path)) lookAtNamed(work, path);
  return {
    entries: work.entries,
    unread: work.unread,
    bytes: work.bytes,
    began: work.began,
    ...(partial === undefined ? {} : { partial }),
  };
}

interface Folder {
  readonly path: string;
  /** With `/` at its end, "" for the root. */
  readonly relative: string;
  readonly rules: readonly IgnoreRules[];
}

async function scanTree(work: Scanning): Promise<"entries" | "time" | undefined> {
  const { clock, root, userHome, maxEntries, maxMs, signal } = work.options;
  let worked: Ms = 0;
  let last = clock.mono();
  let slice = last + SLICE_MS;
  let count = 0;
  /** Counts one step, and lets others work. @returns whether the time is up */
  const step = async (): Promise<boolean> => {
    const now = clock.mono();
    worked += Math.min(now - last, STEP_MS);
    last = now;
    if (now < slice) return false;
    if (signal?.aborted) throw signal.reason;
    if (worked > maxMs) return true;
    await clock.sleep(0);
    last = clock.mono();
    slice = last + SLICE_MS;
    return false;
  };
  const open: Folder[] = [{ path: root, relative: "", rules: outerRules(root, userHome) }];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    const found = readDirentsSync(folder.path);
    if (await step()) return "time"; // a directory that is empty or unreadable took its time as well
    if (found === undefined) {
      unreadable(work, folder);
      continue;
    }
    count += found.length;
    if (count > maxEntries) return "entries";
    const rules = withRules(folder, found);
    if (folder.relative !== "" && found.some((entry) => entry.name === ENVIRONMENT_MARK)) {
      work.entries.delete(folder.relative.slice(0, -1));
      continue;
    }
    for (const entry of found) {
      const relative = folder.relative + entry.name;
      const directory = entry.isDirectory();
      if (isLeftOut(entry.name, directory) || isIgnored(rules, relative, entry.name, directory)) continue;
      const path = `${folder.path}/${entry.name}`;
      if (directory && !work.options.never.includes(path)) open.push({ path, relative: `${relative}/`, rules });
      if (!directory || !work.options.never.includes(path)) look(work, path, relative);
      if (await step()) return "time";
    }
  }
  return undefined;
}

/** @throws E_STORE when it is the directory itself */
function unreadable(work: Scanning, { path, relative }: Folder): void {
  if (relative === "") throw new AppError("E_STORE", `cannot read ${path}`, { path, hint: "permission denied" });
  work.entries.set(relative.slice(0, -1), { kind: "skipped", why: "cannot be read", size: 0 });
}

function withRules(folder: Folder, found: readonly { name: string }[]): readonly IgnoreRules[] {
  if (!found.some((entry) => entry.name === ".gitignore")) return folder.rules;
  const text = readAtMostSync(join(folder.path, ".gitignore"), IGNORE_BYTES)?.toString("utf8");
  const rules = text === undefined ? undefined : parseIgnore(text, folder.relative);
  return rules === undefined ? folder.rules : [...folder.rules, rules];
}

function look(work: Scanning, path: string, relative: string, named?: true): void {
  const seen = inspectPath(path);
  const mark = named === undefined ? {} : { named };
  if (seen === "unreadable") {
    work.entries.set(relative, { kind: "skipped", why: "cannot be read", size: 0, ...mark });
    return;
  }
  // A name that is not text (bytes outside UTF-8) comes back changed, and nothing is found under it.
  if (seen === undefined) {
    if (relative.includes("\uFFFD"))
      work.entries.set(relative, { kind: "skipped", why: "its name is not valid text", size: 0 });
    return;
  }
  if (seen.kind === "directory") work.entries.set(relative, { kind: "directory", mode: seen.mode });
  else if (seen.kind === "link") lookAtLink(work, path, relative, mark);
  else if (seen.kind === "file") lookAtFile(work, relative, seen, mark);
}

function lookAtLink(work: Scanning, path: string, relative: string, mark: { named?: true }): void {
  const target = linkTarget(path);
  if (target === undefined) return;
  if (target.includes("\uFFFD"))
    work.entries.set(relative, { kind: "skipped", why: "its target is not valid text", size: 0, ...mark });
  else work.entries.set(relative, { kind: "link", target, ...mark });
}

function lookAtFile(work: Scanning, relative: string, seen: PathFacts, mark: { named?: true }): void {
  const { known, maxFileBytes } = work.options;
  if (seen.size > maxFileBytes) {
    work.entries.set(relative, {
      kind: "skipped",
      why: "larger than checkpoints.max_file_size_mb",
      size: seen.size,
      ...mark,
    });
    return;
  }
  const before = known?.get(relative);
  if (before?.kind === "file" && looksSame(before, seen)) {
    const same = before.mode === seen.mode && before.named === mark.named;
    work.entries.set(relative, same ? before : { ...withoutMark(before), mode: seen.mode, ...mark });
    return;
  }
  work.unread.set(relative, seen);
  work.bytes += seen.size;
}

const withoutMark = ({ named: _, ...entry }: FileEntry): FileEntry => entry;

const looksSame = (before: FileEntry, seen: PathFacts): boolean =>
  before.inode !== 0 &&
  before.size === seen.size &&
  before.mtime === seen.mtime &&
  before.ctime === seen.ctime &&
  before.inode === seen.inode;

function lookAtNamed(work: Scanning, relative: string): void {
  if (isVersionControl(relative)) return;
  const path = join(work.options.root, relative);
  const seen = isWayReal(work.options.root, relative) ? inspectPath(path) : undefined;
  if (seen === undefined) work.entries.set(relative, { kind: "absent", named: true });
  else look(work, path, relative, true);
}

/** Every directory above the path is one itself: what is behind a link is somewhere else. */
function isWayReal(root: string, relative: string): boolean {
  const parts = relative.split("/").slice(0, -1);
  return parts.every((_part, at) => {
    const seen = inspectPath(join(root, ...parts.slice(0, at + 1)));
    return seen !== undefined && seen !== "unreadable" && seen.kind === "directory";
  });
}

/** The entry of a file that was read. Near the present its time stamps prove nothing. */
export function toEntry(seen: PathFacts, hash: string, began: number, named: boolean): FileEntry {
  const recent = Math.max(seen.mtime, seen.ctime) > began - STAMP_MS;
  const { mode, size, mtime, ctime, inode } = seen;
  return { kind: "file", mode, size, mtime, ctime, inode: recent ? 0 : inode, hash, ...(named ? { named: true } : {}) };
}
