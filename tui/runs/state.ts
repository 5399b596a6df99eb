import type { RunKind } from "../../lib/contracts/board/runs.js";
import type { ChatState } from "../chat/state.js";
import type { Editor } from "../composer/editor.js";
import type { SafeText } from "../draw/sanitize.js";
import type { LogView } from "../logs/state.js";

/** Something that works by itself. All texts are cleaned. */
export interface RunRow {
  readonly id: string;
  readonly kind: RunKind;
  readonly title: SafeText;
  readonly profile: SafeText;
  readonly state: SafeText;
  readonly waits: boolean;
  /** Milliseconds of the wall clock. */
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly tokens: number | null;
  readonly activity: SafeText;
  readonly session: string | undefined;
  readonly board: string | undefined;
  readonly task: string | undefined;
  readonly run: number | undefined;
  readonly process: string | undefined;
}

export type Aspect = "transcript" | "log" | "information";

/** A run that is looked at as a whole. */
export interface Opened {
  readonly id: string;
  readonly aspect: Aspect;
  /** Its conversation, shown as the pane of the chat shows one. Undefined: without one, or not looked at yet. */
  readonly chat: ChatState | undefined;
  /** What its process writes. */
  readonly log: LogView | undefined;
  /** Undefined while they are on their way. */
  readonly facts: readonly (readonly [name: SafeText, value: SafeText])[] | undefined;
  readonly error: SafeText;
  /** Rows that the information is scrolled down. */
  readonly top: number;
}

export interface RunsState {
  readonly phase: "loading" | "ready" | "failed";
  readonly error: SafeText;
  readonly all: ReadonlyMap<string, RunRow>;
  /** What is shown, in its order. */
  readonly shown: readonly RunRow[];
  /** Session that the chat shows: its turns are seen there. */
  readonly own: string | undefined;
  /** Those that ended are shown as well. */
  readonly ended: boolean;
  /** Run under the cursor; undefined: the first one. */
  readonly cursor: string | undefined;
  /** Rows that the list is scrolled down. */
  readonly top: number;
  readonly marked: ReadonlySet<string>;
  readonly search: string;
  readonly filter: string;
  /** The line that is typed in. */
  readonly line: { readonly kind: "search" | "filter"; readonly editor: Editor; readonly before: string } | undefined;
  readonly opened: Opened | undefined;
}

export const NO_RUNS: RunsState = {
  phase: "loading",
  error: "" as SafeText,
  all: new Map(),
  shown: [],
  own: undefined,
  ended: true,
  cursor: undefined,
  top: 0,
  marked: new Set(),
  search: "",
  filter: "",
  line: undefined,
  opened: undefined,
};
