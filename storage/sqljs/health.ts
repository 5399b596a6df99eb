import { AppError } from "../../lib/base/errors.js";
import type { Disk } from "../../lib/base/fs/disk.js";
import { transaction } from "../body.js";
import { stepsBetween, withEvents } from "../migrate.js";
import type { Migration, StoreSpec } from "../store.js";
import { digest } from "./digest.js";
import {
  type Current,
  listSegments,
  matches,
  namedCheckpoints,
  readCurrent,
  type StoreFiles,
  storeFiles,
} from "./files.js";
import { JournalReader } from "./journal-reader.js";
import { loadLibrary } from "./library.js";
import { Memory } from "./memory.js";
import { migrationSession } from "./migration.js";
import type { RecoverySetup } from "./recovered.js";

/** What the files of a store look like, without opening it. For doctor and status. */
export interface StoreHealth {
  readonly exists: boolean;
  readonly bytes: number;
  /** Of its files, with what is allocated ahead. */
  readonly journalBytes: number;
  readonly segments: number;
  /** Things that recovery took out and kept, by name. */
  readonly lost: readonly string[];
  /** The store is open, or its last owner did not end well. */
  readonly inUse: boolean;
}

/** Look at the files of a store; nothing is read in full or changed. */
export function storeHealth(disk: Disk, path: string): StoreHealth {
  const files = storeFiles(disk, path);
  const sizes = listSegments(files).map((number) => sizeOf(files, files.segment(number)) ?? 0);
  const bytes = sizeOf(files, files.db);
  return {
    exists: bytes !== undefined,
    bytes: bytes ?? 0,
    journalBytes: sizes.reduce((sum, size) => sum + size, 0),
    segments: sizes.length,
    lost: disk.list(files.lost).filter((name) => name.endsWith(".bin")),
    inUse: sizeOf(files, files.inUse) !== undefined,
  };
}

function sizeOf({ disk }: StoreFiles, path: string): number | undefined {
  try {
    const file = disk.open(path, "read");
    try {
      return file.size();
    } finally {
      file.close();
    }
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * What is wrong with the checkpoints of a store and with what names them, in one sentence each; reads both in full. Nothing is said of a file that has no
 * journal: it came from elsewhere.
 */
export function checkCopies(disk: Disk, path: string): string[] {
  const files = storeFiles(disk, path);
  const current = readCurrent(files);
  if (typeof current !== "string") return damagedCopies(files, current);
  if (listSegments(files).length === 0 && current === "missing") return [];
  return [`${files.current}, which names the checkpoints, is ${current === "missing" ? "missing" : "not readable"}`];
}

/**
 * Compare the newest checkpoint with the one before and the journal between them (`doctor --deep`). Reads only.
 *
 * @returns what is wrong, in one sentence each; empty when both are whole and hold the same
 */
export async function deepCheck(spec: StoreSpec, disk: Disk): Promise<string[]> {
  const files = storeFiles(disk, spec.path);
  const current = namedCheckpoints(files);
  const db = disk.readFile(files.db);
  const prev = disk.readFile(files.prev);
  if (!current?.prev || !matches(db, current.now) || !matches(prev, current.prev))
    return current ? damagedCopies(files, current) : [];
  const library = await loadLibrary();
  const migrations = withEvents(spec.migrations);
  const setup: RecoverySetup = {
    spec: { ...spec, migrations },
    files,
    library,
    mode: "reader",
    sabotage: {},
    migrate: (memory, from, until) => migrateAll(memory, stepsBetween(migrations, from, until)),
  };
  const now = new Memory(library.sql, db);
  const before = new Memory(library.sql, prev);
  try {
    const row = before.all("SELECT id, schema, seq FROM _store", [])[0];
    const base = {
      bytes: prev,
      seq: current.prev.seq,
      db: undefined,
      prev: current.prev,
      segment: 0,
      reach: current.now.seq,
    };
    const start = { id: String(row?.["id"]), schema: Number(row?.["schema"]), seq: Number(row?.["seq"]) };
    const reader = new JournalReader(setup, before, base, start);
    await reader.read(current.now.seq);
    if (reader.schema < current.schema) await setup.migrate(before, reader.schema, current.schema);
    return digest(now) === digest(before) ? [] : [`${files.db} does not match ${files.prev} and the journal`];
  } catch (error) {
    if (error instanceof AppError && error.code === "E_STORE") return [error.message];
    throw error;
  } finally {
    now.close();
    before.close();
  }
}

function damagedCopies({ disk, db, prev }: StoreFiles, current: Current): string[] {
  const newest = disk.readFile(db);
  const before = disk.readFile(prev);
  const wrong = (bytes: Buffer | undefined) => (bytes === undefined ? "is missing" : "is damaged");
  return [
    ...(matches(newest, current.now)
      ? []
      : [`${db} ${wrong(newest)}; the previous checkpoint and the journal replace it`]),
    ...(!current.prev || matches(before, current.prev)
      ? []
      : [`the previous checkpoint ${prev} ${wrong(before)}; only ${db} has the data`]),
  ];
}

async function migrateAll(memory: Memory, steps: readonly Migration[]): Promise<void> {
  for (const step of steps) {
    for (const sql of step.statements) memory.exec(sql);
    await step.apply?.(transaction(migrationSession(memory), "write"));
    memory.forget();
  }
}
