import type { State, Updated } from "../model/state.js";
import { cursorTo, toWanted, withBoard } from "./cursor.js";
import type { Dialog } from "./dialogs/dialog.js";
import { lookAt } from "./drawer.js";
import { wantEffect, withCards } from "./feed-reducer.js";
import { pageOf } from "./feeding/answer.js";
import { NO_BOARD } from "./state.js";

/**
 * Show a task on its board, with the focus there and the cursor on it; one that is not among the cards that are here is read first.
 *
 * @param open with its drawer
 */
export function showTask(state: State, slug: string, id: string, open = false): Updated {
  const [there, first] = onBoard({ ...state, focus: "board", pane: "board" }, slug);
  const card = there.board.cards.get(id);
  const row = card === undefined ? -1 : there.board.shown[card.status].findIndex((one) => one.id === id);
  const placed =
    card === undefined || row < 0
      ? withBoard(there, { wanted: id, filter: "", shown: there.board.columns })
      : cursorTo(there, card.status, row);
  const read = card === undefined ? [wantEffect(slug, id)] : [];
  const [next, more] = open ? lookAt(toWanted(placed), id) : ([toWanted(placed), []] as const);
  return [next, [...first, ...read, ...more]];
}

/** Another board in place of the one that is shown. */
function onBoard(state: State, slug: string): Updated {
  const { view, profiles } = state.board;
  if (slug === state.board.slug) return [state, []];
  return [{ ...state, board: { ...NO_BOARD, slug, view, profiles } }, [{ do: "board.show", slug }]];
}

/** The card that was not here. */
export const WANT: Dialog = {
  called: (state, answer) => {
    if (!answer.ok || state.board.phase !== "ready") return [state, []];
    const { told, cards } = pageOf(answer.result);
    return told.slug === state.board.slug
      ? [toWanted({ ...state, board: withCards(state.board, cards) }), []]
      : [state, []];
  },
};
