import { EASED, ONCE_ONLY, REMOVALS } from "../exec/classes.js";
import type { ExecScope, Inspected, Risk } from "../exec/exec.js";
import { isHarmlessCall } from "../exec/harmless.js";
import { isInsideScope } from "../exec/secrets.js";
import type { ParsedCommand } from "../options/command-line.js";
import { glob } from "../paths/glob.js";
import { isWithin, realTarget } from "../paths/paths.js";
import type { CommandRule } from "../rules/entry.js";
import { ruleCovers } from "../rules/match.js";
import type { SourcedRule } from "../rules/rules.js";
import { repositoryRunsNothing } from "../shell/git-reads.js";
import { isReadOnly } from "../shell/read-only.js";
import { findWriteTargets } from "../writes/find.js";
import { type Call, operandPath } from "../writes/operands.js";
import type { ApprovalRequest, ApprovalScope } from "./types.js";

/** A command line as every step of the decision sees it. */
export interface InspectedLine {
  readonly request: ApprovalRequest;
  readonly scope: ApprovalScope;
  readonly exec: ExecScope;
  readonly seen: Inspected;
  /** Everything that is asked about without a cage. */
  readonly risks: readonly Risk[];
}

/** The text of the rule is the command line as it stands. */
export const isWholeLineRule = (rule: CommandRule, request: ApprovalRequest): boolean =>
  rule.text === request.command.trim();

/** Risks that no rule and no configured class covers. */
export function uncovered(
  line: InspectedLine,
  risks: readonly Risk[],
  rules: readonly SourcedRule[],
  allowlist: readonly string[],
): readonly Risk[] {
  return risks.filter((risk) => {
    // Only what `outsideRule` finds lets a call leave the cage.
    if (ONCE_ONLY.has(risk.class) || risk.class === "outside-cage") return true;
    return !allowlist.includes(risk.class) && coverOf(line, risk, rules) === undefined;
  });
}

/** The rule that covers a risk of the line. */
export function coverOf(
  { request, exec, seen }: InspectedLine,
  risk: Risk | undefined,
  rules: readonly SourcedRule[],
): SourcedRule | undefined {
  const call = risk?.command === undefined ? undefined : seen.calls[risk.command];
  return rules.find(({ rule }) => {
    if (rule.kind === "tool") return rule.args === undefined && glob(rule.pattern).word(request.tool);
    if (rule.kind !== "command") return false;
    if (isWholeLineRule(rule, request)) return true;
    if (risk?.class === "inline-code")
      return rule.inline && seen.calls.some((one) => ruleCovers(rule, one, exec, seen.calls));
    return call !== undefined && ruleCovers(rule, call, exec, seen.calls);
  });
}

/** Risks that still ask where the line runs: in a cage those fall away that only say that it cannot be judged. */
export function risksWhereItRuns(line: InspectedLine): readonly Risk[] {
  const { request, scope, exec, seen, risks } = line;
  const { cage } = scope;
  if (cage === undefined || request.outside !== undefined) return risks;
  const inCage = risks.filter((risk) => !isWritable(risk, line));
  if (!cage.eases) return inCage;
  const outside = new Set(risks.filter((risk) => risk.class === "rm-outside").map((risk) => risk.command));
  return inCage.filter((risk) => {
    if (EASED.has(risk.class)) return risk.firm === true;
    if (!REMOVALS.has(risk.class) || outside.has(risk.command)) return true;
    const call = risk.command === undefined ? undefined : seen.calls[risk.command];
    return call === undefined || !staysInside(call, exec);
  });
}

/** A find that removes begins inside; other removals outside have a class of their own. */
function staysInside(call: Call, exec: ExecScope): boolean {
  if (call.program !== "find") return true;
  const end = call.words.findIndex((word) => /^(-|\(|!)/.test(word) && !/^-[HLPDO]/.test(word));
  const starts = call.words.slice(0, end === -1 ? call.words.length : end).filter((word) => !word.startsWith("-"));
  const { cwd } = call.simple;
  const known = cwd !== undefined || starts.length > 0;
  return (
    known && (starts.length === 0 ? [cwd ?? "/"] : starts).every((text) => isInsideScope(operandPath(text, cwd), exec))
  );
}

/** A write to a directory that the cage lets commands write. */
function isWritable(
  risk: Risk,
  { seen, exec, scope: { cage } }: Pick<InspectedLine, "seen" | "exec" | "scope">,
): boolean {
  const call = risk.command === undefined ? undefined : seen.calls[risk.command];
  if (risk.class !== "outside-write" || cage === undefined || call === undefined) return false;
  // What only running it would tell is left to the cage.
  return findWriteTargets(call, { calls: seen.calls, userHome: exec.userHome }).paths.every((path) => {
    const real = realTarget(path) ?? path;
    return isInsideScope(path, exec) || cage.writable.some((dir) => isWithin(real, dir));
  });
}

/**
 * The rule by which the line runs outside the cage: every risk of it, eased ones too, is covered by rules with `cage: off`, one of its calls
 * by such a rule, and what else stands in the line is harmless. Where a call asks to run outside, what else stands there only reads.
 */
export function outsideRule(line: InspectedLine, rules: readonly SourcedRule[]): SourcedRule | undefined {
  const { request, scope, exec, seen, risks } = line;
  if (scope.cage === undefined) return undefined;
  const off = rules.filter(({ rule }) => rule.kind === "command" && rule.cage === "off");
  const own = risks.filter((risk) => risk.class !== "outside-cage");
  if (off.length === 0 || uncovered(line, own, off, scope.allowlist).length > 0) return undefined;
  const whole = off.find(({ rule }) => rule.kind === "command" && isWholeLineRule(rule, request));
  if (whole !== undefined) return whole;
  const covers = (call: Call) =>
    off.find(({ rule }) => rule.kind === "command" && ruleCovers(rule, call, exec, seen.calls));
  const first = seen.calls.map(covers).find((rule) => rule !== undefined);
  const rest = seen.calls.filter((call) => covers(call) === undefined);
  const facts = { functions: seen.parsed.functions, all: seen.calls };
  const harmless = (call: Call) =>
    request.outside === undefined ? isHarmlessCall(call, exec, facts) : onlyReads(call, seen.parsed);
  return rest.every(harmless) ? first : undefined;
}

/** The call reads and changes nothing but the shell's own directory and options, in a line that evaluates nothing. */
export function onlyReads(call: Call, { evaluates }: Pick<ParsedCommand, "evaluates">): boolean {
  const line = { commands: [call.simple], findings: [], functions: new Set<string>(), evaluates };
  return evaluates.length === 0 && (/^(cd|set)$/.test(call.program) || isReadOnly(line, repositoryRunsNothing));
}
