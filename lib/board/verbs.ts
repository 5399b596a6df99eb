import type { BoardApi } from "../contracts/board/api.js";
import { exportBoard } from "./archive/export.js";
import { importBoard } from "./archive/import.js";
import { createBoardRecord, switchTo } from "./boards/boards.js";
import { allListed } from "./boards/listing.js";
import { removeBoard } from "./boards/remove.js";
import { restoreBoard } from "./boards/restore.js";
import { setBoard } from "./boards/settings.js";
import type { Core } from "./core/core.js";
import type { BoardKernel } from "./core/kernel.js";

/** Everything that works on one board and ends: while a board is moved, these wait. */
export const GATED = [
  "create",
  "assign",
  "link",
  "unlink",
  "comment",
  "heartbeat",
  "complete",
  "block",
  "schedule",
  "unblock",
  "promote",
  "reclaim",
  "reopen",
  "archive",
  "unarchive",
  "reportFailure",
  "claimOutside",
  "init",
  "pause",
  "resume",
  "find",
  "list",
  "task",
  "show",
  "runs",
  "context",
  "log",
  "stats",
  "eventsAfter",
  "lastEvent",
  "banner",
  "board",
  "cards",
  "moves",
  "settings",
  "candidates",
  "claim",
  "writeClaimFile",
  "prepareWorkspace",
  "bind",
  "assignDefault",
  "guarded",
  "skillsMissing",
  "openRuns",
  "adopt",
  "extendLease",
  "due",
  "promoteAll",
  "nextDeadline",
  "swarm",
  "edit",
  "write",
  "endRun",
  "reassign",
  "promoteChildren",
  "attach",
  "detach",
  "remove",
  "gc",
] as const satisfies readonly (keyof (BoardApi & BoardKernel))[];

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
