import type { BoardScreenApi } from "../../contracts/board/screen.js";
import type { Core } from "../core/core.js";
import { moves } from "../tasks/moves.js";
import { slimCards } from "./slim.js";

/** What screens ask a board. */
export function screening(core: Core): BoardScreenApi {
  return {
    cards: (board, question) => slimCards(core, board, question),
    moves: (board, id) => moves(core, board, id),
  };
}
