import { createHash } from "node:crypto";
import { join } from "node:path";
import { AppError } from "../../base/errors.js";
import { inspectPath, readDirentsSync, readProjectFile } from "../../base/fs/tree-read.js";
import type { FileState } from "../../contracts/skills/writes.js";

/** A supporting file, and what a version keeps of one. */
export const FILE_MAX = 1 << 20;
/** Files of other programs in a skill may be larger; they are kept with a version up to this size. */
const READ_MAX = 16 << 20;
export const FILES_MAX = 500;
export const SKILL_BYTES_MAX = 20 << 20;
const ENTRIES_MAX = 10_000;

/**
 * A file below `skills/` as it is; `null`: it does not exist.
 *
 * @throws E_INVALID when something else is there, E_STORE when it cannot be read, E_TOO_LARGE
 */
export function skillFileAt(root: string, path: string): FileState | null {
  const full = join(root, path);
  const found = inspectPath(full);
  if (found === undefined) return null;
  if (found === "unreadable") throw unreadable(full);
  if (found.kind === "link")
    throw new AppError("E_FORBIDDEN", `${full} is a symbolic link: skills are not changed through links`, {
      path: full,
      hint: "edit the file where the link leads",
    });
  if (found.kind !== "file")
    throw new AppError("E_INVALID", `${full} is a ${found.kind}, not a file`, {
      path: full,
      hint: "choose another path",
    });
  if (found.size > READ_MAX)
    throw new AppError("E_TOO_LARGE", `${full} is larger than ${READ_MAX >> 20} MiB`, {
      path: full,
      hint: "change it with another program",
    });
  const read = readProjectFile(full, READ_MAX);
  if (read === undefined) throw unreadable(full);
  return { bytes: read.bytes, mode: read.seen.mode & 0o777 };
}

const unreadable = (path: string) =>
  new AppError("E_STORE", `${path}: permission denied`, { path, hint: "make it readable for you, then retry" });

/** A file of a directory, relative to it. */
export interface TreeEntry {
  readonly path: string;
  readonly kind: "file" | "link" | "other";
  readonly size: number;
  readonly line: string;
}

/** Everything in a directory but directories, sorted by path. @throws E_TOO_LARGE */
export function treeOf(dir: string): readonly TreeEntry[] {
  const found: TreeEntry[] = [];
  const waiting = [""];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for (const { name } of readDirentsSync(join(dir, at)) ?? []) {
      const path = at === "" ? name : `${at}/${name}`;
      const facts = inspectPath(join(dir, path));
      if (facts === undefined || facts === "unreadable") continue;
      if (facts.kind === "directory") waiting.push(path);
      else {
        const { kind, mode, size, mtime } = facts;
        found.push({ path, kind, size, line: `${path}\0${kind} ${mode} ${size} ${mtime}` });
      }
      if (found.length + waiting.length > ENTRIES_MAX)
        throw new AppError("E_TOO_LARGE", `${dir} holds more than ${ENTRIES_MAX} files`, {
          path: dir,
          hint: "move what does not belong to the skill away",
        });
    }
  }
  return found.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** Names, sizes and times of all that a directory holds: another text once something in it has changed. "": it is not there. */
export function dirStampOf(root: string, path: string): string {
  const dir = join(root, path);
  const found = inspectPath(dir);
  if (found === undefined || found === "unreadable" || found.kind !== "directory") return "";
  const hash = createHash("sha256");
  for (const { line } of treeOf(dir)) hash.update(`${line}\n`);
  return hash.digest("hex");
}
