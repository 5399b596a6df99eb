import type { Pane } from "../model/panes.gen.js";
import type { PictureProtocol } from "./picture-bytes.js";

/** What is known of the terminal, and what is selected on it with the mouse. */
export interface TerminalState {
  /** By its answer; undefined: it has not told. */
  readonly background: "dark" | "light" | undefined;
  /** It answered that it knows the kitty keyboard protocol. */
  readonly kitty: boolean;
  /** How it shows pictures, by its answers; undefined: it has not told. */
  readonly pictures: PictureProtocol | undefined;
  /** The same of the terminal behind tmux, where tmux passes pictures on. */
  readonly throughTmux: PictureProtocol | undefined;
  /** Undefined: it cannot tell, or has not yet. */
  readonly focused: boolean | undefined;
  readonly selection: Selection | undefined;
  /** The last press, for double and triple clicks. */
  readonly press: { readonly x: number; readonly y: number; readonly at: number; readonly times: number } | undefined;
}

/** Text of one pane between two cells of its inside, both included. */
export interface Selection {
  readonly pane: Pane;
  readonly from: { readonly x: number; readonly y: number };
  readonly to: { readonly x: number; readonly y: number };
}

export const UNKNOWN_TERMINAL: TerminalState = {
  background: undefined,
  kitty: false,
  pictures: undefined,
  throughTmux: undefined,
  focused: undefined,
  selection: undefined,
  press: undefined,
};
