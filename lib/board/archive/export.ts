import { join } from "node:path";
import { newestSchema } from "../../../storage/migrate.js";
import { boardMigrations } from "../../../storage/schema/board.js";
import type { Row, Store } from "../../../storage/store.js";
import { ARCHIVE_TABLES, type ArchiveTable, archivePage } from "../../../storage/tables/board/archive.js";
import { getSettings } from "../../../storage/tables/board/settings.js";
import { failedAt } from "../../base/errors.js";
import { listNames } from "../../base/fs/directory.js";
import { statPath } from "../../base/fs/files.js";
import { writeGzip } from "../../base/fs/gzip-file.js";
import { notWritten } from "../../base/fs/named-file.js";
import { keepFile, readFileChunks, spool } from "../../base/fs/spool.js";
import { readTextSync } from "../../base/fs/text-file.js";
import { type BoardSlug, toIso, toUnix, type UnixSeconds } from "../../base/units.js";
import { ARCHIVE_FORMAT, type ArchiveManifest } from "../../contracts/board/archive.js";
import type { Exported } from "../../contracts/board/boards.js";
import { tarWriter } from "../../safety/archive/tar-write.js";
import { requireBoardMover } from "../boards/remove.js";
import { defaultBoardSettings } from "../core/blank.js";
import type { Core } from "../core/core.js";
import { noBoard } from "../core/guarded-store.js";
import { isKnownBoard } from "../core/known.js";
import { clean, withoutIdentity } from "./clean.js";
import { withStagingDirectory } from "./staging.js";

const PAGE = 500;

/** What is put into the archive: a name and a file that does not change any more. */
interface Part {
  readonly name: string;
  readonly path: string;
  readonly size: number;
}

interface Work {
  readonly core: Core;
  readonly board: BoardSlug;
  readonly dir: string;
  readonly parts: Part[];
  readonly warnings: string[];
}

/** Write a board into one file. The state is that of one moment; the board is held up only while its store is copied. */
export async function exportBoard(
  core: Core,
  board: BoardSlug,
  params: { path: string; logs?: boolean },
): Promise<Exported> {
  if (!(await isKnownBoard(core, board))) throw noBoard(board);
  const at = core.clock.now();
  const path = await target(
    params.path,
    `${board}-${toIso(at).slice(0, 19).replace(/[-:]/g, "").replace("T", "-")}.tar.gz`,
  );
  return withStagingDirectory(core, "exporting", async (dir) => {
    const work: Work = { core, board, dir, parts: [], warnings: [] };
    const manifest = {
      format: ARCHIVE_FORMAT,
      slug: board,
      exported_at: toUnix(at),
      schema: newestSchema(boardMigrations),
    };
    const counts = await collect(work, manifest, params.logs === true);
    return { slug: board, path, bytes: await pack(path, work.parts, toUnix(at)), ...counts, warnings: work.warnings };
  });
}

async function target(path: string, name: string): Promise<string> {
  return (await statPath(path))?.kind === "directory" ? join(path, name) : path;
}

async function pack(path: string, parts: readonly Part[], at: UnixSeconds): Promise<number> {
  try {
    return await writeGzip(path, async (write) => {
      const tar = tarWriter(write, at);
      for (const part of parts) await tar.add(part.name, part.size, readFileChunks(part.path, part.size));
      await tar.end();
    });
  } catch (error) {
    throw notWritten(path, failedAt(path, error), "-o FILE uses another path");
  }
}

async function collect(
  work: Work,
  manifest: ArchiveManifest,
  logs: boolean,
): Promise<{ tasks: number; attachments: number }> {
  await addJson(work, "manifest.json", manifest);
  const store = await copyOf(work);
  try {
    const settings = (await store.read(getSettings)) ?? defaultBoardSettings(work.board);
    const { paused_at: _at, paused_by: _by, paused_reason: _reason, ...kept } = settings;
    await addJson(work, "board.json", kept);
    const counts = new Map<string, number>();
    for (const table of ARCHIVE_TABLES) counts.set(table.name, await addRows(work, store, table));
    if (logs) await addLogs(work);
    return { tasks: counts.get("tasks") ?? 0, attachments: counts.get("attachments") ?? 0 };
  } finally {
    await store.close();
  }
}

/** The store as it is now, and a second name for every attachment, so that nothing that goes away meanwhile is missing. */
async function copyOf({ core, board, dir }: Work): Promise<Store> {
  const path = join(dir, "copy.db");
  const store = await core.reading(board);
  await store?.copyTo(path);
  return requireBoardMover(core).openAt(path);
}

async function addJson(work: Work, name: string, value: unknown): Promise<void> {
  await addText(work, name, `${JSON.stringify(value, null, 2)}\n`);
}

async function addText(work: Work, name: string, text: string): Promise<void> {
  const file = await spool(join(work.dir, `part-${work.parts.length}`));
  try {
    await file.write(Buffer.from(text));
  } finally {
    await file.end();
  }
  work.parts.push({ name, path: file.path, size: file.size });
}

/** All rows of a kind as lines; attachments bring their files. @returns how many */
async function addRows(work: Work, store: Store, table: ArchiveTable): Promise<number> {
  const file = await spool(join(work.dir, `part-${table.name}`));
  const files: Part[] = [];
  let count = 0;
  try {
    for (let last: Row | undefined; ; ) {
      const from = last;
      const rows = await store.read((q) => archivePage(q, table, from, PAGE));
      const kept = table.name === "attachments" ? await withFiles(work, rows, files) : rows;
      for (const row of kept) await file.write(lineOf(table, row, work.core.redact));
      count += kept.length;
      last = rows.at(-1);
      if (rows.length < PAGE) break;
    }
  } finally {
    await file.end();
  }
  work.parts.push({ name: `${table.name}.jsonl`, path: file.path, size: file.size }, ...files);
  return count;
}

function lineOf(table: ArchiveTable, row: Row, redact: (text: string) => string): Buffer {
  const told = table.name === "events" ? withoutIdentity(row) : row;
  return Buffer.from(`${JSON.stringify(clean(told, redact))}\n`);
}

/** Rows whose file exists; the others are reported. */
async function withFiles(work: Work, rows: readonly Row[], files: Part[]): Promise<readonly Row[]> {
  const kept: Row[] = [];
  for (const row of rows) {
    const id = String(row["id"]);
    const filename = String(row["filename"]);
    const stored = String(row["stored_path"]);
    const path = join(work.dir, `file-${id}`);
    const there = await keepFile(join(work.core.places(work.board).attachments, stored), path);
    const size = there ? ((await statPath(path))?.size ?? -1) : -1;
    if (size !== Number(row["size"])) {
      work.warnings.push(
        `attachment ${id} (${filename}) of ${String(row["task_id"])} skipped: its file ${there ? "has changed" : "is missing"}`,
      );
      continue;
    }
    files.push({ name: `attachments/${id}/${filename}`, path, size });
    const { stored_path: _stored, ...told } = row;
    kept.push(told);
  }
  return kept;
}

/** Logs of workers, without known secrets. */
async function addLogs(work: Work): Promise<void> {
  const { logs } = work.core.places(work.board);
  for (const name of listNames(logs)) {
    const text = /^t_[0-9a-f]{8}\.log(\.\d{1,3})?$/.test(name) ? readTextSync(join(logs, name)) : undefined;
    if (text !== undefined) await addText(work, `logs/${name}`, work.core.redact(text));
  }
}
