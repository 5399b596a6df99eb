import type { Display } from "../app/display.js";
import type { StatusState } from "../bars/state.js";
import type { ComposerState, QueueState } from "../composer/state.js";
import type { Colours } from "../grammar/code.js";
import type { InlineState } from "../inline/state.js";
import type { Overlay } from "../overlays/state.js";
import type { QuestionsState } from "../questions/state.js";
import type { StartState } from "../start/state.js";
import type { TerminalState } from "../terminal/terminal-state.js";
import type { VoiceState } from "../voice/state.js";
import type { Effect, Message } from "./messages.js";
import type { Pane, PaneStates } from "./panes.gen.js";
import type { SessionState } from "./session.js";

export type Focus = "composer" | Pane;

/** Everything the screen shows. Only `update` makes a new one. The slice of each pane is kept under its id. */
export interface State extends PaneStates {
  readonly columns: number;
  readonly rows: number;
  readonly focus: Focus;
  /** The pane that the tabs layout shows. */
  readonly pane: Pane;
  readonly zoom: boolean;
  readonly overlay: Overlay | undefined;
  /** What the help stands above, and what comes back when it is closed. */
  readonly below: Overlay | undefined;
  readonly display: Display;
  /** Every key, the user's own ones among them. */
  readonly keymap: readonly Binding[];
  /** Ids of those that keys.yaml has changed. */
  readonly changedKeys: ReadonlySet<string>;
  /** What keys.yaml asks for and does not get, and what has lost its key; empty once the help has shown it. */
  readonly keyProblems: readonly string[];
  readonly session: SessionState;
  readonly composer: ComposerState;
  readonly queue: QueueState;
  readonly questions: QuestionsState;
  readonly status: StatusState;
  /** Line mode; undefined: the workspace is shown. */
  readonly inline: InlineState | undefined;
  readonly terminal: TerminalState;
  readonly voice: VoiceState;
  /** Colours of code that a grammar found. */
  readonly colours: Colours;
  readonly start: StartState;
  readonly connection: "connected" | "lost";
  /** Monotonic time since which the connection is lost. */
  readonly lostAt: number | undefined;
  readonly owner: boolean;
  /** Directory that this screen was opened in. */
  readonly cwd: string;
  /** Said at the right of the hint line. `until`: when it goes; an error goes with the first key after that. */
  readonly message: { readonly text: string; readonly error: boolean; readonly until: number } | undefined;
  readonly quitArmed: number | undefined;
  /** Times at which a running turn was to be interrupted, of the last seconds. */
  readonly pressed: readonly number[];
  /** Monotonic time of the last Escape: a second one soon after it interrupts. */
  readonly escapedAt: number | undefined;
  /** Until then a second Ctrl+Z suspends although work would stand still. */
  readonly suspendArmed: number | undefined;
  /** Monotonic time of the last tick, for ages on the screen. */
  readonly now: number;
  readonly wall: number;
}

/** The next state, and what is to be done. */
export type Updated = readonly [State, readonly Effect[]];

/** Where a key acts. The most particular one that is active comes first. */
export type Context =
  | "everywhere"
  | "composer"
  | "completion"
  | "editing"
  | "queue"
  | "list"
  | "line"
  | "question"
  | "answer"
  | "fields"
  | "voice"
  | Pane
  | "dialog"
  | Overlay["kind"];

/** One row of the key table. Dispatch, hints, help, palette and `/keys` are made from it. */
export interface Binding {
  /** Name of the action, as keys.yaml and the palette call it. */
  readonly id: string;
  readonly context: Context;
  /** As `keyName` spells them; none: it is reached through the palette alone. */
  readonly keys: readonly string[];
  readonly label: string;
  /** Short form for the hint line; without it the key is not hinted. */
  readonly hint?: string;
  /** Where false the key goes on to the next context. */
  readonly when?: (state: State) => boolean;
  /** A slash command without arguments that does the same: `model`. */
  readonly slash?: string;
  /** It is of use by its key alone: the palette leaves it out. */
  readonly own?: boolean;
  /** It acts over an overlay, too. */
  readonly over?: boolean;
  readonly act: (state: State) => Updated;
}

/** What a message changes of one part of the state; undefined: nothing. */
export type Reducer = (state: State, message: Message) => Updated | undefined;

const MESSAGE_MS = 4_000; // workspace part, 8

/** How long an error is seen before a key takes it away. */
const READ_MS = 400;

/** Say something to the user at the right of the hint line: for a while, an error until the next key. */
export const showMessage = (state: State, text: string, error = false, ms = MESSAGE_MS): State => ({
  ...state,
  message: { text, error, until: state.now + (error ? READ_MS : ms) },
});

/** A key was pressed: an error that was seen goes. */
export const dismissError = (state: State): State =>
  state.message?.error === true && state.message.until <= state.now ? { ...state, message: undefined } : state;

/** What a screen begins with. */
export interface Start {
  readonly owner: boolean;
  readonly keymap: readonly Binding[];
  readonly display?: Display;
  readonly cwd?: string;
  readonly inline?: InlineState;
}
