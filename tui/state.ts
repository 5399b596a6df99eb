import { type Editor, EMPTY } from "./editor.js";
import type { Question } from "./question.js";

export const NOT_ASKING: Asking = { focused: false, choice: -1, typed: undefined, top: 0, armed: false, keyAt: -1e9, touchedAt: -1e9 };

export const PANES = ["chat", "board", "runs", "logs"] as const;
export type Pane = (typeof PANES)[number];
export type Focus = "composer" | Pane;

export type ChatItem =
  | { readonly kind: "user"; readonly text: string; readonly id: number }
  | { readonly kind: "answer"; readonly text: string; readonly id: number; readonly interrupted: boolean }
  | {
      readonly kind: "tool";
      readonly callId: string;
      readonly name: string;
      readonly preview: string;
      readonly state: ToolState;
      readonly ms: number;
      readonly since: number;
    }
  | {
      readonly kind: "command";
      /** As it was typed. */
      readonly text: string;
      readonly id: number;
      /** Undefined until it has answered. */
      readonly answer: string | undefined;
      readonly failed: boolean;
    }
  | { readonly kind: "notice"; readonly text: string; readonly level: "info" | "warning" | "error" };

export type ToolState = "running" | "ok" | "error" | "denied" | "stopped";

export interface TaskRow {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly assignee: string | null;
  readonly priority: number;
  readonly note: string;
  /** Unix seconds since which the status holds, as far as the record tells. */
  readonly since: number;
}

export interface RunRow {
  readonly taskId: string;
  readonly title: string;
  readonly profile: string;
  readonly state: string;
  readonly startedAt: number;
  readonly endedAt: number | null;
}

export interface LogRow {
  readonly text: string;
  readonly level: "debug" | "info" | "warning" | "error";
}

/** How the oldest open question stands on the screen. */
export interface Asking {
  /** Keys go to it, whatever the composer holds. */
  readonly focused: boolean;
  /** Choice that is marked; -1: the one that allows nothing. */
  readonly choice: number;
  /** A reason, or a hidden value, while it is typed. */
  readonly typed: string | undefined;
  /** First row of the command that is shown. */
  readonly top: number;
  /** Ctrl+C was pressed once. */
  readonly armed: boolean;
  /** Monotonic time of the last key. */
  readonly keyAt: number;
  /** When the owner was told last that somebody looks at it. */
  readonly touchedAt: number;
}

export type Loaded<T> =
  | { readonly state: "loading" }
  | { readonly state: "ready"; readonly rows: readonly T[] }
  | { readonly state: "failed"; readonly message: string };

/** An item of the queue of the conversation. */
export interface Waiting {
  readonly id: string;
  readonly text: string;
  readonly kind: string;
}

/** Everything the screen shows. Only `update` makes a new one. */
export interface State {
  readonly columns: number;
  readonly rows: number;
  readonly focus: Focus;
  /** The pane that the tabs layout shows. */
  readonly pane: Pane;
  readonly zoom: boolean;
  readonly help: boolean;
  readonly composer: Editor;
  readonly history: readonly string[];
  readonly historyAt: number;
  readonly session: string | undefined;
  readonly title: string;
  readonly model: string;
  readonly items: readonly ChatItem[];
  /** Text that streams at this moment. */
  readonly streaming: string;
  /** Characters of it as they came. */
  readonly streamed: number;
  readonly phase: string;
  /** Monotonic start of the running turn; undefined while idle. */
  readonly turnSince: number | undefined;
  readonly interruptedAt: number | undefined;
  readonly tokens: { readonly input: number; readonly output: number; readonly window: number; readonly prompt: number };
  /** Typed while a turn ran or nobody was connected; sent in order. */
  readonly queue: readonly string[];
  /** The first of them is on its way. */
  readonly sending: boolean;
  /** What waits in the conversation itself, as its owner tells. */
  readonly waiting: readonly Waiting[];
  /** Nothing of it begins until the next message, or until somebody says so. */
  readonly queuePaused: boolean;
  /** Open questions of this session, the oldest first. */
  readonly questions: readonly Question[];
  readonly asking: Asking;
  /** Approvals are off for this session. */
  readonly yolo: boolean;
  /** Commands typed so far; their answers are told apart by it. */
  readonly commands: number;
  /** The command that goes on until it is stopped. */
  readonly following: number | undefined;
  readonly board: Loaded<TaskRow>;
  readonly boardSlug: string;
  readonly cursor: { readonly column: number; readonly row: number };
  readonly runs: Loaded<RunRow>;
  readonly logs: readonly LogRow[];
  /** Rows scrolled back from the end, by pane; 0 follows. */
  readonly scroll: Readonly<Record<Pane, number>>;
  readonly connection: "connected" | "lost";
  readonly owner: boolean;
  readonly message: { readonly text: string; readonly error: boolean; readonly until: number } | undefined;
  readonly quitArmed: number | undefined;
  /** Monotonic time of the last tick, for ages on the screen. */
  readonly now: number;
  readonly wall: number;
}

export const COLUMNS = ["triage", "todo", "ready", "running", "blocked", "done", "scheduled"] as const;

export function initialState(columns: number, rows: number, owner: boolean): State {
  return {
    columns,
    rows,
    focus: "composer",
    pane: "chat",
    zoom: false,
    help: false,
    composer: EMPTY,
    history: [],
    historyAt: -1,
    session: undefined,
    title: "",
    model: "",
    items: [],
    streaming: "",
    streamed: 0,
    phase: "idle",
    turnSince: undefined,
    interruptedAt: undefined,
    tokens: { input: 0, output: 0, window: 0, prompt: 0 },
    queue: [],
    sending: false,
    waiting: [],
    queuePaused: false,
    questions: [],
    asking: NOT_ASKING,
    yolo: false,
    commands: 0,
    following: undefined,
    board: { state: "loading" },
    boardSlug: "default",
    cursor: { column: 0, row: 0 },
    runs: { state: "loading" },
    logs: [],
    scroll: { chat: 0, board: 0, runs: 0, logs: 0 },
    connection: "connected",
    owner,
    message: undefined,
    quitArmed: undefined,
    now: 0,
    wall: 0,
  };
}
