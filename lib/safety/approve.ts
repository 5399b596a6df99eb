import { decideCommand } from "./approve/command.js";
import type { ApprovalRequest, ApprovalScope, Decision, Hides } from "./approve/types.js";
import { decideTool, decideWrite } from "./approve/write.js";

export type { ApprovalRequest, ApprovalScope, Asking, Decision, Reason } from "./approve/types.js";

/** Decide about one call: the table of core part 20.1, first match wins. */
export function decide(request: ApprovalRequest, scope: ApprovalScope): Decision {
  if (request.kind === "command") return decideCommand(request, scope);
  return request.kind === "write" ? decideWrite(request, scope) : decideTool(request, scope);
}

/** What a tool is told. */
export type Answer =
  | { readonly allowed: true; readonly by: string; readonly hides?: Hides; readonly outside?: true }
  | { readonly allowed: false; readonly status: "denied" | "blocked"; readonly message: string; readonly rule?: string };

/** What the model must not try after a denial. */
export const NO_WAY_ROUND = "Do not retry, rephrase or reach the same result in another way; ask the user, or do something else.";

/** The answer where nobody can be asked: what would be asked is denied, with the rule that would allow it (core part, 20.7). */
export function answerHeadless(decision: Decision): Answer {
  switch (decision.outcome) {
    case "allowed":
      return { allowed: true, by: decision.by, ...(decision.hides && { hides: decision.hides }) };
    case "blocked":
      return { allowed: false, status: "blocked", message: decision.message };
    case "denied":
      return { allowed: false, status: "denied", message: `${decision.message} ${NO_WAY_ROUND}` };
    case "ask": {
      const why = decision.reasons.map((reason) => `${reason.class}: ${reason.text}`).join("; ");
      const rule =
        decision.rule === "" ? "No rule can allow it; it must be answered each time." : `The rule that would allow it: ${decision.rule}`;
      const notices = decision.notices.length === 0 ? "" : ` Note: ${decision.notices.join("; ")}.`;
      const message = `Denied, because it needs permission and nobody can be asked (${why}). ${rule}.${notices} ${NO_WAY_ROUND}`.replace(
        "..",
        ".",
      );
      return { allowed: false, status: "denied", message, ...(decision.rule === "" ? {} : { rule: decision.rule }) };
    }
  }
}
