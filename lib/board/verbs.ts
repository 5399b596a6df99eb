import type { BoardApi } from "../contracts/board/api.js";
import { exportBoard } from "./archive/export.js";
import { importBoard } from "./archive/import.js";
import { createBoardRecord, switchTo } from "./boards/boards.js";
import { allListed } from "./boards/listing.js";
import { removeBoard } from "./boards/remove.js";
import { restoreBoard } from "./boards/restore.js";
import { setBoard } from "./boards/settings.js";
import type { Core } from "./core/core.js";

/** Verbs that make boards and take them away. They hold the gate themselves. */
export function wholeBoards(core: Core) {
  return {
    boards: (options = {}) => allListed(core, options.archived === true),
    createBoard: (params, by) => createBoardRecord(core, params, by),
    switchBoard: (slug) => switchTo(core, slug),
    setBoard: (board, changes, by) => core.gate.enter(board, () => setBoard(core, board, changes, by)),
    removeBoard: (slug, params, by) => removeBoard(core, slug, params, by),
    exportBoard: (board, params) => exportBoard(core, board, params),
    importBoard: (path, params, by) => importBoard(core, path, params, by),
    restoreBoard: (given, params, by) => restoreBoard(core, given, params, by),
  } satisfies Partial<BoardApi>;
}
