import type { Editor } from "../composer/editor.js";
import type { Scroll } from "../draw/boxes.js";
import type { RowOf } from "../draw/canvas.js";
import type { Effect } from "./messages.js";
import type { State, Updated } from "./state.js";

/** Steps that every list knows (workspace part, 3.2). `half`: half a page. */
export type Step = "up" | "down" | "pageUp" | "pageDown" | "halfUp" | "halfDown" | "first" | "last";

/** What the tab of a pane tells while another one is shown. */
export interface Tab {
  readonly count?: number;
  readonly live?: boolean;
  /** An error or an open question that nobody has seen. */
  readonly unread?: boolean;
}

/** Where the mouse was pressed, and the size of the inside. */
export interface Press {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly times: number;
}

/** A line at the foot of a pane that takes what is typed: a search, a filter. The pane draws it. */
export interface PaneLine {
  readonly editor: Editor;
  /** It was typed in. */
  readonly changed: (editor: Editor) => Updated;
  /** Enter: it stays as it is. */
  readonly taken: () => Updated;
  /** Escape: as if it had never been opened. */
  readonly dropped: () => Updated;
}

/** How a pane is drawn and moved in. */
export interface PaneKind {
  /** What stands behind number and name in its head. */
  subject(state: State): string;
  tab(state: State): Tab;
  /** Exactly what is seen of it: at most `height` rows. */
  rows(state: State, width: number, height: number): readonly RowOf[];
  move(state: State, step: Step): State;
  /** A press of the mouse at a cell of its inside, which has the focus by now; absent: nothing more happens. `times`: 2 with a double click. */
  click?(state: State, at: Press): Updated;
  /** The wheel over a cell of its inside, `by` rows down, which moves the cursor only to keep it in sight; absent: as many steps. */
  wheel?(state: State, by: number, at: Press): State;
  /** What a step asks of the owner: rows that are not loaded yet. */
  wants?(before: State, after: State): readonly Effect[];
  /** A line that takes what is typed while it is open. */
  line?(state: State): PaneLine | undefined;
  /** Milliseconds until time alone changes what it shows; absent or undefined: it never does. */
  changesIn?(state: State): number | undefined;
  /** Which part of it is seen at this size, for the scrollbar; absent or undefined: none is drawn. */
  scroll?(state: State, width: number, height: number): Scroll | undefined;
}
