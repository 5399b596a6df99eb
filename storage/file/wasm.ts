import * as fs from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { compileFunction } from "node:vm";
import { AppError, systemCode } from "../../lib/base/errors.js";
import { distFile } from "../../lib/base/fs/dist.js";
import { Gathered } from "./gather.js";

/** What the engine uses of the library. */
export interface WasmStatement {
  run(values: readonly (string | number | null)[]): { changes: number; lastInsertRowid: number | bigint };
  all(values: readonly (string | number | null)[]): Record<string, unknown>[];
  finalize(): void;
}

export interface WasmDatabase {
  readonly inTransaction: boolean;
  exec(sql: string): void;
  prepare(sql: string): WasmStatement;
  close(): void;
}

/**
 * The files of one copy of SQLite. Every file operation of the library passes here, so that the engine learns the true cause of a failure
 * (SQLite says "disk I/O error" for all of them) and can forbid writing while it looks whether a file is healthy.
 */
export interface SqliteFiles {
  /**
   * `reading`: nothing on disk is created, changed or removed; such an attempt fails inside SQLite. `looking`: the same, but files are opened
   * so that they can be written later, and an empty journal may be made.
   */
  mode: "reading" | "looking" | "writing";
  /** Cause of the newest failure of a write, truncation or creation; cleared by the engine. */
  failure: Error | undefined;
  /** Cause of a failed fsync. What was written before it may or may not be on the disk. Never cleared. */
  syncFailure: Error | undefined;
  /** Where the newest write to the journal ended. It begins again from its start when all of it is in the file, and the file stays as long. */
  journalEnd: number;
  /** A transaction begins: what it writes to the journal may wait for its sync, which every commit has. */
  gather(): void;
  /** Give a closed file another name, durably. */
  rename(from: string, to: string): void;
  /** Close every descriptor that is still open, without asking SQLite. */
  abandon(): void;
}

/** The file functions that the library calls. Tests pass ones that fail. */
export type FileSystem = Pick<
  typeof fs,
  "openSync" | "closeSync" | "writeSync" | "ftruncateSync" | "unlinkSync" | "fsyncSync" | "fdatasyncSync"
>;

export interface Sqlite {
  open(path: string): WasmDatabase;
  readonly files: SqliteFiles;
}

const SCRIPT = "node-sqlite3-wasm.js";
const PARAMS = ["module", "exports", "require", "__filename", "__dirname", "WebAssembly", "Module"];

/**
 * A fresh copy of SQLite with its own memory: it costs a few milliseconds and goes away with its database, so that what one store has grown to does not
 * outlive it. The script stands beside its `.wasm` in `dist`; a checkout that was never built uses the installed package.
 */
export function loadSqlite(disk: FileSystem = fs): Sqlite {
  const path = locate();
  const files = watchedFiles(disk);
  const require = createRequire(path);
  // The library asks for random bytes by this one function, and rarely; loading the module for it costs milliseconds.
  const crypto = {
    randomFillSync: (bytes: Uint8Array) =>
      (require("node:crypto") as typeof import("node:crypto")).randomFillSync(bytes),
  };
  const fakes = new Map<string, unknown>([
    ["node:fs", files.module],
    ["node:crypto", crypto],
  ]);
  const fake = (name: string): unknown => fakes.get(name) ?? require(name);
  const module: { exports: unknown } = { exports: {} };
  const script = compileFunction(fs.readFileSync(path, "utf8"), PARAMS, { filename: path });
  script(module, module.exports, fake, path, dirname(path), { ...wasmMembers(), Module: compiledOnce }, given());
  // The package is pinned to one version; its types say that Database is a constructor over a path.
  const { Database } = module.exports as { Database: new (path: string) => WasmDatabase };
  return { open: (file) => new Database(file), files: files.state };
}

/** The types of `WebAssembly` belong to browsers and are not loaded here; this is the part that is used. */
type Wasm = { readonly Module: new (bytes: Uint8Array) => object };
const wasm: Wasm = Reflect.get(globalThis, "WebAssembly"); // every Node has it

let compiled: object | undefined;

/** Settings of a copy. One that is compiled already is not read again: it has more than a megabyte. */
function given(): { readonly wasmBinary?: ArrayBuffer } {
  return compiled === undefined ? {} : { wasmBinary: NOTHING };
}
const NOTHING = new ArrayBuffer(0);

/** Compiling takes 20 to 40 ms and its result holds no state, so that all copies of one process share it. */
function compiledOnce(bytes: Uint8Array): object {
  compiled ??= new wasm.Module(bytes);
  return compiled;
}

/** Its members are not enumerable, so that spreading it would lose them. */
const wasmMembers = (): Record<string, unknown> =>
  Object.fromEntries(Object.getOwnPropertyNames(wasm).map((name) => [name, Reflect.get(wasm, name)]));

function locate(): string {
  try {
    const script = join(dirname(distFile("node-sqlite3-wasm.wasm")), SCRIPT);
    if (fs.existsSync(script)) return script;
  } catch {
    /* ok to lose: nothing is built here, so the package itself is used. */
  }
  return createRequire(import.meta.url).resolve("node-sqlite3-wasm");
}

interface Watched {
  readonly state: SqliteFiles;
  readonly module: unknown;
}

function watchedFiles(disk: FileSystem): Watched {
  const open: Descriptors = new Map();
  const gathered = new Gathered((fd, bytes, at) => noted(state, () => disk.writeSync(fd, bytes, 0, bytes.length, at)));
  const state: SqliteFiles = {
    mode: "writing",
    failure: undefined,
    syncFailure: undefined,
    journalEnd: 0,
    gather: () => gathered.begin(),
    rename: (from, to) => {
      noted(state, () => fs.renameSync(from, to));
      syncFolder(files, dirname(to));
    },
    abandon: () => {
      gathered.drop();
      for (const fd of open.keys()) disk.closeSync(fd);
      open.clear();
    },
  };
  const files: Files = { disk, state, open, gathered };
  const watched = { ...opening(files), ...looking(gathered), ...writing(files), ...locking() };
  // Inherited, not copied: a copy would ask for every member, and some of those load further modules.
  return { state, module: Object.create(fs, Object.getOwnPropertyDescriptors(watched)) };
}

type Descriptors = Map<number, Descriptor>;

interface Descriptor {
  /** Only what is written to a journal may wait: every commit syncs it. */
  readonly journal: boolean;
  /** It was synced with everything that belongs to the file. */
  synced: boolean;
}

interface Files {
  readonly disk: FileSystem;
  readonly state: SqliteFiles;
  readonly open: Descriptors;
  readonly gathered: Gathered;
}

function opening({ disk, state, open, gathered }: Files): Partial<FileSystem> {
  return {
    openSync: (path, flags) => {
      const fd =
        state.mode === "reading" ? openForReading(disk, path) : opened(state, () => disk.openSync(path, flags, 0o600));
      open.set(fd, { journal: String(path).endsWith("-wal"), synced: false });
      return fd;
    },
    closeSync: (fd) => {
      open.delete(fd);
      try {
        gathered.flush();
      } finally {
        disk.closeSync(fd);
      }
    },
  };
}

/** A reader of a file sees all that was written to it. */
function looking(gathered: Gathered): Pick<typeof fs, "readSync" | "fstatSync"> {
  const after =
    <Args extends readonly unknown[], R>(look: (...args: Args) => R) =>
    (...args: Args): R => {
      gathered.flush();
      return look(...args);
    };
  return { readSync: after(fs.readSync) as typeof fs.readSync, fstatSync: after(fs.fstatSync) as typeof fs.fstatSync }; // the arguments pass through unchanged
}

/** A journal that is not there reads as an empty one, since SQLite insists on having it. */
function openForReading(disk: FileSystem, path: fs.PathLike): number {
  try {
    return disk.openSync(path, fs.constants.O_RDONLY);
  } catch (error) {
    if (systemCode(error) === "ENOENT" && String(path).endsWith("-wal"))
      return disk.openSync("/dev/null", fs.constants.O_RDONLY);
    throw error;
  }
}

function writing({ disk, state, open, gathered }: Files): Partial<FileSystem> {
  return {
    writeSync: ((fd: number, bytes: Uint8Array, ...[from, length, at]: [number, number, number]) =>
      noted(state, () => {
        if (open.get(fd)?.journal === true) {
          state.journalEnd = at + length;
          return gathered.add(fd, bytes.subarray(from, from + length), at);
        }
        gathered.flush();
        return disk.writeSync(fd, bytes, from, length, at);
      })) as typeof fs.writeSync, // the library calls this one form only
    ftruncateSync: (fd, length) =>
      noted(state, () => {
        gathered.flush();
        disk.ftruncateSync(fd, length);
      }),
    unlinkSync: (path) => noted(state, () => disk.unlinkSync(path)),
    fsyncSync: (fd) => {
      gathered.end(); // its failure is that of a write
      const known = open.get(fd);
      try {
        // The first one takes the whole file, its being there too. Later ones leave out the times; size and place of the data they take along.
        if (known?.synced === true) disk.fdatasyncSync(fd);
        else disk.fsyncSync(fd);
        if (known !== undefined) known.synced = true;
      } catch (error) {
        state.syncFailure ??= asError(error);
        throw error;
      }
    },
  };
}

function syncFolder({ disk, state }: Files, path: string): void {
  const fd = opened(state, () => disk.openSync(path, fs.constants.O_RDONLY));
  try {
    disk.fsyncSync(fd);
  } catch (error) {
    state.syncFailure ??= asError(error);
    throw error;
  } finally {
    disk.closeSync(fd);
  }
}

function noted<T>(state: SqliteFiles, action: () => T): T {
  if (state.mode !== "writing") throw new AppError("E_STORE", "the file is open read-only");
  return opened(state, action);
}

function opened<T>(state: SqliteFiles, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (systemCode(error) !== "ENOENT") state.failure = asError(error);
    throw error;
  }
}

const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

/** The library locks with a directory that SIGKILL leaves behind for ever. The owner's lock already keeps every other process out. */
function locking(): Partial<typeof fs> {
  const isLock = (path: fs.PathLike) => String(path).endsWith(".lock");
  return {
    mkdirSync: ((path: fs.PathLike) => (isLock(path) ? undefined : fs.mkdirSync(path))) as typeof fs.mkdirSync, // called with a path alone
    rmdirSync: (path) => (isLock(path) ? undefined : fs.rmdirSync(path)),
    accessSync: (path, mode) => {
      if (isLock(path)) throw new Error("not locked");
      fs.accessSync(path, mode);
    },
  };
}
