import { composerColumns } from "../layout/layout-columns.js";
import type { State } from "../model/state.js";
import { countRows, rowAfter, rowAt, rowBefore, rowCells, type TextRow, type Wrapped } from "./rows.js";
import type { ComposerState } from "./state.js";

const PROMPT = 2;
const CURSOR = 1;
const SMALL = 14; // rows below which the composer has one
const MAX_ROWS = 10; // workspace part, 4.1

/** The text as it is broken into rows on this screen. */
export const boxOf = (state: State): Wrapped => boxFor(state.composer, composerColumns(state));

export const boxFor = ({ editor, chips }: Pick<ComposerState, "editor" | "chips">, columns: number): Wrapped => ({
  text: editor.text,
  chips,
  width: Math.max(4, columns - PROMPT - CURSOR),
});

/** Rows that the composer takes: as many as its text, ten at most, never more than a third of the screen, and one on a small screen. */
export const composerHeight = (state: State): number => {
  if (state.rows < SMALL) return 1;
  const most = Math.min(MAX_ROWS, Math.max(1, Math.floor(state.rows / 3)));
  return countRows(boxOf(state), most);
};

/** The rows that are seen, and where the cursor stands among them. */
export interface Seen {
  readonly rows: readonly TextRow[];
  readonly cursor: { readonly x: number; readonly y: number };
}

/** What is seen stays where it is as long as the cursor is in it; no row is left empty while there is text above. */
export function seenRows(box: Wrapped, { editor, top }: Pick<ComposerState, "editor" | "top">, height: number): Seen {
  const row = rowAt(box, editor.cursor);
  let first = rowAt(box, Math.min(top, box.text.length));
  if (row.from < first.from) first = row;
  else if (!reaches(box, first, row, height)) first = upFrom(box, row, height - 1);
  const rows = downFrom(box, first, height);
  for (let one = rowBefore(box, first); rows.length < height && one !== undefined; one = rowBefore(box, one))
    rows.unshift(one);
  const y = rows.findIndex((one) => one.from === row.from);
  return { rows, cursor: { x: Math.min(box.width, rowCells(box, row.from, editor.cursor)), y: Math.max(0, y) } };
}

function reaches(box: Wrapped, first: TextRow, row: TextRow, height: number): boolean {
  let one: TextRow | undefined = first;
  for (let n = 0; n < height && one !== undefined; n++, one = rowAfter(box, one))
    if (one.from === row.from) return true;
  return false;
}

function upFrom(box: Wrapped, row: TextRow, by: number): TextRow {
  let first = row;
  for (let n = 0; n < by; n++) first = rowBefore(box, first) ?? first;
  return first;
}

function downFrom(box: Wrapped, first: TextRow, most: number): TextRow[] {
  const rows = [first];
  for (let one = rowAfter(box, first); rows.length < most && one !== undefined; one = rowAfter(box, one))
    rows.push(one);
  return rows;
}

/** The first row that is seen is kept, so that the text does not jump. */
export function keepFirstRow(state: State): State {
  const { composer } = state;
  const [first] = seenRows(boxOf(state), composer, composerHeight(state)).rows;
  const top = first?.from ?? 0;
  return top === composer.top ? state : { ...state, composer: { ...composer, top } };
}
