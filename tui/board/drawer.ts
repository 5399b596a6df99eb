import type { CallResult } from "../model/messages.js";
import type { State, Updated } from "../model/state.js";
import { findSelectedCard, withBoard } from "./cursor.js";
import { toDetail } from "./detail.js";

/** Ask for everything about a task; what is there stays until it comes. */
export function lookAt(state: State, id: string): Updated {
  const { drawer, slug } = state.board;
  const same = drawer?.id === id ? drawer : { id, detail: undefined, error: "", top: 0, allRuns: false };
  const params = { board: slug, id };
  return [
    withBoard(state, { drawer: same }),
    [{ do: "call", method: "kanban.show", params, to: `board.show:${id}`, reads: true }],
  ];
}

/** Open the drawer of the card with the cursor; in an open one unfold the runs. */
export function openDrawer(state: State): Updated {
  const { drawer } = state.board;
  if (drawer !== undefined) return [withBoard(state, { drawer: { ...drawer, allRuns: !drawer.allRuns } }), []];
  const card = findSelectedCard(state.board);
  return card === undefined ? [state, []] : lookAt(state, card.id);
}

export const closeDrawer = (state: State): Updated => [withBoard(state, { drawer: undefined }), []];

/** The answer, when the drawer still shows that task. */
export function shownTask(state: State, answer: CallResult, id: string): Updated {
  const { drawer } = state.board;
  if (drawer?.id !== id) return [state, []];
  const next = answer.ok
    ? { ...drawer, detail: toDetail(answer.result), error: "" }
    : { ...drawer, error: answer.message };
  return [withBoard(state, { drawer: next }), []];
}
