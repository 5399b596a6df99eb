import type { ApprovalOption } from "../../contracts/chat/questions.js";
import { decideCode } from "./code.js";
import { decideCommand } from "./command.js";
import { describeDenial, type Unanswered } from "./denial.js";
import { decideDesktop } from "./desktop.js";
import { decideProgram } from "./program.js";
import type { ApprovalDecision, ApprovalRequest, ApprovalScope, Hides } from "./types.js";
import { decideTool, decideWrite } from "./write.js";

export type { Unanswered } from "./denial.js";
export type {
  ApprovalCage,
  ApprovalDecision,
  ApprovalRequest,
  ApprovalScope,
  AskDecision,
  ProgramRequest,
  Reason,
} from "./types.js";

/** Decide about one call: the table of core part 20.1, first match wins. */
export function decideCall(request: ApprovalRequest, scope: ApprovalScope): ApprovalDecision {
  if (request.program !== undefined) return decideProgram(request, request.program, scope);
  if (request.code !== undefined) return decideCode(request, scope);
  if (request.kind === "command") return decideCommand(request, scope);
  if (request.kind === "desktop") return decideDesktop(request, scope);
  return request.kind === "write" ? decideWrite(request, scope) : decideTool(request, scope);
}

/** What a tool receives. */
export type ToolApproval =
  | {
      readonly allowed: true;
      readonly by: string;
      readonly hides?: Hides;
      readonly outside?: true;
      /** Clients of the outside that it may start in the cage, by name. */
      readonly clients?: readonly string[];
      /** What a person answered to a program that asks itself, which may remember the answer. */
      readonly chosen?: ApprovalOption;
    }
  | {
      readonly allowed: false;
      readonly status: "denied" | "blocked";
      readonly message: string;
      readonly rule?: string;
      /** A person said no. */
      readonly byUser?: true;
    };

/** What the model must not try after a denial. */
export const NO_WAY_ROUND =
  "Do not retry, rephrase or reach the same result in another way; ask the user, or do something else.";

/** The answer where no one can be asked: what would be asked is denied, with the rule that would allow it (core part, 20.7). */
export function answerHeadless(decision: ApprovalDecision, unanswered: Unanswered = "person"): ToolApproval {
  switch (decision.outcome) {
    case "allowed":
      return {
        allowed: true,
        by: decision.by,
        ...(decision.hides && { hides: decision.hides }),
        ...(decision.outside && { outside: decision.outside }),
        ...(decision.clients && { clients: decision.clients }),
      };
    case "blocked":
      return { allowed: false, status: "blocked", message: decision.message };
    case "denied":
      return { allowed: false, status: "denied", message: `${decision.message} ${NO_WAY_ROUND}` };
    case "ask": {
      const message = `${describeDenial(decision, unanswered)}\n${NO_WAY_ROUND}`;
      return { allowed: false, status: "denied", message, ...(decision.rule === "" ? {} : { rule: decision.rule }) };
    }
  }
}
