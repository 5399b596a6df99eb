import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { errorCode } from "./files.js";

/** Where something would be changed is not a place inside the directory: a part of the way is a link or not a directory. */
export class NotInside extends Error {
  override readonly name = "NotInside";
}

/** Changes below one directory, each whole or not at all. A link on the way is never followed. Refusals of the system are thrown. */
export interface ProjectChanges {
  /** Put a file in place of whatever file or link is there. */
  placeFile(path: string, bytes: Uint8Array, mode: number): void;
  placeLink(path: string, target: string): void;
  makeDirectory(path: string, mode: number): void;
  /** Remove a file or a link. Harmless when it is gone. */
  remove(path: string): void;
  /** False: it holds something, or is gone. */
  removeDirectory(path: string): boolean;
  setMode(path: string, mode: number): void;
}

/** Paths are relative to `root`, which is a real path. */
export function changesBelow(root: string): ProjectChanges {
  const place = (path: string): string => {
    checkWay(root, path);
    return join(root, path);
  };
  return {
    placeFile: (path, bytes, mode) => {
      const at = place(path);
      swap(at, (draft) => writeDraft(draft, bytes, mode));
    },
    placeLink: (path, target) => {
      const at = place(path);
      swap(at, (draft) => symlinkSync(target, draft));
    },
    makeDirectory: (path, mode) => {
      const at = place(path);
      mkdirSync(at, { mode: 0o700 | mode });
      chmodSync(at, 0o700 | mode);
    },
    remove: (path) => {
      const at = place(path);
      try {
        unlinkSync(at);
      } catch (error) {
        if (errorCode(error) !== "ENOENT") throw error;
      }
    },
    removeDirectory: (path) => removeEmpty(place(path)),
    setMode: (path, mode) => {
      const at = place(path);
      if (!lstatSync(at).isSymbolicLink()) chmodSync(at, mode);
    },
  };
}

/** Every directory above the path is one itself. */
function checkWay(root: string, path: string): void {
  const parts = path.split("/");
  if (path === "" || parts.some((part) => part === "" || part === "." || part === ".."))
    throw new NotInside(`${path} is outside the directory`);
  let at = root;
  for (const part of parts.slice(0, -1)) {
    at = join(at, part);
    const found = lstatSync(at, { throwIfNoEntry: false });
    if (found === undefined) throw new NotInside(`${at} does not exist`);
    if (!found.isDirectory())
      throw new NotInside(found.isSymbolicLink() ? `${at} is a link` : `${at} is not a directory`);
  }
}

function swap(at: string, make: (draft: string) => void): void {
  drafts += 1;
  const draft = join(dirname(at), `.${basename(at).slice(0, 80)}.${process.pid}-${drafts}.restore`);
  try {
    make(draft);
    renameSync(draft, at);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

let drafts = 0;

function writeDraft(draft: string, bytes: Uint8Array, mode: number): void {
  const fd = openSync(draft, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600);
  try {
    for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done, bytes.length - done, done);
    fchmodSync(fd, mode); // not synced: what is brought back is still kept where it came from
  } finally {
    closeSync(fd);
  }
}

function removeEmpty(at: string): boolean {
  try {
    rmdirSync(at);
    return true;
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOTEMPTY" || code === "EEXIST" || code === "ENOENT" || code === "ENOTDIR") return false;
    throw error;
  }
}
