import * as z from "zod";
import { AppError } from "../../../base/errors.js";
import type { BoardSlug, RunId, TaskId } from "../../../base/units.js";
import type { Actor } from "../../../contracts/board/board.js";
import type { KanbanParts } from "../../core/parts.js";

/** Who changes boards by this plugin, unless the request names another author. */
export const DASHBOARD: Actor = { kind: "human", name: "dashboard" };

/** The query of every endpoint that is about one board. */
export const boardQuery = z.object({
  board: z.string().optional().describe("Slug of a board (default: the current one)."),
});

/**
 * The board that a request means (board part, 11.2). Looking falls through a pin that names no board, changing does not.
 *
 * @throws E_BAD_BOARD, E_BOARD_NOT_FOUND
 */
async function boardOf(
  { board, env }: KanbanParts,
  given: { readonly board?: string | undefined },
  writes: boolean,
): Promise<BoardSlug> {
  return (await board.resolve({ flag: given.board, env, writes })).board;
}

/** The board that a request looks at. @throws E_BAD_BOARD, E_BOARD_NOT_FOUND */
export const boardToRead = (parts: KanbanParts, query: { readonly board?: string | undefined }): Promise<BoardSlug> =>
  boardOf(parts, query, false);

/** The board that a request changes. @throws E_BAD_BOARD, E_BOARD_NOT_FOUND */
export const boardToChange = (parts: KanbanParts, query: { readonly board?: string | undefined }): Promise<BoardSlug> =>
  boardOf(parts, query, true);

/** A full task id in a path or a body: prefixes are for people (board part, 2.2). @throws E_NOT_FOUND */
export function fullTaskId(given: string): TaskId {
  if (!/^t_[0-9a-f]{8}$/.test(given))
    throw new AppError("E_NOT_FOUND", `no such task: ${JSON.stringify(given.slice(0, 40))}`);
  return given as TaskId; // the pattern is what the brand stands for
}

/** Number of a run, an attachment or another row in a path. @throws E_NOT_FOUND */
export function rowId(given: string, what: string): number {
  const id = /^[1-9]\d{0,15}$/.test(given) ? Number(given) : Number.NaN;
  if (Number.isSafeInteger(id)) return id;
  throw new AppError("E_NOT_FOUND", `no such ${what}: ${JSON.stringify(given.slice(0, 40))}`);
}

/** Number of a run in a path. @throws E_NOT_FOUND */
export const fullRunId = (given: string): RunId => rowId(given, "run") as RunId; // the look-up that follows proves it
