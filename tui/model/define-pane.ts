import type { Field } from "../bars/field.js";
import type { Editor } from "../composer/editor.js";
import type { Scroll } from "../draw/boxes.js";
import type { RowOf } from "../draw/canvas.js";
import type { EffectContext, EffectRunner } from "../effects/effect.js";
import type { Input } from "../terminal/decode.js";
import type { Effect } from "./messages.js";
import type { Binding, Reducer, Start, State, Updated } from "./state.js";

/** Steps that every list knows (workspace part, 3.2). `half`: half a page. */
export type Step = "up" | "down" | "pageUp" | "pageDown" | "halfUp" | "halfDown" | "first" | "last";

/** What the tab of a pane shows beside its title. */
export interface Tab {
  readonly count?: number;
  readonly live?: boolean;
  /** An error or an open question that has not been seen. */
  readonly unread?: boolean;
}

/** Cell of the inside where the mouse was pressed, and the size of the inside. `times`: 2 with a double click. */
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
  /** Enter: apply what was typed. */
  readonly taken: () => Updated;
  /** Escape: restore what was there before the line was opened. */
  readonly dropped: () => Updated;
}

/** What the layout and the tabs know of a pane; `make index` copies it to `panes.gen.ts`, so it holds plain values only. */
export interface PaneTraits {
  /** Name of its folder and of its slice of the state; `pane.<id>` is the action that shows it. */
  readonly id: string;
  /** Its name in frames, tabs and the key help. */
  readonly title: string;
  /** The title where tabs have little room: at most 4 letters. */
  readonly short: string;
  /** Place among the tabs, from 1. */
  readonly place: number;
  /** Keys that show it from anywhere. */
  readonly keys: readonly string[];
  /** Default share of the height at the right of a wide screen, in percent. Panes without a share divide the rest evenly. */
  readonly share?: number;
  /** Its text has a margin at both sides, like a page. */
  readonly margin?: boolean;
}

/** How a pane is drawn and moved in. */
interface PaneView {
  /** What follows number and title in its head; "": nothing. */
  readonly subject: (state: State) => string;
  readonly tab: (state: State) => Tab;
  /** Exactly what is seen of it: at most `height` rows. */
  readonly rows: (state: State, width: number, height: number) => readonly RowOf[];
  /** Which part of it is seen at this size, for the scrollbar; absent or undefined: none is drawn. */
  readonly scroll?: (state: State, width: number, height: number) => Scroll | undefined;
  /** Milliseconds until time alone changes what it shows; absent or undefined: it never does. */
  readonly changesIn?: (state: State) => number | undefined;
  readonly move: (state: State, step: Step) => State;
  /** What a step asks of the owner: rows that are not loaded yet. */
  readonly wants?: (before: State, after: State) => readonly Effect[];
  /** A press of the mouse inside. The pane has the focus by then. */
  readonly click?: (state: State, at: Press) => Updated;
  /** The wheel over a cell of its inside, `by` rows down; absent: as many steps. */
  readonly wheel?: (state: State, by: number, at: Press) => State;
}

/** What a pane does with keys before, and instead of, its key table. */
interface PaneInput {
  /** Keys that act while it has the focus, under its id as context. */
  readonly bindings: readonly Binding[];
  /** The line that takes what is typed while it is open. */
  readonly line?: (state: State) => PaneLine | undefined;
  /** Input that no key table sees; undefined: not for this pane. Asked whatever has the focus. */
  readonly input?: (state: State, given: Input) => Updated | undefined;
  /** What Ctrl+C closes in the focused pane before it interrupts the turn; undefined: nothing is open. */
  readonly cancel?: (state: State) => Updated | undefined;
}

/** What a pane shows outside of its box. */
interface PaneOutside {
  /** Its fields of the status line. */
  readonly status?: (state: State) => readonly Field[];
  /** Title at the right of the tabs, in place of the conversation's. */
  readonly heading?: (state: State) => string | undefined;
  /** Show only what `words` match; "": everything. Panes that have it are views of line mode, too: `/runs deploy`. */
  readonly filter?: (state: State, words: string) => Updated;
  /** Rows that match the filter are still being loaded. */
  readonly isLoading?: (state: State) => boolean;
}

/** A pane in one piece. `Slice` is its part of the state, kept under its id. */
export interface PaneDefinition<Slice = unknown> extends PaneTraits, PaneView, PaneInput, PaneOutside {
  readonly initial: (start: Start) => Slice;
  readonly reducer: Reducer;
  /** Runs with every step after all reducers: what the pane records of other parts. */
  readonly observe?: (before: State, after: State) => State;
  /** Keeps its slice up to date from the owner and performs its effects. */
  readonly effects?: (context: EffectContext) => EffectRunner;
}

/** Define a pane: the default export of `tui/<id>/pane.ts`. `make index` adds it to the workspace. */
export const definePane = <Slice>(definition: PaneDefinition<Slice>): PaneDefinition<Slice> => definition;
