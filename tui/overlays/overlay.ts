import type { Scroll } from "../draw/boxes.js";
import type { RowOf } from "../draw/canvas.js";
import type { Context, State, Updated } from "../model/state.js";

/** The room that an overlay may take, in cells, its frame not counted. */
export interface Room {
  readonly width: number;
  readonly height: number;
}

/** A part of what is shown that can be pressed: cells `from` up to `to` of a row, which is not of it any more; without them the whole row. */
export interface Spot {
  readonly y: number;
  readonly from?: number;
  readonly to?: number;
  /** `x`: the cell that was pressed. */
  readonly act: (state: State, x: number) => Updated;
}

/** What an overlay shows: at most `height` rows of at most `width` cells. */
export interface Drawn {
  readonly title: string;
  readonly rows: readonly RowOf[];
  /** Which part of the whole is seen. */
  readonly scroll?: Scroll;
  /** The most useful keys, in the lower edge of its frame. */
  readonly foot?: string;
  /** Cells it wants; at most what it may take. */
  readonly width: number;
  readonly spots?: readonly Spot[];
  /** Where the terminal's cursor stands inside; hidden without it. */
  readonly cursor?: { readonly x: number; readonly y: number };
}

/** How one kind of overlay is drawn, and what typing does in it. Its keys stand in the key table under its context. */
export interface OverlayKind<T> {
  readonly context: Context;
  draw(state: State, overlay: T, room: Room): Drawn;
  /** Text that no key of the table takes. Without it typing does nothing. */
  typed?(state: State, overlay: T, text: string, pasted: boolean): Updated;
  /** The wheel, `by` rows down; absent: its keys up and down, as often. */
  wheel?(state: State, overlay: T, by: number): Updated;
}
