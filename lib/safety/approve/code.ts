import type { ApprovalOption } from "../../contracts/chat/questions.js";
import { literalWord } from "../options/command-line.js";
import { placeholders } from "../redact/lineage.js";
import { ruleCovers, ruleTouches } from "../rules/match.js";
import type { SourcedRule } from "../rules/rules.js";
import { toCall } from "../writes/operands.js";
import { deniedBy, filterListRules, isYolo, toolRule } from "./common.js";
import { everywhere, NO_RULES, shownRule } from "./offer.js";
import type { ApprovalDecision, ApprovalRequest, ApprovalScope, Reason } from "./types.js";

const PROGRAMS = { javascript: "node", python: "python3" } as const;
const ALL: readonly ApprovalOption[] = ["once", "session", "project", "always", "deny"];

/** Decide about a program that a model has written: like code on the command line of its interpreter (core part, 20.8). */
export function decideCode(request: ApprovalRequest, scope: ApprovalScope): ApprovalDecision {
  const deny = ruleAbout(filterListRules(scope, "deny"), request, scope, "touches");
  if (deny !== undefined) return deniedBy(deny);
  if (isYolo(scope)) return { outcome: "allowed", by: "yolo" };
  const secret = placeholders(request.command).length > 0;
  const ask = ruleAbout(filterListRules(scope, "ask"), request, scope, "touches");
  const grant = secret ? undefined : ruleAbout(scope.grants ?? [], request, scope, "allows");
  if (grant !== undefined) return { outcome: "allowed", by: "session grant", rule: grant };
  const known = secret || ask !== undefined ? undefined : (knownHarmless(request, scope) ?? ruleOf(request, scope));
  return known ?? question(request, scope, secret, ask);
}

/** Where it runs, it can do no harm, or its class is allowed everywhere. */
function knownHarmless(request: ApprovalRequest, scope: ApprovalScope): ApprovalDecision | undefined {
  if (scope.isolated === true) return { outcome: "allowed", by: "isolated backend" };
  if (request.caged === true && scope.cage?.eases === true && scope.asksScripts !== true)
    return { outcome: "allowed", by: "cage" };
  return scope.allowlist.includes("inline-code") ? { outcome: "allowed", by: "rule" } : undefined;
}

function ruleOf(request: ApprovalRequest, scope: ApprovalScope): ApprovalDecision | undefined {
  const rule = ruleAbout(filterListRules(scope, "allow"), request, scope, "allows");
  return rule === undefined ? undefined : { outcome: "allowed", by: "rule", rule };
}

/** A rule about the tool, or about the interpreter: one that allows has to cover code. */
function ruleAbout(
  rules: readonly SourcedRule[],
  request: ApprovalRequest,
  scope: ApprovalScope,
  how: "allows" | "touches",
): SourcedRule | undefined {
  const words = [literalWord(PROGRAMS[request.code ?? "javascript"])];
  const call = toCall({ words, assignments: [], redirects: [], feed: undefined, under: [], cwd: request.cwd });
  const exec = { ...scope.paths, cwd: request.cwd };
  const about = ({ rule }: SourcedRule) =>
    rule.kind === "command" &&
    (how === "touches" ? ruleTouches(rule, call, exec) : rule.inline && ruleCovers(rule, call, exec));
  return toolRule(rules, request) ?? rules.find(about);
}

function question(
  request: ApprovalRequest,
  scope: ApprovalScope,
  secret: boolean,
  ask: SourcedRule | undefined,
): ApprovalDecision {
  const tool = `tool:${request.tool}`;
  const reasons: Reason[] = [
    { class: "inline-code", text: `runs a ${request.code ?? ""} program that the model wrote` },
  ];
  if (secret) reasons.unshift({ class: "secret-use", text: "uses a secret" });
  if (ask !== undefined) reasons.unshift({ class: "rule", text: `the rule '${shownRule(ask)}' (${ask.source}) asks` });
  const offered = everywhere([tool]);
  return {
    outcome: "ask",
    reasons,
    segments: [],
    options: secret ? ["once", "deny"] : ask === undefined ? ALL : ["once", "session", "deny"],
    offered: secret ? NO_RULES : ask === undefined ? offered : { ...NO_RULES, session: offered.session },
    rule: secret || ask !== undefined ? "" : tool,
    ...(ask === undefined ? {} : { asks: ask }),
    smart: scope.mode === "smart" && !secret,
    untrusted: scope.rules.untrusted.length > 0,
    notices: scope.rules.notices,
  };
}
