import { type Editor, EMPTY, replaceAll } from "../composer/editor.js";
import type { PaneLine } from "../model/define-pane.js";
import { type State, showMessage, type Updated } from "../model/state.js";
import { columnsOf, filtered } from "./columns.js";
import { cursorTo, keptCursor, rowIn, withBoard } from "./cursor.js";
import { readAll } from "./read-more.js";
import type { BoardState, TaskCard } from "./state.js";

type Kind = "search" | "filter";

/** The open line of the board. */
export function boardLine(state: State): PaneLine | undefined {
  const { line } = state.board;
  if (line === undefined) return undefined;
  return {
    editor: line.editor,
    changed: (editor) => (line.kind === "search" ? searching(state, editor) : filtering(state, editor)),
    taken: () => [withBoard(state, { line: undefined }), []],
    dropped: () => {
      const closed = withBoard(state, { line: undefined });
      return line.kind === "search"
        ? [withBoard(closed, { search: line.before }), []]
        : [withFilter(closed, line.before), []];
    },
  };
}

/** Open the line; what it looks through must be here, so the rest is asked for. */
export function openBoardLine(state: State, kind: Kind): Updated {
  const before = kind === "search" ? state.board.search : state.board.filter;
  const editor = kind === "filter" ? replaceAll(EMPTY, before) : EMPTY;
  return readAll(withBoard(state, { line: { kind, editor, before } }));
}

function searching(state: State, editor: Editor): Updated {
  const { line } = state.board;
  if (line === undefined) return [state, []];
  const next = withBoard(state, { line: { ...line, editor }, search: editor.text });
  return [editor.text === "" ? next : (found(next, { by: 1, here: true }) ?? next), []];
}

function filtering(state: State, editor: Editor): Updated {
  const { line } = state.board;
  return line === undefined
    ? [state, []]
    : readAll(withFilter(withBoard(state, { line: { ...line, editor } }), editor.text));
}

/** Show only what a filter lets through. */
export function withFilter(state: State, filter: string): State {
  const before = state.board;
  const next: BoardState = { ...before, filter, shown: filtered(before.columns, filter) };
  const at = { ...keptCursor(before, next), listTop: 0 };
  const column = columnsOf(next).includes(at.column) && next.shown[at.column].length > 0 ? at.column : firstWith(next);
  return cursorTo({ ...state, board: { ...next, at } }, column, at.rows[column] ?? 0);
}

const firstWith = (board: BoardState) => columnsOf(board).find((column) => board.shown[column].length > 0) ?? "triage";

/** The next match of the search from the cursor on. */
export function nextHit(state: State, by: 1 | -1): Updated {
  if (state.board.search === "") return [showMessage(state, "no search yet; press / to search"), []];
  const next = found(state, { by, here: false });
  return [next ?? showMessage(state, `no task matches "${state.board.search}"`, true), []];
}

/** The cursor on the next card that has what is searched, round the end; undefined: none has it. */
function found(state: State, { by, here }: { by: 1 | -1; here: boolean }): State | undefined {
  const { board } = state;
  const wanted = board.search.toLowerCase();
  const columns = columnsOf(board);
  const start = Math.max(0, columns.indexOf(board.at.column));
  for (let step = 0; step <= columns.length; step++) {
    const column = columns[(start + by * step + columns.length * 2) % columns.length];
    if (column === undefined) continue;
    const cards = board.shown[column];
    const from = step === 0 ? rowIn(board, column) + (here ? 0 : by) : by > 0 ? 0 : cards.length - 1;
    for (let row = from; row >= 0 && row < cards.length; row += by) {
      const card = cards[row];
      if (card !== undefined && has(card, wanted)) return cursorTo(state, column, row);
    }
  }
  return undefined;
}

const has = ({ id, title, assignee }: TaskCard, wanted: string): boolean =>
  title.toLowerCase().includes(wanted) || id.includes(wanted) || (assignee ?? "").toLowerCase().includes(wanted);
