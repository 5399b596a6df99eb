import { type Editor, EMPTY } from "./editor.js";

export interface ComposerState {
  readonly editor: Editor;
  readonly history: readonly string[];
  /** Entry of the history that is shown; -1: what is typed. */
  readonly historyAt: number;
}

export const NO_TEXT: ComposerState = { editor: EMPTY, history: [], historyAt: -1 };

/** An item of the queue of the conversation. */
export interface Waiting {
  readonly id: string;
  readonly text: string;
  readonly kind: string;
}

export interface QueueState {
  /** Typed while a turn ran or nobody was connected; sent in order. */
  readonly local: readonly string[];
  /** The first of them is on its way. */
  readonly sending: boolean;
  /** What waits in the conversation itself, as its owner tells. */
  readonly waiting: readonly Waiting[];
  /** Nothing of it begins until the next message, or until somebody says so. */
  readonly paused: boolean;
}

export const NO_QUEUE: QueueState = { local: [], sending: false, waiting: [], paused: false };
