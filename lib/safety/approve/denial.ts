import { shownRule } from "./offer.js";
import type { AskDecision } from "./types.js";

/** Why no answer was found for a call that asks. */
export type Unanswered =
  /** It needs a person, and none can be asked here. */
  | "person"
  /** The approval model was not sure. */
  | "unsure"
  /** The approval model could not be asked. */
  | "unavailable";

const BEGINNINGS: Readonly<Record<Unanswered, string>> = {
  person: "Denied: this needs a person's permission, and no one can be asked here",
  unsure: "Denied: the approval model was unsure, and no one can be asked here",
  unavailable: "Denied: the approval model could not be reached, and no one can be asked here",
};

/** What the model and the user read of a call that no one could answer: why, and the command line that would allow it (core part, 20.7). */
export function describeDenial(decision: AskDecision, unanswered: Unanswered): string {
  const why = decision.reasons.map((reason) => `${reason.class}: ${reason.text}`).join("; ");
  const notices = decision.notices.map((notice) => `Note: ${notice}.`);
  return [`${BEGINNINGS[unanswered]} (${why}).`, howToAllow(decision), ...notices].join("\n");
}

/** What a person can do so that the call is allowed the next time. */
export function howToAllow({ rule, asks }: AskDecision): string {
  if (asks !== undefined)
    return `The rule '${shownRule(asks)}' (${asks.at?.file ?? asks.source}) asks each time, and no rule that allows is stronger: agent permissions list numbers the rules, agent permissions revoke removes one.`;
  if (rule === "") return "No rule can allow it; it must be answered each time.";
  return `The user can allow it with:\n${allowCommand(rule)}`;
}

/** The command line that stores a rule, to be pasted into a shell as it stands. */
export const allowCommand = (rule: string): string => `agent permissions allow ${quoteForShell(rule)}`;

/** One word of a shell that means exactly this text. */
const quoteForShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
