import type { BoardScreenApi } from "../../../proto/board-screen.js";
import type { Core } from "../../core.js";
import { moves } from "../../records/moves.js";
import { slimCards } from "./slim.js";

/** What screens ask a board. */
export function screening(core: Core): BoardScreenApi {
  return {
    cards: (board, question) => slimCards(core, board, question),
    moves: (board, id) => moves(core, board, id),
  };
}
