import { createHash } from "node:crypto";
import { join } from "node:path";
import { AppError } from "../../base/errors.js";
import { inspectPath, readDirentsSync, readProjectFile } from "../../base/fs/tree-read.js";

/** A file of a backup as its manifest names it; paths are below `skills/`, with `/`. */
export interface BackupFile {
  readonly path: string;
  readonly mode: number;
  readonly bytes: number;
  readonly sha256: string;
}

export interface BackupDirectory {
  readonly path: string;
  readonly mode: number;
}

/** What a backup of a tree of skills holds. */
export interface SkillTree {
  readonly files: readonly { readonly path: string; readonly mode: number }[];
  readonly directories: readonly BackupDirectory[];
  /** Links and special files: not in a backup. */
  readonly skipped: readonly string[];
}

/** Bounds of a backup: what goes beyond them is not a tree of skills. */
export const BACKUP_FILES_MAX = 20_000;
export const BACKUP_FILE_BYTES_MAX = 64 << 20;
export const BACKUP_BYTES_MAX = 1 << 30;

/** Entries of `skills/` that begin with a dot are the program's own; these two belong to the skills. */
const OWN = [".archive", ".usage.json"];

/** Whether an entry directly below `skills/` is part of backups. */
export const isBackedUp = (name: string): boolean => !name.startsWith(".") || OWN.includes(name);

/** Everything below `skills/` that a backup holds. */
export function listTree(root: string): SkillTree {
  const files: { path: string; mode: number }[] = [];
  const directories: BackupDirectory[] = [];
  const skipped: string[] = [];
  const walk = (dir: string): void => {
    for (const { name } of (readDirentsSync(join(root, dir)) ?? []).toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      if (dir === "" && !isBackedUp(name)) continue;
      const path = dir === "" ? name : `${dir}/${name}`;
      const seen = inspectPath(join(root, path));
      if (seen === undefined) continue;
      if (seen === "unreadable" || seen.kind === "link" || seen.kind === "other") {
        skipped.push(path);
        continue;
      }
      if (files.length + directories.length >= BACKUP_FILES_MAX)
        throw new AppError("E_INVALID", `${root} has more than ${BACKUP_FILES_MAX} files`, {
          hint: "move what is not a skill elsewhere",
        });
      if (seen.kind === "file") files.push({ path, mode: seen.mode & 0o777 });
      else {
        directories.push({ path, mode: seen.mode & 0o777 });
        walk(path);
      }
    }
  };
  walk("");
  return { files, directories, skipped };
}

/** @throws E_INVALID when the file is too large for a backup or cannot be read */
export function readForBackup(root: string, path: string): Buffer {
  const read = readProjectFile(join(root, path), BACKUP_FILE_BYTES_MAX);
  if (read !== undefined) return read.bytes;
  throw new AppError("E_INVALID", `cannot back up skills/${path}: it is unreadable or larger than 64 MiB`, {
    hint: "make it readable, or move it elsewhere",
  });
}

export const digestOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
