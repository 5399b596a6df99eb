import type { ApprovalOption } from "../../contracts/chat/questions.js";
import { guardWrite } from "../paths/paths.js";
import { matchesAny } from "../rules/match.js";
import type { SourcedRule } from "../rules/rules.js";
import { deniedBy, filterListRules, filterNameRules, isYolo, pathRule, toolRule } from "./common.js";
import { escaped, everywhere, NO_RULES, rulesForWrites } from "./offer.js";
import type { ApprovalDecision, ApprovalRequest, ApprovalScope, Reason } from "./types.js";
import { widerForWrites } from "./widths.js";

const ALL: readonly ApprovalOption[] = ["once", "session", "project", "always", "deny"];
const WITH_EDITS: readonly ApprovalOption[] = ["once", "edits", "session", "project", "always", "deny"];

/** Decide about files that a tool would write (core part, 20.1). */
export function decideWrite(request: ApprovalRequest, scope: ApprovalScope): ApprovalDecision {
  const paths = request.paths ?? [];
  const answers = paths.map((path) => guardWrite(path, scope.paths));
  const refused = answers.find((answer) => !answer.ok);
  if (refused?.ok === false) return { outcome: "blocked", message: refused.why };
  const about = (rules: readonly SourcedRule[]) => pathRule(rules, "write", paths, scope) ?? toolRule(rules, request);
  const deny = about(filterListRules(scope, "deny"));
  if (deny !== undefined) return deniedBy(deny);
  if (isYolo(scope)) return { outcome: "allowed", by: "yolo" };
  const grants = scope.grants ?? [];
  const granted = grants.length > 0 && paths.every((path) => covers(grants, path, request, scope));
  if (granted) return { outcome: "allowed", by: "session grant" };
  const ask = about(filterListRules(scope, "ask"));
  const rules = [...filterListRules(scope, "allow"), ...grants];
  const reasons: Reason[] =
    ask === undefined ? [] : [{ class: "rule", text: `the rule '${ask.rule.text}' (${ask.source}) asks` }];
  for (const [index, answer] of answers.entries()) {
    const path = paths[index] ?? "";
    if (!covers(rules, path, request, scope)) reasons.push(...writeReasons(answer, path, scope));
  }
  if (reasons.length === 0) return { outcome: "allowed", by: "no risk" };
  const offered = rulesForWrites(paths, scope.paths.project);
  const edits = reasons.every((reason) => reason.class === "edit");
  return {
    outcome: "ask",
    reasons,
    segments: [],
    options: ask === undefined ? (edits ? WITH_EDITS : ALL) : ["once", "session", "deny"],
    offered: ask === undefined ? offered : { ...NO_RULES, session: offered.session },
    ...(ask === undefined ? { wider: widerForWrites(paths, scope.paths.project) } : {}),
    rule: ask !== undefined ? "" : suggestion(paths),
    ...(ask === undefined ? {} : { asks: ask }),
    smart: false,
    untrusted: scope.rules.untrusted.length > 0,
    notices: scope.rules.notices,
  };
}

/** One rule for all of the files; "" where braces or commas in a name leave none. */
function suggestion(paths: readonly string[]): string {
  const [only, second] = paths.map(escaped);
  if (second === undefined) return `write:${only ?? ""}`;
  return paths.some((path) => /[{},]/.test(path)) ? "" : `write:{${paths.map(escaped).join(",")}}`;
}

function covers(rules: readonly SourcedRule[], path: string, request: ApprovalRequest, scope: ApprovalScope): boolean {
  return (
    filterNameRules(rules, "write").some(({ rule }) => matchesAny([rule.pattern], path, scope.paths)) ||
    toolRule(rules, request) !== undefined
  );
}

function writeReasons(answer: ReturnType<typeof guardWrite>, path: string, scope: ApprovalScope): readonly Reason[] {
  if (!answer.ok) return [];
  const { allowlist } = scope;
  if (answer.risk !== undefined && !allowlist.includes(answer.risk))
    return [{ class: answer.risk, text: `writes settings: ${path}` }];
  if (answer.outside && !allowlist.includes("outside-write"))
    return [{ class: "outside-write", text: `writes outside the project: ${path}` }];
  return scope.edits === "ask" && !answer.outside ? [{ class: "edit", text: `changes ${path}` }] : [];
}

/** Decide about any other call: only rules have something to say about it. */
export function decideTool(request: ApprovalRequest, scope: ApprovalScope): ApprovalDecision {
  const decision = decideCall(request, scope);
  if (request.reads === undefined || (decision.outcome !== "allowed" && decision.outcome !== "ask")) return decision;
  // Somebody who was asked about the whole has answered for its parts; nobody has where nothing was asked.
  const unasked = decision.outcome === "allowed" && decision.by === "no risk";
  const rules = [...filterListRules(scope, "deny"), ...(unasked ? filterListRules(scope, "ask") : [])];
  const patterns = filterNameRules(rules, "read").map(({ rule }) => rule.pattern);
  return patterns.length === 0 ? decision : { ...decision, hides: (path) => matchesAny(patterns, path, scope.paths) };
}

function decideCall(request: ApprovalRequest, scope: ApprovalScope): ApprovalDecision {
  const about = (rules: readonly SourcedRule[]) =>
    toolRule(rules, request) ?? pathRule(rules, "read", request.reads ?? [], scope);
  const deny = about(filterListRules(scope, "deny"));
  if (deny !== undefined) return deniedBy(deny);
  if (isYolo(scope)) return { outcome: "allowed", by: "yolo" };
  const ask = about(filterListRules(scope, "ask"));
  if (ask === undefined) return { outcome: "allowed", by: "no risk" };
  const grant = about(scope.grants ?? []);
  if (grant !== undefined) return { outcome: "allowed", by: "session grant", rule: grant };
  const reads = (request.reads ?? []).map((path) => `read:${path}`);
  const rules = ask.rule.kind === "read" ? reads : [`tool:${request.tool}`];
  return {
    outcome: "ask",
    reasons: [{ class: "rule", text: `the rule '${ask.rule.text}' (${ask.source}) asks` }],
    segments: [],
    options: ["once", "session", "deny"],
    offered: { ...NO_RULES, session: everywhere(rules).session },
    rule: "",
    asks: ask,
    smart: false,
    untrusted: scope.rules.untrusted.length > 0,
    notices: scope.rules.notices,
  };
}
