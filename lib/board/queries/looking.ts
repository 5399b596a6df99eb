import { smallFile } from "../../base/fs/small-file.js";
import type { BoardApi } from "../../contracts/board/api.js";
import type { BoardLookup } from "../core/core.js";
import type { BoardDeps } from "../core/deps.js";
import { currentPath } from "../core/places.js";
import { resolveBoard } from "../core/resolve-board.js";
import { list, listText } from "./list.js";

/** Verbs that need next to nothing of the board. */
export type LookingApi = Pick<BoardApi, "resolve" | "list" | "listText">;

/**
 * What a list needs, for a process that only looks and ends: loading the whole board takes longer than reading its tasks. Nothing in such a process
 * moves a board, so nothing waits for a gate.
 */
export function createLooking(
  deps: Pick<BoardDeps, "stores" | "clock" | "config" | "home" | "defaultBoardOf">,
): LookingApi {
  const core: BoardLookup = {
    ...deps,
    current: smallFile(currentPath(deps.home.root)),
    reading: (board) => deps.stores(board, "existing"),
  };
  return {
    resolve: (request) => resolveBoard(core, request),
    list: (board, filter) => list(core, board, filter),
    listText: (board, filter) => listText(core, board, filter),
  };
}
