import { DISPLAY, type Display } from "../app/display.js";
import { NO_STATUS, type StatusState } from "../bars/state.js";
import { type BoardState, NO_BOARD } from "../board/state.js";
import { type ChatState, NO_CHAT } from "../chat/state.js";
import { type ComposerState, NO_QUEUE, NO_TEXT, type QueueState } from "../composer/state.js";
import type { Colours } from "../grammar/code.js";
import type { InlineState } from "../inline/state.js";
import { type LogsState, NO_LOGS } from "../logs/state.js";
import type { Overlay } from "../overlays/state.js";
import { NO_QUESTIONS, type QuestionsState } from "../questions/state.js";
import { NO_RUNS, type RunsState } from "../runs/state.js";
import type { StartState } from "../start/state.js";
import { type TerminalState, UNKNOWN_TERMINAL } from "../terminal/terminal-state.js";
import type { Effect, Message } from "./messages.js";
import { NO_SESSION, type SessionState } from "./session.js";

export const PANES = ["chat", "board", "runs", "logs"] as const;
export type Pane = (typeof PANES)[number];
export type Focus = "composer" | Pane;

/** Everything the screen shows. Only `update` makes a new one. A room's own part stands in its folder. */
export interface State {
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
  readonly chat: ChatState;
  readonly composer: ComposerState;
  readonly queue: QueueState;
  readonly questions: QuestionsState;
  readonly status: StatusState;
  readonly board: BoardState;
  readonly runs: RunsState;
  readonly logs: LogsState;
  /** Line mode; undefined: the workspace is shown. */
  readonly inline: InlineState | undefined;
  readonly terminal: TerminalState;
  /** Colours of code that a grammar found. */
  readonly colours: Colours;
  readonly start: StartState;
  readonly connection: "connected" | "lost";
  /** Monotonic time since which there is no connection. */
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

/** A part of the screen that looks after its own part of the state. */
export interface Room {
  /** What a message changes; undefined: it is nothing to this room. */
  update(state: State, message: Message): Updated | undefined;
}

const MESSAGE_MS = 4_000; // workspace part, 8

/** How long an error is seen before a key takes it away. */
const READ_MS = 400;

/** Say something to the user at the right of the hint line: for a while, an error until the next key. */
export const say = (state: State, text: string, error = false, ms = MESSAGE_MS): State => ({
  ...state,
  message: { text, error, until: state.now + (error ? READ_MS : ms) },
});

/** A key was pressed: an error that was seen goes. */
export const noticed = (state: State): State =>
  state.message?.error === true && state.message.until <= state.now ? { ...state, message: undefined } : state;
const LINE_MODE_BLOCK = 40; // workspace part, 17

/** What a screen begins with. */
export interface Start {
  readonly owner: boolean;
  readonly keymap: readonly Binding[];
  readonly display?: Display;
  readonly cwd?: string;
  readonly inline?: InlineState;
}

export function initialState(
  columns: number,
  rows: number,
  { owner, keymap, display = DISPLAY, cwd = "", inline }: Start,
): State {
  return {
    columns,
    rows,
    focus: "composer",
    pane: "chat",
    zoom: false,
    overlay: undefined,
    below: undefined,
    display,
    keymap,
    changedKeys: new Set(),
    keyProblems: [],
    session: NO_SESSION,
    chat: inline === undefined ? NO_CHAT : { ...NO_CHAT, blockLines: LINE_MODE_BLOCK },
    composer: NO_TEXT,
    queue: NO_QUEUE,
    questions: NO_QUESTIONS,
    status: NO_STATUS,
    board: NO_BOARD,
    runs: NO_RUNS,
    logs: NO_LOGS,
    inline,
    terminal: UNKNOWN_TERMINAL,
    colours: new Map(),
    start: undefined,
    connection: "connected",
    lostAt: undefined,
    owner,
    cwd,
    message: undefined,
    quitArmed: undefined,
    pressed: [],
    escapedAt: undefined,
    suspendArmed: undefined,
    now: 0,
    wall: 0,
  };
}
