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
  /** A word for the log when it is not the plain case. */
  readonly note?: string;
}

/** How a store is looked at: `owner` may repair, `reader` writes nothing. */
export type Mode = "owner" | "reader";

/** Find the checkpoint that `current` names, and as owner finish what an interrupted checkpoint left. */
export function findBase(files: StoreFiles, library: Library, current: Current, mode: Mode): Base {
  const { disk } = files;
  const { now, prev, segment } = current;
  const db = disk.readFile(files.db);
  if (matches(db, now)) return { bytes: db, seq: now.seq, db: now, prev, segment, reach: now.seq };
  const next = disk.readFile(files.next);
  if (matches(next, now)) return finishRenames(files, current, { next, db }, mode);
  if (matches(db, prev))
    return { bytes: db, seq: prev?.seq ?? 0, db: prev, prev: undefined, segment, reach: now.seq, note: "the newest checkpoint is gone" };
  if (db !== undefined && changedByOthers(library, db, [now, prev])) return adopt(files, current, db);
  const before = disk.readFile(files.prev);
  if (!matches(before, prev)) throw noBase(files, db);
  if (db !== undefined && mode === "owner") setAside(files, db);
  const note = "the newest checkpoint is damaged, started from the one before";
  return { bytes: before, seq: prev?.seq ?? 0, db: undefined, prev, segment, reach: now.seq, note };
}

function finishRenames(files: StoreFiles, current: Current, found: { next: Buffer; db: Buffer | undefined }, mode: Mode): Base {
  const base = {
    bytes: found.next,
    seq: current.now.seq,
    db: current.now,
    prev: current.prev,
    segment: current.segment,
    reach: current.now.seq,
  };
  if (mode === "reader") return base;
  files.disk.syncDir(files.dir); // `current` may have got its name from a process that was killed before it synced the directory
  if (matches(found.db, current.prev)) files.disk.rename(files.db, files.prev);
  files.disk.rename(files.next, files.db);
  files.disk.syncDir(files.dir);
  return base;
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
    throw refused("foreign", `${files.db} was changed by another program while changes of ours wait in its journal`, {
      path: files.db,
      hint: "agent doctor --fix keeps both versions",
    });
  }
  const seq = current.now.seq;
  const note = "the file was changed by another program and is taken over";
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

function setAside(files: StoreFiles, db: Buffer): void {
  keepLost(
    files,
    "damaged-checkpoint",
    db,
    `${files.db} did not match its checksum; the store was recovered from the checkpoint before and the journal`,
  );
  files.disk.remove(files.db);
  files.disk.syncDir(files.dir);
}

function noBase(files: StoreFiles, db: Buffer | undefined): Error {
  const what = db === undefined ? "is missing" : "is damaged (it does not match its checksum)";
  return refused("damaged", `${files.db} ${what}, and no earlier checkpoint is there`, { path: files.db, hint: restoreHint });
}
