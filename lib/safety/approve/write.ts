import type { ApprovalOption } from "../../contracts/chat/questions.js";
import { guardWrite } from "../paths/paths.js";
import { matchesAny } from "../rules/match.js";
import type { SourcedRule } from "../rules/rules.js";
import {
  deniedBy,
  filterListRules,
  filterNameRules,
  hostRule,
  isYolo,
  pathRule,
  skillRule,
  toolRule,
} from "./common.js";
import { escaped, everywhere, NO_RULES, type RuleValue, rulesForWrites, ruleText, shownRule } from "./offer.js";
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
  const granted = grants.length > 0 && paths.every((path) => coversWrite(grants, path, request, scope));
  if (granted) return { outcome: "allowed", by: "session grant" };
  const ask = about(filterListRules(scope, "ask"));
  const rules = [...filterListRules(scope, "allow"), ...grants];
  const reasons: Reason[] =
    ask === undefined ? [] : [{ class: "rule", text: `the rule '${shownRule(ask)}' (${ask.source}) asks` }];
  for (const [index, answer] of answers.entries()) {
    const path = paths[index] ?? "";
    if (!coversWrite(rules, path, request, scope)) reasons.push(...writeReasons(answer, path, scope));
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

/** A rule about writing this file, or about the tool, allows it. */
export function coversWrite(
  rules: readonly SourcedRule[],
  path: string,
  request: ApprovalRequest,
  scope: ApprovalScope,
): boolean {
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
  // An answer about the whole counts for its parts; without a question such an answer cannot exist.
  const unasked = decision.outcome === "allowed" && decision.by === "no risk";
  const rules = [...filterListRules(scope, "deny"), ...(unasked ? filterListRules(scope, "ask") : [])];
  const patterns = filterNameRules(rules, "read").map(({ rule }) => rule.pattern);
  return patterns.length === 0 ? decision : { ...decision, hides: (path) => matchesAny(patterns, path, scope.paths) };
}

function decideCall(request: ApprovalRequest, scope: ApprovalScope): ApprovalDecision {
  const about = (rules: readonly SourcedRule[], hosts = request.hosts) =>
    toolRule(rules, request) ??
    pathRule(rules, "read", request.reads ?? [], scope) ??
    hostRule(rules, hosts) ??
    skillRule(rules, request.skill);
  const deny = about(filterListRules(scope, "deny"));
  if (deny !== undefined) return deniedBy(deny);
  if (isYolo(scope)) return { outcome: "allowed", by: "yolo" };
  // An answer counts for the hosts that it was about, and leaves the others of the call open.
  const hosts = request.hosts?.filter((host) => hostRule(scope.grants ?? [], [host]) === undefined);
  const ask = about(filterListRules(scope, "ask"), hosts);
  const { declared } = request;
  if (ask === undefined && declared === undefined) return { outcome: "allowed", by: "no risk" };
  // What a tool declares is answered by what is said of the tool; paths that it reads are another matter.
  const grant = declared === undefined ? about(scope.grants ?? [], []) : toolRule(scope.grants ?? [], request);
  if (grant !== undefined) return { outcome: "allowed", by: "session grant", rule: grant };
  if (ask === undefined && declared !== undefined) return decideDeclared(request, declared, scope);
  if (ask === undefined) return { outcome: "allowed", by: "no risk" };
  const rules = rulesForAsked(ask, { ...request, ...(hosts && { hosts }) }) ?? [ruleForTool(request)];
  const reason: Reason = { class: "rule", text: `the rule '${shownRule(ask)}' (${ask.source}) asks` };
  return {
    outcome: "ask",
    reasons: declared === undefined ? [reason] : [reason, { class: declared.class, text: declared.text }],
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

/** What is stored when the user allows what a rule asks about; undefined: the tool itself. */
function rulesForAsked({ rule: { kind } }: SourcedRule, request: ApprovalRequest): readonly RuleValue[] | undefined {
  if (kind === "skill" && request.skill !== undefined) return [`skill:${request.skill}`];
  if (request.declared !== undefined) return undefined;
  if (kind === "fetch") return (request.hosts ?? []).map((host) => `fetch:${host}`);
  return kind === "read" ? (request.reads ?? []).map((path) => `read:${path}`) : undefined;
}

/** A call of a tool that says itself that a person decides, which no rule asks about (core part, 20.8). */
function decideDeclared(
  request: ApprovalRequest,
  declared: NonNullable<ApprovalRequest["declared"]>,
  scope: ApprovalScope,
): ApprovalDecision {
  const rule = toolRule(filterListRules(scope, "allow"), request);
  if (rule !== undefined) return { outcome: "allowed", by: "rule", rule };
  if (scope.allowlist.includes(declared.class)) return { outcome: "allowed", by: "rule" };
  const stored = ruleForTool(request);
  return {
    outcome: "ask",
    reasons: [{ class: declared.class, text: declared.text }],
    segments: [],
    options: ALL,
    offered: everywhere([stored]),
    rule: ruleText(stored),
    smart: false,
    untrusted: scope.rules.untrusted.length > 0,
    notices: scope.rules.notices,
  };
}

/** The rule that allows this tool, as it is now. */
const ruleForTool = ({ tool, declared }: ApprovalRequest): RuleValue =>
  declared?.pin === undefined ? `tool:${tool}` : { tool, schema: declared.pin };
