import { AppError } from "../../lib/base/errors.js";
import { randomIds } from "../../lib/base/ids.js";
import { refused } from "../errors.js";
import { refuseStranger } from "../migrate.js";
import { contentEnd } from "./ahead.js";
import { type Base, findBase, findUnnamed, isWhole } from "./base.js";
import { describe, listSegments, readCurrent, restoreHint, type StoreFiles } from "./files.js";
import { JournalReader } from "./journal-reader.js";
import type { Library } from "./library.js";
import { Memory } from "./memory.js";
import { adoptOlder } from "./older.js";
import type { Recovered, RecoverySetup } from "./recovered.js";
import { readHead } from "./segment.js";
import { mergeWal, usesWal } from "./wal.js";

/**
 * Read a store from its files: the checkpoint, then the journal behind it. As owner: repair what a crash leaves, keep what is cut off.
 *
 * @returns undefined for a store that does not exist yet
 * @throws E_STORE damaged, diverged, foreign or newer, and then nothing was changed
 */
export async function recover(setup: RecoverySetup): Promise<Recovered | undefined> {
  const { spec, files, library } = setup;
  const found = locate(setup);
  if (!found) return undefined;
  const memory = openCheckpoint(library, files, found.base);
  try {
    const row = storeRow(memory, setup, found.base.adopted === true);
    refuseStranger(spec, row);
    if (found.store !== undefined && found.store !== row.id) throw foreignCheckpoint(files);
    // What was taken over from before cannot be gone back to: its journal would be of another layout. A copy of it is kept elsewhere.
    const base = row.schema === 0 ? { ...found.base, db: undefined } : found.base;
    const state = new JournalReader(setup, memory, base, row);
    await state.read();
    const result = state.result();
    if (setup.mode === "owner") base.repair?.();
    return { memory, store: row.id, base, ...result };
  } catch (error) {
    memory.close();
    throw error;
  }
}

/** The checkpoint to start from, or undefined when nothing was ever kept here. */
function locate({ files, library }: RecoverySetup): { base: Base; store: string | undefined } | undefined {
  const current = readCurrent(files);
  if (typeof current !== "string") return { base: findBase(files, library, current), store: current.store };
  const unnamed = findUnnamed(
    files,
    library,
    `${files.current} is ${current === "missing" ? "missing" : "not readable"}`,
  );
  if (unnamed !== undefined) return { base: unnamed, store: undefined };
  if (current === "damaged")
    throw refused("damaged", `${files.current} is not readable`, { path: files.current, hint: restoreHint });
  const kept = files.disk.readFile(files.db);
  if (kept === undefined) return refuseOrphans(files);
  const db = withLog(files, kept);
  if (!isWhole(library, db)) {
    throw refused("damaged", `${files.db} is not a SQLite database, or is damaged`, {
      path: files.db,
      hint: restoreHint,
    });
  }
  refuseOrphans(files);
  const note = "using a file without a journal";
  return {
    base: { bytes: db, seq: 0, db: describe(kept, 0), prev: undefined, segment: 0, reach: 0, adopted: true, note },
    store: undefined,
  };
}

/** A file of another tool with what it has committed to the log beside it. */
export function withLog(files: StoreFiles, db: Buffer): Buffer {
  return usesWal(db) ? mergeWal(db, files.disk.readFile(`${files.db}-wal`)) : db;
}

/** A journal with frames and no checkpoint: something took the other files away. An empty first segment is a creation that was cut off. */
function refuseOrphans(files: StoreFiles): undefined {
  for (const number of listSegments(files)) {
    const bytes = files.disk.readFile(files.segment(number)) ?? Buffer.alloc(0);
    const found = readHead(bytes);
    if (found.kind === "torn") continue;
    if (found.kind === "ok" && found.end === contentEnd(bytes, found.end) && found.head.first === 1) continue;
    throw refused("damaged", `${files.segment(number)} has changes, but ${files.current} is missing`, {
      path: files.current,
      hint: restoreHint,
    });
  }
  return undefined;
}

function openCheckpoint(library: Library, files: StoreFiles, base: Base): Memory {
  try {
    return new Memory(library.sql, base.bytes);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw refused("damaged", `${files.db} cannot be opened: ${why}`, { path: files.db, hint: restoreHint });
  }
}

function storeRow(memory: Memory, { spec, files }: RecoverySetup, adopted: boolean): StoreRow {
  const known = storedRow(memory);
  if (known) return known;
  if (adopted && adoptOlder(memory, spec, randomIds.hex(16))) return storedRow(memory) ?? nothing(files);
  return nothing(files);
}

interface StoreRow {
  readonly id: string;
  readonly kind: string;
  readonly schema: number;
  readonly seq: number;
}

function storedRow(memory: Memory): StoreRow | undefined {
  try {
    const row = memory.all("SELECT id, kind, schema, seq FROM _store", [])[0];
    return (
      row && {
        id: String(row["id"]),
        kind: String(row["kind"]),
        schema: Number(row["schema"]),
        seq: Number(row["seq"]),
      }
    );
  } catch (error) {
    if (!(error instanceof AppError && error.code === "E_INTERNAL")) throw error; // "no such table: _store" is the expected no
    return undefined;
  }
}

function nothing(files: StoreFiles): never {
  throw refused("foreign", `${files.db} is a SQLite file of another program`, {
    path: files.db,
    hint: "move it away, or use another home",
  });
}

function foreignCheckpoint(files: StoreFiles): AppError {
  return refused("foreign", `${files.db} and ${files.current} belong to different stores`, {
    path: files.db,
    hint: restoreHint,
  });
}
