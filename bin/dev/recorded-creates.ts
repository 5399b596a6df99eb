import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { realDisk } from "../../lib/base/fs/disk.js";
import { listSegments, type StoreFiles, storeFiles } from "../../storage/sqljs/files.js";
import { scan } from "../../storage/sqljs/frame.js";
import { loadLibrary } from "../../storage/sqljs/library.js";
import { Memory } from "../../storage/sqljs/memory.js";
import { parseFrame, type Replay } from "../../storage/sqljs/payload.js";
import { readHead } from "../../storage/sqljs/segment.js";
import type { Value } from "../../storage/store.js";

/** Creates as another SQLite can run them: the schema of a board, and what each create has run in it. */
interface Recorded {
  readonly schema: readonly string[];
  /** One transaction each: statements with the values that were bound to them. */
  readonly creates: readonly (readonly (readonly [sql: string, args: readonly Value[]])[])[];
}

/** What was written, in words. */
export interface RecordedFacts {
  readonly statements: number;
  readonly tables: number;
  readonly indexes: number;
}

/**
 * Write to `path` the schema of the default board of a home whose owner has ended, and the newest `count` creates of its journal. Nothing
 * of it is made up here: both are read from the files that the owner has left.
 */
export async function recordCreates(home: string, count: number, path: string): Promise<RecordedFacts> {
  const files = storeFiles(realDisk, join(home, "kanban.db"));
  const replays = listSegments(files).flatMap((number) => transactionsOf(files, number));
  const creates = replays
    .filter(({ label }) => label === "board.create")
    .map(({ changes }) => changes.map(({ sql, args }) => [sql, args] as const))
    .slice(-count);
  if (creates.length < count) throw new Error(`the journal holds ${creates.length} creates, not ${count}`);
  const schema = await schemaOf(files);
  const recorded: Recorded = { schema, creates };
  await writeFile(path, JSON.stringify(recorded));
  const made = (what: RegExp) => schema.filter((sql) => what.test(sql)).length;
  return {
    statements: creates[0]?.length ?? 0,
    tables: made(/^CREATE TABLE/),
    indexes: made(/^CREATE (UNIQUE )?INDEX/),
  };
}

function transactionsOf(files: StoreFiles, number: number): Replay[] {
  const bytes = files.disk.readFile(files.segment(number));
  const found = bytes && readHead(bytes);
  if (!bytes || found?.kind !== "ok") throw new Error(`segment ${number} of ${files.db} cannot be read`);
  const statements = new Map<number, string>();
  const all: Replay[] = [];
  const { first, salt } = found.head;
  scan(bytes, { from: found.end, first, salt }, ({ payload }) => all.push(...parseFrame(payload, statements)));
  return all;
}

/** Tables, indexes and triggers in the order in which they were made; those that SQLite makes of itself have no text. */
async function schemaOf(files: StoreFiles): Promise<readonly string[]> {
  const memory = new Memory((await loadLibrary()).sql, await readFile(files.db));
  try {
    const made =
      "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY rowid";
    const rows = memory.all(made, []);
    return rows.map((row) => String(row["sql"]));
  } finally {
    memory.close();
  }
}
