import type { Pane } from "../model/panes.gen.js";

/** What line mode alone keeps. */
export interface InlineState {
  /** What the process is, for the lines at the start. */
  readonly version: string;
  readonly cwd: string;
  /** Tools that are offered; undefined: not known yet. */
  readonly tools: number | undefined;
  /** A person types whole lines and reads what is printed, or hears it: nothing is drawn again, and questions are printed. */
  readonly aloud: boolean;
  /** Lines that were typed so far. */
  readonly lines: number;
  /** A conversation is taken up: its last exchanges are printed once. */
  readonly resumed: boolean;
  /** The pane that is kept in the live area. */
  readonly watch: Pane | undefined;
  /** A view that is printed as soon as what its words let through is here, as the answer of this command. */
  readonly printing: { readonly view: Pane; readonly id: number } | undefined;
  /** Turns that ended since the start, and how the last one did. */
  readonly turns: number;
  readonly last: LastTurn | undefined;
}

/** What says how a turn ended, for the exit code of a pipe. */
export interface LastTurn {
  readonly interrupted: boolean;
  readonly failed: boolean;
  readonly completed: boolean;
  readonly denied: boolean;
}
