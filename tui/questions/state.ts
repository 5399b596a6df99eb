import type { Question } from "./question.js";

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

export const NOT_ASKING: Asking = { focused: false, choice: -1, typed: undefined, top: 0, armed: false, keyAt: -1e9, touchedAt: -1e9 };

export interface QuestionsState {
  /** Open questions of this session, the oldest first. */
  readonly open: readonly Question[];
  readonly asking: Asking;
}

export const NO_QUESTIONS: QuestionsState = { open: [], asking: NOT_ASKING };
