import { glob } from "../paths/glob.js";
import type { NameRule } from "../rules/entry.js";
import { matchesAny } from "../rules/match.js";
import type { ListName, SourcedRule } from "../rules/rules.js";
import { shownRule } from "./offer.js";
import type { ApprovalDecision, ApprovalRequest, ApprovalScope } from "./types.js";

/** `--yolo`, `/yolo`, AGENT_YOLO_MODE as it is now, or approvals switched off. */
export function isYolo(scope: ApprovalScope): boolean {
  return scope.yolo || scope.mode === "off" || /^(1|true|yes|on)$/i.test(scope.paths.env["AGENT_YOLO_MODE"] ?? "");
}

export const filterListRules = (scope: ApprovalScope, list: ListName): readonly SourcedRule[] =>
  scope.rules.rules.filter((one) => one.list === list);

/** A rule with the list and file that it stands in, seen as a rule of one kind. */
export interface SourcedNameRule {
  readonly sourced: SourcedRule;
  readonly rule: NameRule;
}

export const filterNameRules = (rules: readonly SourcedRule[], kind: NameRule["kind"]): readonly SourcedNameRule[] =>
  rules.flatMap((sourced) => (sourced.rule.kind === kind ? [{ sourced, rule: sourced.rule }] : []));

/** The first rule about this tool, whose arguments and schema, where it names some, are those of the call. */
export function toolRule(
  rules: readonly SourcedRule[],
  request: Pick<ApprovalRequest, "tool" | "args" | "declared">,
): SourcedRule | undefined {
  return filterNameRules(rules, "tool").find(
    ({ rule }) =>
      glob(rule.pattern).word(request.tool) &&
      hasArgs(rule.args, request.args) &&
      (rule.schema === undefined || rule.schema === request.declared?.pin),
  )?.sourced;
}

function hasArgs(wanted: NameRule["args"], given: unknown): boolean {
  if (wanted === undefined) return true;
  if (typeof given !== "object" || given === null) return false;
  return Object.entries(wanted).every(
    ([name, value]) => JSON.stringify(Reflect.get(given, name)) === JSON.stringify(value),
  );
}

/** The first rule of a kind that matches one of the paths. */
export function pathRule(
  rules: readonly SourcedRule[],
  kind: "write" | "read",
  paths: readonly string[],
  scope: ApprovalScope,
): SourcedRule | undefined {
  return filterNameRules(rules, kind).find(({ rule }) =>
    paths.some((path) => matchesAny([rule.pattern], path, scope.paths)),
  )?.sourced;
}

/** The first rule about this skill. */
export function skillRule(rules: readonly SourcedRule[], skill: string | undefined): SourcedRule | undefined {
  if (skill === undefined) return undefined;
  return filterNameRules(rules, "skill").find(({ rule }) => glob(rule.pattern).word(skill))?.sourced;
}

/** The first rule about one of these hosts. */
export function hostRule(rules: readonly SourcedRule[], hosts: readonly string[] = []): SourcedRule | undefined {
  if (hosts.length === 0) return undefined;
  return filterNameRules(rules, "fetch").find(({ rule }) => hosts.some((host) => glob(rule.pattern, true).word(host)))
    ?.sourced;
}

/** Forbidden by a rule, which is named with its place. */
export function deniedBy(rule: SourcedRule): ApprovalDecision {
  const place = rule.at === undefined ? rule.source : `${rule.source}: ${rule.at.file}`;
  const remedy =
    "No rule that allows is stronger; agent permissions list numbers the rules, and agent permissions revoke removes one.";
  return { outcome: "denied", message: `Denied by the rule '${shownRule(rule)}' (${place}). ${remedy}`, rule };
}
