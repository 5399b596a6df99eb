import { dirname, join } from "node:path";
import { newestSchema } from "../../../storage/migrate.js";
import { boardMigrations } from "../../../storage/schema/board.js";
import type { Store } from "../../../storage/store.js";
import { earlyTasks, nameOpenRuns } from "../../../storage/tables/board/archive.js";
import { openRuns } from "../../../storage/tables/board/runs.js";
import { putSettings } from "../../../storage/tables/board/settings.js";
import { AppError } from "../../base/errors.js";
import { makeDir, moveDir, moveFile, pathExists, removeFileSync, syncDir } from "../../base/fs/directory.js";
import { type BoardSlug, toUnix } from "../../base/units.js";
import {
  ARCHIVE_FORMAT,
  type ArchiveManifest,
  archivedSettings,
  archiveManifest,
} from "../../contracts/board/archive.js";
import type { Actor } from "../../contracts/board/board.js";
import type { Imported } from "../../contracts/board/boards.js";
import { badArchive } from "../../safety/archive/tar-name.js";
import { listBoard } from "../boards/listing.js";
import { requireBoardMover } from "../boards/remove.js";
import { mustBeFree } from "../boards/restore.js";
import { type Core, type Stamp, toStamp } from "../core/core.js";
import { KANBAN } from "../core/keys.js";
import { boardDir } from "../core/places.js";
import { parseSlug } from "../core/slug.js";
import { promoteBoard } from "../tasks/promotion.js";
import { settleRun } from "../tasks/settle.js";
import { insertAll, type StoredFileMove } from "./import-rows.js";
import { logMembers, type Member, objectOf, unpack } from "./read-archive.js";
import { withStagingDirectory } from "./staging.js";

interface Work {
  readonly core: Core;
  readonly slug: BoardSlug;
  readonly members: ReadonlyMap<string, Member>;
  /** Becomes the directory of the board, in one step at the end. */
  readonly dir: string;
  readonly stamp: Stamp;
}

/** Make a new board from an archive. It is built out of sight and becomes a board by one rename; before that nothing of it exists. */
export async function importBoard(
  core: Core,
  path: string,
  params: { as?: string | undefined },
  by: Actor,
): Promise<Imported> {
  const wanted = params.as === undefined ? undefined : parseSlug(params.as);
  return withStagingDirectory(core, "importing", async (dir) => {
    const inbox = join(dir, "in");
    const board = join(dir, "board");
    makeDir(inbox);
    makeDir(board);
    const { attachmentMax, attachmentsBoardMax } = KANBAN;
    const bounds = { attachment: core.config.get(attachmentMax), attachments: core.config.get(attachmentsBoardMax) };
    const members = await unpack(path, inbox, bounds);
    const manifest = await mustKnow(members);
    const slug = wanted ?? slugOf(manifest);
    return core.lanes.take(`board ${slug}`, async () => {
      await mustBeFree(core, slug, "--as <slug> imports it under another slug");
      const work: Work = { core, slug, members, dir: board, stamp: toStamp(core, by) };
      return bringIn(work);
    });
  });
}

/** @throws E_INVALID a newer program wrote it */
async function mustKnow(members: ReadonlyMap<string, Member>): Promise<ArchiveManifest> {
  const manifest = await objectOf(members, "manifest.json", archiveManifest);
  if (manifest.format > ARCHIVE_FORMAT)
    throw badArchive(`format ${manifest.format} is newer than this version supports (${ARCHIVE_FORMAT})`);
  const known = newestSchema(boardMigrations);
  if (manifest.schema > known)
    throw badArchive(`schema ${manifest.schema} is newer than this version supports (${known})`);
  return manifest;
}

function slugOf({ slug }: ArchiveManifest): BoardSlug {
  try {
    return parseSlug(slug);
  } catch (error) {
    if (error instanceof AppError) throw badArchive("invalid board slug:", slug);
    throw error;
  }
}

async function bringIn(work: Work): Promise<Imported> {
  const { core, slug, dir } = work;
  const store = await requireBoardMover(core).openAt(join(dir, "kanban.db"));
  let tasks: number;
  let files: readonly StoredFileMove[];
  try {
    ({ tasks, files } = await insertAll(store, work.members));
    await settleRuns(work, store);
    await found(work, store, tasks);
  } finally {
    await store.close();
  }
  for (const [name, member] of logMembers(work.members)) moveFile(member.path, join(dir, "logs", name));
  await core.gate.alone(slug, async () => takePlace(work, files));
  return { board: await listBoard(core, slug), tasks, attachments: files.length, warnings: [] };
}

/** The runs of workers that are somewhere else, or nowhere: they end here uncounted, and their tasks wait for a new one. */
async function settleRuns({ core, slug, stamp }: Work, store: Store): Promise<void> {
  await store.write("board.import", (tx) => nameOpenRuns(tx));
  const early = await store.read(earlyTasks);
  if (early.length > 0) throw badArchive("a ready task with unfinished parents:", early[0]);
  const alone: Core = { ...core, store: async () => store };
  for (const run of await store.read(openRuns))
    await settleRun(alone, { board: slug, task: run.task_id, run: run.id, observed: { how: "host_restart" } });
  await store.write("board.import", (tx) => promoteBoard(tx, stamp));
}

/** Settings, and the pause in which an imported board begins. */
async function found({ members, stamp, slug }: Work, store: Store, tasks: number): Promise<void> {
  const settings = await objectOf(members, "board.json", archivedSettings);
  const at = toUnix(stamp.at);
  const pause = { paused_at: at, paused_by: stamp.name, paused_reason: "imported" };
  await store.write("board.import", async (tx) => {
    await putSettings(tx, { ...settings, created_at: settings.created_at ?? at, ...pause });
    tx.emit({
      kind: "board_created",
      at: stamp.at,
      actor: stamp.actor,
      payload: { ...settings, slug, imported: true, tasks },
    });
    tx.emit({ kind: "board_paused", at: stamp.at, actor: stamp.actor, payload: pause });
  });
}

/** Attachments go where the board looks for them: into the board, or where the environment says. The rename comes last. */
function takePlace({ core, slug, dir }: Work, files: readonly StoredFileMove[]): void {
  const target = boardDir(core.home.root, slug);
  const root = core.places(slug).attachments;
  const inside = root === join(target, "attachments");
  const base = inside ? join(dir, "attachments") : root;
  const taken = inside ? undefined : files.find((file) => pathExists(join(base, file.to)));
  if (taken !== undefined)
    throw new AppError("E_CONFLICT", `${join(base, taken.to)} already exists`, {
      hint: "it belongs to another board; move it away",
    });
  const moved: string[] = [];
  try {
    for (const { from, to } of files) {
      moveFile(from, join(base, to));
      moved.push(join(base, to));
    }
    for (const parent of new Set(moved.map((path) => dirname(path)))) syncDir(parent);
    syncDir(dir);
    moveDir(dir, target);
  } catch (error) {
    if (!inside) for (const path of moved) removeFileSync(path);
    throw error;
  }
}
