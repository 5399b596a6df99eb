import { withFilter } from "../board/find.js";
import { readAll } from "../board/read-more.js";
import { filtered } from "../logs/search.js";
import { shownAnew } from "../runs/list-move.js";
import type { State, Updated } from "./state.js";

/** Of a pane only what the words let through; no words let everything through. */
export function narrowed(state: State, pane: "board" | "runs" | "logs", words: string): Updated {
  if (pane === "board") return words === state.board.filter ? [state, []] : readAll(withFilter(state, words));
  if (pane === "runs") return [words === state.runs.filter ? state : shownAnew(state, { filter: words }), []];
  return words === (state.logs.view.filter.text ?? "") ? [state, []] : filtered(state, "logs", words);
}
