import type { Row, Store } from "../../../storage/store.js";
import { ARCHIVE_TABLES, type ArchiveTable, insertArchived } from "../../../storage/tables/board/archive.js";
import { AppError } from "../../base/errors.js";
import { archiveRows } from "../../contracts/board/archive.js";
import { badArchive } from "../../safety/archive/tar-name.js";
import { cleanName } from "../tasks/attachment-files.js";
import { Seen } from "./graph.js";
import { attachmentMembers, type Member, rowsOf } from "./read-archive.js";

/** Rows that go into the store together: no transaction may grow without bound. */
const BATCH = 500;

/** A stored file and where it belongs below the attachments of the board. */
export interface StoredFileMove {
  readonly from: string;
  readonly to: string;
}

/**
 * Put all rows of an archive into the store of a board that is not visible yet.
 *
 * @throws E_INVALID a row is malformed or names what is not there; the caller throws the store away
 */
export async function insertAll(
  store: Store,
  members: ReadonlyMap<string, Member>,
): Promise<{ tasks: number; files: readonly StoredFileMove[] }> {
  const seen = new Seen();
  const files = createFiles(members);
  for (const table of ARCHIVE_TABLES)
    await insertTable(store, table, members, (row) => checked(table, row, seen, files));
  seen.whole();
  files.whole();
  return { tasks: seen.tasks.size, files: files.wanted };
}

async function insertTable(
  store: Store,
  table: ArchiveTable,
  members: ReadonlyMap<string, Member>,
  check: (row: Row) => Row,
): Promise<void> {
  let batch: Row[] = [];
  for await (const row of rowsOf(members, `${table.name}.jsonl`, archiveRows[table.name])) {
    batch.push(check(row as Row)); // the schemas of rows allow texts, numbers and null
    if (batch.length < BATCH) continue;
    await insertBatch(store, table, batch);
    batch = [];
  }
  await insertBatch(store, table, batch);
}

async function insertBatch(store: Store, table: ArchiveTable, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return;
  try {
    await store.write("board.import", async (tx) => {
      for (const row of rows) await insertArchived(tx, table, row);
    });
  } catch (error) {
    if (error instanceof AppError && error.code === "E_CONFLICT")
      throw badArchive(`conflicting rows in ${table.name}.jsonl`);
    throw error;
  }
}

/** What one row says against the others. @returns the row as it is stored */
function checked(table: ArchiveTable, row: Row, seen: Seen, files: Files): Row {
  const task = String(row["task_id"]);
  switch (table.name) {
    case "tasks":
      seen.task({ id: String(row["id"]), status: String(row["status"]) });
      return row;
    case "links":
      seen.link(String(row["parent_id"]), String(row["child_id"]));
      return row;
    case "comments":
      seen.mustKnow(task, "a comment");
      return row;
    case "runs":
      seen.run(task, row["ended_at"] === null);
      return row;
    case "attachments":
      seen.mustKnow(task, "an attachment");
      return files.take(row);
    case "events":
      return row;
  }
}

interface Files {
  take(row: Row): Row;
  /** @throws E_INVALID a file that no row names */
  whole(): void;
  readonly wanted: readonly StoredFileMove[];
}

/** Each row has its file, each file its row, and both say the same. */
function createFiles(members: ReadonlyMap<string, Member>): Files {
  const left = attachmentMembers(members);
  const wanted: StoredFileMove[] = [];
  const places = new Set<string>();
  return {
    wanted,
    take: (row) => {
      const id = Number(row["id"]);
      const filename = String(row["filename"]);
      const found = left.get(id);
      if (found === undefined) throw badArchive("an attachment without its file:", filename);
      if (found.filename !== filename || cleanName(filename) !== filename)
        throw badArchive("an attachment with an unexpected file name:", found.name);
      const { size, sha256, path } = found.member;
      if (size !== row["size"] || sha256 !== row["sha256"])
        throw badArchive("an attachment that does not match its row:", found.name);
      left.delete(id);
      const stored = `${String(row["task_id"])}/${filename}`;
      const taken = stored.normalize("NFC").toLowerCase();
      if (places.has(taken)) throw badArchive("two attachments with the same name:", found.name);
      places.add(taken);
      wanted.push({ from: path, to: stored });
      return { ...row, stored_path: stored };
    },
    whole: () => {
      for (const { name } of left.values()) throw badArchive("a file without a row:", name);
    },
  };
}
