import {
  closeSync,
  constants,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { systemCode } from "../errors.js";

/** An open file. Every method throws the system's error (`ENOSPC`, `EIO`, ...) when the disk refuses. */
export interface DiskFile {
  readonly path: string;
  size(): number;
  /** `length` bytes from `at`; fewer at the end of the file. */
  read(at: number, length: number): Buffer;
  /** Write all of `bytes` at `at`. A failure may leave a part of them behind: the caller cuts back with `truncate`. */
  write(bytes: Uint8Array, at: number): void;
  truncate(size: number): void;
  /** Bytes written so far are on the disk when it resolves. Works in the thread pool; the file may be written meanwhile. */
  sync(): Promise<void>;
  /** The same, and nothing else runs until it is done. */
  syncNow(): void;
  /** Let go of the file without syncing it. Harmless twice. */
  close(): void;
}

/** Operations on files that the stores use, and nothing else; `fixtures/ports/disk.ts` can make every one of them fail, tear or vanish. */
export interface Disk {
  /** `read`: must exist. `update`: must exist, for reading and writing. `create`: made or emptied, mode 0600. */
  open(path: string, mode: "read" | "update" | "create"): DiskFile;
  /** The whole file, or undefined when it does not exist. */
  readFile(path: string): Buffer | undefined;
  /** Which file has this name now: another text once a different file took its place. Undefined: none. */
  identity(path: string): string | undefined;
  /** Take the place of `to` in one step; durable after `syncDir`. */
  rename(from: string, to: string): void;
  /** Remove a file or a directory with all in it. Harmless when it does not exist. */
  remove(path: string): void;
  /** Names in a directory, sorted; empty when it does not exist. */
  list(dir: string): readonly string[];
  /** Make a directory and its parents, mode 0700. Harmless when it is there. */
  mkdir(dir: string): void;
  /** Creations, renames and removals in `dir` are on the disk when it returns. */
  syncDir(dir: string): void;
}

const FLAGS = {
  read: constants.O_RDONLY,
  update: constants.O_RDWR,
  create: constants.O_RDWR | constants.O_CREAT | constants.O_TRUNC,
};

/** The disk of the machine. */
export const realDisk: Disk = {
  open: (path, mode) => openFile(path, openSync(path, FLAGS[mode], 0o600)),
  readFile: (path) => missing(() => readFileSync(path)),
  identity: (path) => {
    const found = statSync(path, { throwIfNoEntry: false, bigint: true });
    return found && `${found.dev}:${found.ino}`;
  },
  rename: (from, to) => renameSync(from, to),
  remove: (path) => rmSync(path, { force: true, recursive: true }),
  list: (dir) => (missing(() => readdirSync(dir)) ?? []).sort(),
  mkdir: (dir) => {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
  },
  syncDir: (dir) => {
    const fd = openSync(dir, constants.O_RDONLY);
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  },
};

function openFile(path: string, fd: number): DiskFile {
  let open = true;
  return {
    path,
    size: () => fstatSync(fd).size,
    read: (at, length) => readAll(fd, at, length),
    write: (bytes, at) => writeAll(fd, bytes, at),
    truncate: (size) => ftruncateSync(fd, size),
    sync: () =>
      new Promise((resolve, reject) => {
        fdatasync(fd, (error) => (error ? reject(error) : resolve()));
      }),
    syncNow: () => fdatasyncSync(fd),
    close: () => {
      if (open) closeSync(fd);
      open = false;
    },
  };
}

function readAll(fd: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let done = 0;
  while (done < length) {
    const got = readSync(fd, bytes, done, length - done, at + done);
    if (got === 0) break;
    done += got;
  }
  return bytes.subarray(0, done);
}

/** The kernel may take fewer bytes than it is given; the next call then says why. */
function writeAll(fd: number, bytes: Uint8Array, at: number): void {
  let done = 0;
  while (done < bytes.length) done += writeSync(fd, bytes, done, bytes.length - done, at + done);
}

function missing<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
