import type { RuleWidth } from "../../lib/contracts/chat/questions.js";
import type { Editor } from "../composer/editor.js";
import type { Pane } from "../model/panes.gen.js";
import type { Question } from "./question.js";

/** A line that is typed in the panel: a reason, an answer of one's own, or a hidden value. */
export interface AnswerLine {
  readonly for: "reason" | "other" | "hidden";
  readonly editor: Editor;
}

/** How the shown question stands on the screen. */
export interface Asking {
  /** Keys go to it, whatever the composer holds. */
  readonly focused: boolean;
  /** Where the keys went before. */
  readonly from: "composer" | Pane;
  /** It has been seen for long enough without a key, so that a key may be meant for it. */
  readonly settled: boolean;
  /** Which of the open ones is shown; the oldest is the first. */
  readonly at: number;
  /** Choice that is marked; -1: the one that allows nothing. */
  readonly choice: number;
  readonly width: RuleWidth;
  readonly line: AnswerLine | undefined;
  /** First row of the command that is shown. */
  readonly top: number;
  /** A second Ctrl+C before this time refuses. */
  readonly armed: number | undefined;
  /** A message that is sent does not answer: the user has said so. */
  readonly aside: boolean;
  /** Monotonic time of the last key. */
  readonly keyAt: number;
  /** When the owner last learned that the user looks at it. */
  readonly touchedAt: number;
}

export const NOT_ASKING: Asking = {
  focused: false,
  from: "composer",
  settled: false,
  at: 0,
  choice: -1,
  width: "exact",
  line: undefined,
  top: 0,
  armed: undefined,
  aside: false,
  keyAt: -1e9,
  touchedAt: -1e9,
};

/** A question of a conversation that is not shown. */
export interface Elsewhere {
  readonly request: string;
  readonly session: string;
  readonly what: string;
}

export interface QuestionsState {
  /** Open questions of this session, the oldest first. */
  readonly open: readonly Question[];
  readonly asking: Asking;
  readonly elsewhere: readonly Elsewhere[];
}

export const NO_QUESTIONS: QuestionsState = { open: [], asking: NOT_ASKING, elsewhere: [] };
