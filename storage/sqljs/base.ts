import { basename } from "node:path";
import { AppError } from "../../lib/base/errors.js";
import { refused } from "../errors.js";
import {
  type Checkpoint,
  type Current,
  changeCounter,
  describe,
  keepLost,
  listSegments,
  matches,
  restoreHint,
  type StoreFiles,
} from "./files.js";
import { scan } from "./frame.js";
import type { Library } from "./library.js";
import { Memory } from "./memory.js";
import { readHead } from "./segment.js";

/** The checkpoint that recovery starts from. */
export interface Base {
  readonly bytes: Buffer;
  readonly seq: number;
  /** What the files hold now, for the next checkpoint: `db` in `kanban.db`, `prev` in `kanban.db.prev`. */
  readonly db: Checkpoint | undefined;
  readonly prev: Checkpoint | undefined;
  /** Newest frame that `current` knows of: the journal must reach it. */
  readonly reach: number;
  /** Segment that was taking frames when `current` was written: it, or a later one, must be there. */
  readonly segment: number;
  /** The file came from elsewhere; there may be no journal behind it. */
  readonly adopted?: boolean;
  /** What is wrong with the files, in one sentence, when it is not the plain case. */
  readonly note?: string;
  /** What the owner does to the files once the journal behind the checkpoint has been read and is whole. */
  readonly repair?: () => void;
}

/** Find the checkpoint that `current` names, and as owner finish what an interrupted checkpoint left. */
export function findBase(files: StoreFiles, library: Library, current: Current): Base {
  const { disk } = files;
  const { now, prev, segment } = current;
  const db = disk.readFile(files.db);
  if (matches(db, now))
    return { bytes: db, seq: now.seq, db: now, prev, segment, reach: now.seq, ...withoutPrev(files, prev) };
  const next = disk.readFile(files.next);
  if (matches(next, now)) return finishRenames(files, current, { next, db });
  const before = disk.readFile(files.prev);
  const what = `${files.db} ${db === undefined ? "is missing" : "is damaged"}`;
  if (matches(before, now)) {
    const note = `${what}; the same checkpoint in ${files.prev} replaces it`;
    return {
      bytes: before,
      seq: now.seq,
      db: undefined,
      prev: now,
      segment,
      reach: now.seq,
      note,
      repair: () => setAside(files, db),
    };
  }
  if (matches(db, prev)) {
    const note = `the newest checkpoint of ${files.db} is missing; the previous one and the journal replace it`;
    return { bytes: db, seq: prev?.seq ?? 0, db: prev, prev: undefined, segment, reach: now.seq, note };
  }
  if (db !== undefined && changedByOthers(library, db, [now, prev])) return adopt(files, current, db);
  const found = matches(before, prev) ? before : otherCheckpoint(library, before, current);
  if (found === undefined) throw noBase(files, db, before);
  const note = `${what}; the previous checkpoint and the journal replace it`;
  const kept = found === before && prev !== undefined && matches(before, prev) ? prev : undefined;
  return {
    bytes: found,
    seq: kept?.seq ?? 0,
    db: undefined,
    prev: kept,
    segment,
    reach: now.seq,
    note,
    repair: () => setAside(files, db),
  };
}

/** Nothing is wrong with the store then, but one damaged file more would be its end. */
function withoutPrev({ disk, dir, prev: path }: StoreFiles, prev: Checkpoint | undefined): Pick<Base, "note"> {
  if (prev === undefined || disk.list(dir).includes(basename(path))) return {};
  return { note: `the previous checkpoint ${path} is missing` };
}

/**
 * A whole checkpoint of this store that `current` does not name, as two owners at once left it. A copy of the checkpoint that should be there and differs
 * from it is a damaged one, and no such.
 */
function otherCheckpoint(
  library: Library,
  bytes: Buffer | undefined,
  { store, now, prev, purged }: Current,
): Buffer | undefined {
  const stamp = bytes === undefined ? undefined : stampOf(library, bytes);
  const isCopy = stamp?.seq === prev?.seq || stamp?.seq === now.seq;
  return stamp?.store === store && !isCopy && purged !== true ? bytes : undefined;
}

/** Which store a whole checkpoint belongs to, and its newest frame; undefined for anything else. */
function stampOf(library: Library, bytes: Buffer): { readonly store: string; readonly seq: number } | undefined {
  if (!isWhole(library, bytes)) return undefined;
  const memory = new Memory(library.sql, bytes);
  try {
    const row = memory.all("SELECT id, seq FROM _store", [])[0];
    return row && { store: String(row["id"]), seq: Number(row["seq"]) };
  } catch (error) {
    if (!(error instanceof AppError && error.code === "E_INTERNAL")) throw error; // "no such table: _store" is the expected no
    return undefined;
  } finally {
    memory.close();
  }
}

function finishRenames(files: StoreFiles, current: Current, found: { next: Buffer; db: Buffer | undefined }): Base {
  const { now, prev, segment } = current;
  const repair = () => {
    files.disk.syncDir(files.dir); // `current` may have got its name from a process that was killed before it synced the directory
    if (matches(found.db, prev)) files.disk.rename(files.db, files.prev);
    files.disk.rename(files.next, files.db);
    files.disk.syncDir(files.dir);
  };
  return { bytes: found.next, seq: now.seq, db: now, prev, segment, reach: now.seq, repair };
}

/** Another program wrote to the file: its change counter moved and it is whole. */
function changedByOthers(library: Library, db: Buffer, ours: readonly (Checkpoint | undefined)[]): boolean {
  if (ours.some((one) => one?.change === changeCounter(db))) return false;
  return isWhole(library, db);
}

const HEADER = Buffer.from("SQLite format 3\0");

/** SQLite opens it and finds nothing wrong. */
export function isWhole(library: Library, bytes: Buffer): boolean {
  if (!bytes.subarray(0, 16).equals(HEADER)) return false; // an empty file would open as an empty database
  try {
    const memory = new Memory(library.sql, bytes);
    try {
      return memory.all("PRAGMA integrity_check", [])[0]?.["integrity_check"] === "ok";
    } finally {
      memory.close();
    }
  } catch {
    /* ok to lose: whatever SQLite says of it, it is not whole, and that is the answer. */
    return false;
  }
}

/** With nothing in the journal since the checkpoint there is nothing that another program's change could contradict. */
function adopt(files: StoreFiles, current: Current, db: Buffer): Base {
  if (hasFramesAfter(files, current.now.seq)) {
    throw refused("foreign", `${files.db} was changed by another program while changes are pending in its journal`, {
      path: files.db,
      hint: "agent doctor --fix keeps both versions",
    });
  }
  const seq = current.now.seq;
  const note = "the file was changed by another program; using it";
  return { bytes: db, seq, db: describe(db, seq), prev: undefined, segment: 0, reach: seq, adopted: true, note };
}

function hasFramesAfter(files: StoreFiles, seq: number): boolean {
  return listSegments(files).some((number) => {
    const bytes = files.disk.readFile(files.segment(number)) ?? Buffer.alloc(0);
    const found = readHead(bytes);
    if (found.kind !== "ok") return found.kind !== "torn";
    const { next } = scan(bytes, { from: found.end, first: found.head.first, salt: found.head.salt }, () => undefined);
    return next > seq + 1;
  });
}

function setAside(files: StoreFiles, db: Buffer | undefined): void {
  if (db === undefined) return;
  keepLost(
    files,
    "damaged-checkpoint",
    db,
    `${files.db} did not match its checksum; recovered from the previous checkpoint and the journal`,
  );
  files.disk.remove(files.db);
  files.disk.syncDir(files.dir);
}

function noBase(files: StoreFiles, db: Buffer | undefined, before: Buffer | undefined): Error {
  const what = db === undefined ? "is missing" : "is damaged (it does not match its checksum)";
  const other = before === undefined ? "no earlier checkpoint" : `${files.prev} does not match its checksum either`;
  return refused("damaged", `${files.db} ${what}, and ${other}`, { path: files.db, hint: restoreHint });
}

/**
 * The checkpoint to start from where `current` is missing or not readable: the newest whole file with frames of its own store behind it.
 *
 * @returns undefined when the files are none of a store that has journalled anything
 */
export function findUnnamed(files: StoreFiles, library: Library, why: string): Base | undefined {
  const store = journalledStore(files);
  if (store === undefined) return undefined;
  for (const path of [files.db, files.prev]) {
    const bytes = files.disk.readFile(path);
    const stamp = bytes === undefined ? undefined : stampOf(library, bytes);
    if (bytes === undefined || stamp === undefined || stamp.store !== store) continue;
    const other = path === files.db ? "" : `, and so is ${files.db}`;
    const note = `${why}${other}; ${path} and the journal replace it`;
    const [db, prev] =
      path === files.db ? [describe(bytes, stamp.seq), undefined] : [undefined, describe(bytes, stamp.seq)];
    return {
      bytes,
      seq: stamp.seq,
      db,
      prev,
      segment: 1,
      reach: stamp.seq,
      note,
      repair: () => keepUnnamed(files, why),
    };
  }
  return undefined;
}

/** The store whose frames the newest segment is for; undefined without a readable one. */
function journalledStore(files: StoreFiles): string | undefined {
  for (const number of listSegments(files).reverse()) {
    const found = readHead(files.disk.readFile(files.segment(number)) ?? Buffer.alloc(0));
    if (found.kind === "ok") return found.head.store;
  }
  return undefined;
}

/** Nothing proves that the files fit each other but themselves, so they are kept as they were found. */
function keepUnnamed(files: StoreFiles, why: string): void {
  for (const path of [files.db, files.current]) {
    const bytes = files.disk.readFile(path);
    if (bytes !== undefined) keepLost(files, basename(path), bytes, `${path} as it was before recovery: ${why}`);
  }
}
