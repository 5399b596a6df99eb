import type { PermissionTest } from "../../contracts/config/permissions.js";
import { type ApprovalScope, answerHeadless, decideCall } from "../../safety/approve/approve.js";
import { shownRule } from "../../safety/approve/offer.js";
import { inspect } from "../../safety/exec/exec.js";
import { renderSimpleCommand } from "../../safety/shell/open.js";
import { visible } from "../../safety/shell/visible.js";

/** How a command line is read, and what would be decided about it now. Nothing is run. */
export function explainCommand(command: string, cwd: string, scope: ApprovalScope): PermissionTest {
  const seen = inspect(command, { ...scope.paths, cwd });
  const decision = decideCall({ kind: "command", tool: "terminal", command, cwd }, scope);
  const rule = "rule" in decision && typeof decision.rule === "object" ? decision.rule : undefined;
  const whole = seen.risks.filter((risk) => risk.command === undefined);
  const answer = answerHeadless(decision);
  return {
    command: visible(command),
    decision: decision.outcome,
    by:
      decision.outcome === "ask"
        ? decision.reasons.map((reason) => reason.text).join("; ")
        : answer.allowed
          ? answer.by
          : byOf(decision),
    ...(rule === undefined ? {} : { rule: { rule: shownRule(rule), source: rule.source } }),
    segments: seen.calls.map((call, index) => ({
      argv: renderSimpleCommand(call.simple),
      classes: [...new Set(seen.risks.filter((risk) => risk.command === index).map((risk) => risk.class))],
    })),
    findings: whole.map((risk) => ({ class: risk.class, text: visible(risk.text) })),
    read_only: seen.readOnly,
    ...(decision.outcome === "ask" && decision.rule !== "" ? { rule_to_allow: decision.rule } : {}),
  };
}

/** As people may see it. */
export function withoutSecrets(
  { rule, rule_to_allow: allows, ...test }: PermissionTest,
  redact: (text: string) => string,
): PermissionTest {
  return {
    ...test,
    command: redact(test.command),
    by: redact(test.by),
    ...(rule === undefined ? {} : { rule: { ...rule, rule: redact(rule.rule) } }),
    segments: test.segments.map((one) => ({ ...one, argv: redact(one.argv) })),
    findings: test.findings.map((one) => ({ ...one, text: redact(one.text) })),
    ...(allows === undefined ? {} : { rule_to_allow: redact(allows) }),
  };
}

const byOf = (decision: ReturnType<typeof decideCall>): string => ("message" in decision ? decision.message : "");
