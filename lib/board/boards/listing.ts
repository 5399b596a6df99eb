import { statusCounts } from "../../../storage/tables/board/tasks.js";
import { AppError } from "../../base/errors.js";
import type { BoardSlug } from "../../base/units.js";
import type { BoardRecord, Status } from "../../contracts/board/board.js";
import type { ListedBoard } from "../../contracts/board/boards.js";
import { defaultBoardSettings } from "../core/blank.js";
import type { Core } from "../core/core.js";
import { currentBoard, knownBoards, readBoardSettings } from "../core/known.js";
import { parseSlug } from "../core/slug.js";
import { archivedBoards, listedArchived } from "./archived.js";

export async function listBoard(core: Core, board: BoardSlug): Promise<ListedBoard> {
  const store = await core.reading(board);
  const counted = store === undefined ? [] : await store.read(statusCounts);
  const counts: Partial<Record<Status, number>> = Object.fromEntries(counted.map((row) => [row.status, row.count]));
  const record: BoardRecord = { slug: board, archived: false, ...(await readBoardSettings(core, board)) };
  return {
    ...record,
    store: core.places(board).store,
    is_current: ((await currentBoard(core)) ?? "default") === board,
    counts,
    total: counted.reduce((sum, row) => sum + row.count, 0),
  };
}

/** All boards; with `archived` also those that can be restored, behind the others. */
export async function allListed(core: Core, archived: boolean): Promise<readonly ListedBoard[]> {
  const boards: ListedBoard[] = [];
  for (const slug of await knownBoards(core)) boards.push(await listedOrBroken(core, parseSlug(slug)));
  return archived ? [...boards, ...archivedBoards(core.home.root).map(listedArchived)] : boards;
}

/** A board whose store cannot be opened is listed with the reason; the others are not held up by it. */
export async function listedOrBroken(core: Core, board: BoardSlug): Promise<ListedBoard> {
  try {
    return await listBoard(core, board);
  } catch (error) {
    if (!(error instanceof AppError && error.code === "E_STORE")) throw error;
    const is_current = ((await currentBoard(core)) ?? "default") === board;
    const record: BoardRecord = { slug: board, archived: false, ...defaultBoardSettings(board) };
    return { ...record, store: core.places(board).store, is_current, counts: {}, total: 0, error: error.message };
  }
}

/** What stands above a list of tasks. */
export async function banner(
  core: Core,
  board: BoardSlug,
): Promise<{ others: number; paused: boolean; reason: string | null }> {
  const known = await knownBoards(core);
  const { paused_at, paused_reason } = await readBoardSettings(core, board);
  return { others: known.size - 1, paused: paused_at !== null, reason: paused_reason };
}
