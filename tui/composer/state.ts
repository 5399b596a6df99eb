import type { Chip } from "./chip.js";
import { type CompletionState, NO_COMPLETION } from "./completion/state.js";
import { type Editor, EMPTY } from "./editor.js";
import type { RemovedItem } from "./queue/state.js";

/** What is typed, as it is put aside and taken up again. */
export interface Draft {
  readonly editor: Editor;
  readonly chips: readonly Chip[];
}

export const NO_DRAFT: Draft = { editor: EMPTY, chips: [] };

export interface ComposerState extends Draft {
  /** Place in the text where the first row begins that is seen. */
  readonly top: number;
  /** Cells from the left that moving up and down keeps to. */
  readonly column: number | undefined;
  /** Chips made so far; their signs and numbers are counted by it. */
  readonly made: number;
  /** Monotonic time of the last change. */
  readonly changedAt: number;
  /** What was sent before, the newest of this directory first. */
  readonly history: readonly string[];
  /** Entry of the history that is shown; -1: what is typed. */
  readonly historyAt: number;
  /** What was typed before the history was gone through. */
  readonly aside: Draft | undefined;
  readonly completion: CompletionState;
  /** An item of the queue whose text is being changed here, and what stood here before. */
  readonly editing: { readonly id: string; readonly local: boolean; readonly kept: Draft } | undefined;
  /** The conversation that the text is meant for. */
  readonly session: string | undefined;
  /** Unsent text of the other conversations, by their id. */
  readonly drafts: Readonly<Record<string, Draft>>;
  /** The draft as the owner has it. */
  readonly saved: { readonly session: string | undefined; readonly raw: string; readonly text: string };
  /** A paste that no message can hold, until the user decides about it. */
  readonly held: string | undefined;
  /** The user's own editor, as a command line. */
  readonly program: readonly string[];
}

export const NO_TEXT: ComposerState = {
  ...NO_DRAFT,
  top: 0,
  column: undefined,
  made: 0,
  changedAt: 0,
  history: [],
  historyAt: -1,
  aside: undefined,
  completion: NO_COMPLETION,
  editing: undefined,
  session: undefined,
  drafts: {},
  saved: { session: undefined, raw: "", text: "" },
  held: undefined,
  program: ["vi"],
};

/** An item of the queue of the conversation. */
export interface Waiting {
  readonly id: string;
  readonly text: string;
  readonly kind: string;
  /** Who gave it. */
  readonly by: string;
}

/** A message that the owner does not have yet. */
export interface Unsent {
  /** Names its request: sent twice it has one effect. */
  readonly id: number;
  readonly text: string;
  /** What it does while a turn runs; undefined: as the settings say. */
  readonly mode: "queue" | "steer" | "interrupt" | undefined;
  /** The conversation that it was typed in; undefined: it was not open yet. */
  readonly session: string | undefined;
}

export interface QueueState {
  /** Typed without a connection, or on their way; sent in order. */
  readonly local: readonly Unsent[];
  /** The first of them is on its way. */
  readonly sending: boolean;
  /** Messages sent so far. */
  readonly sent: number;
  /** What waits in the conversation itself, as its owner tells. */
  readonly waiting: readonly Waiting[];
  /** Nothing of it begins until the next message, or until the user says so. */
  readonly paused: boolean;
  /** Its keys act. */
  readonly focused: boolean;
  /** Row that is marked. */
  readonly at: number;
  /** What was removed last; it can be had back for a while. */
  readonly removed: RemovedItem | undefined;
}

export const NO_QUEUE: QueueState = {
  local: [],
  sending: false,
  sent: 0,
  waiting: [],
  paused: false,
  focused: false,
  at: 0,
  removed: undefined,
};
