import type { CallResult } from "../model/messages.js";
import { type State, showMessage, type Updated } from "../model/state.js";
import { placeOf, replaced } from "./columns.js";
import { cursorTo } from "./cursor.js";
import { ask, refusalOf } from "./dialogs/dialog.js";
import { withColumns } from "./feed-reducer.js";
import { type BoardState, type Column, isColumn, type TaskCard } from "./state.js";
import { isData } from "./wire.js";

/** Send a card elsewhere: it is shown there at once, and taken back when the owner refuses. */
export function sendCard(
  state: State,
  card: TaskCard,
  to: Column,
  more: Readonly<Record<string, unknown>> = {},
): Updated {
  const params = { id: card.id, status: to, expected_status: card.status, ...more };
  const [asked, effects] = ask(state, { method: "board.write", params, to: `board.moved:${card.id}` });
  if (effects.length === 0) return [asked, []];
  const moving = new Map(state.board.moving).set(card.id, state.board.moving.get(card.id) ?? card);
  const marked = new Set([...state.board.marked].filter((id) => id !== card.id));
  const closedState: State = { ...asked, overlay: undefined };
  return [
    shownAs({ ...closedState, board: { ...asked.board, moving, marked } }, card, movedTo(card, to, state.wall)),
    effects,
  ];
}

function movedTo(card: TaskCard, to: Column, wall: number): TaskCard {
  const now = Math.floor(wall / 1000);
  return { ...card, status: to, since: now, beat: null, endedAt: to === "done" || to === "archived" ? now : 0 };
}

/** One card in place of another, with the cursor on it. */
function shownAs(state: State, before: TaskCard, after: TaskCard): State {
  const cards = new Map(state.board.cards).set(after.id, after);
  const board: BoardState = withColumns({ ...state.board, cards }, replaced(state.board.columns, [{ before, after }]));
  const next = { ...state, board };
  const column = board.shown[after.status];
  const row = placeOf(column, after);
  return column[row]?.id === after.id ? cursorTo(next, after.status, row) : next;
}

/** The owner has answered: what it did is shown, or the card goes back to where it is. */
export function moved(state: State, answer: CallResult, id: string): Updated {
  const truth = state.board.moving.get(id);
  const shown = state.board.cards.get(id);
  const moving = new Map(state.board.moving);
  moving.delete(id);
  const settled = { ...state, board: { ...state.board, moving } };
  if (truth === undefined || shown === undefined) return [settled, []];
  const why = refusalOf(answer);
  if (why !== undefined) return [showMessage(shownAs(settled, shown, truth), `${id} not moved: ${why}`, true), []];
  const task = answer.ok && isData(answer.result) && isData(answer.result["task"]) ? answer.result["task"] : {};
  const status = String(task["status"] ?? "");
  const version = Number(task["version"] ?? 0);
  if (truth.version >= version && version > 0)
    return [showMessage(shownAs(settled, shown, truth), `${id}: ${truth.status}`), []]; // it was shown already
  const now = {
    ...(isColumn(status) && status !== shown.status ? movedTo(shown, status, state.wall) : shown),
    version,
  };
  const counts = { ...state.board.counts, [truth.status]: Math.max(0, state.board.counts[truth.status] - 1) };
  const counted = {
    ...settled,
    board: { ...settled.board, counts: { ...counts, [now.status]: counts[now.status] + 1 } },
  };
  return [showMessage(shownAs(counted, shown, now), `${id}: ${now.status}`), []];
}
