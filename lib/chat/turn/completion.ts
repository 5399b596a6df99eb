import type { ExitReason } from "../../contracts/chat/chat.js";
import { INTERRUPTED, type TurnEnding } from "./turn-usage.js";

/** Core part, 2.5: an answer of at most so many characters that ends in no punctuation is a fragment. */
const FRAGMENT_CHARS = 24;
const WHOLE = /[.!?:)"'\]}\u3002\uff01\uff1f]$|```$/u;
/** Ends of an answer as the model meant it, and of one that the person stopped. */
const MEANT: ReadonlySet<ExitReason> = new Set(["text_response", "fallback_prior_turn_content", ...INTERRUPTED]);

const WHY: Partial<Readonly<Record<ExitReason, string>>> = {
  truncated: "the answer was truncated by the output limit. Ask for the rest, or raise model.max_tokens.",
  partial_stream_recovery: "the connection was lost during the answer, and asking for the rest failed. Ask again.",
  budget_exhausted: "the budget of this turn is used up. Ask for the rest in a new message.",
  max_iterations_reached: "the turn used all its rounds. Ask for the rest in a new message, or raise agent.max_turns.",
  time_limit_reached: "the turn used all its time. Ask for the rest in a new message, or raise agent.max_turn_seconds.",
  cost_limit_reached: "the session reached agent.max_cost_usd. Raise it, or start a new session.",
};

/** The answer as people see it: what is missing is explained, unless they do not want that. Nothing of it is stored. */
export function shownAnswer(ending: TurnEnding, answer: string, explain: boolean): string {
  if (ending.reason === "empty_response_exhausted") return explain ? answer : "";
  const fragment = answer !== "" && [...answer].length <= FRAGMENT_CHARS && !WHOLE.test(answer);
  const why = ending.failure?.message ?? WHY[ending.reason];
  if (!explain || !fragment || why === undefined || MEANT.has(ending.reason)) return answer;
  return `${answer}\n\n\u26a0\ufe0f No reply: ${why}`;
}
