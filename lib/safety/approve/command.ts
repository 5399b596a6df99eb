import type { ApprovalOption } from "../../proto/questions.js";
import { NEVER_SMART, ONCE_ONLY } from "../exec/classes.js";
import type { Call } from "../exec/operands.js";
import { writeTargets } from "../exec/writes/find.js";
import { type ExecScope, type Inspected, inspect, type Risk } from "../exec.js";
import { glob } from "../glob.js";
import { type CommandRule, parseEntry } from "../rules/entry.js";
import { allows, touches } from "../rules/match.js";
import type { ListName, SourcedRule } from "../rules.js";
import { show } from "../shell/open.js";
import { UNKNOWN } from "../shell/types.js";
import { deniedBy, isYolo, listed, named, pathRule, toolRule } from "./common.js";
import { everywhere, NO_RULES, type OfferedValues, type RuleValue, rulesForCalls } from "./offer.js";
import type { ApprovalRequest, ApprovalScope, Asking, Decision, Reason } from "./types.js";
import { type WiderValues, widerForCalls } from "./widths.js";

/** The scope of the classes with the directory of the call. */
const execScope = (request: Pick<ApprovalRequest, "cwd">, scope: ApprovalScope): ExecScope => ({ ...scope.paths, cwd: request.cwd });

/** A command line as every step of the decision sees it. */
interface Line {
  readonly request: ApprovalRequest;
  readonly scope: ApprovalScope;
  readonly exec: ExecScope;
  readonly seen: Inspected;
  readonly risks: readonly Risk[];
}

/** Decide about a command line (core part, 20.1). */
export function decideCommand(request: ApprovalRequest, scope: ApprovalScope): Decision {
  const exec = execScope(request, scope);
  const seen = inspect(request.command, exec);
  if (seen.blocked !== undefined) return { outcome: "blocked", message: seen.blocked };
  const risks =
    scope.scanned === undefined ? seen.risks : [...seen.risks, { class: "scanner" as const, text: scope.scanned, command: undefined }];
  const line: Line = { request, scope, exec, seen, risks };
  const denied = ruleAbout(line, "deny");
  if (denied !== undefined) return deniedBy(denied);
  if (isYolo(scope)) return { outcome: "allowed", by: "yolo" };
  const asked = ruleAbout(line, "ask");
  const granted = grantFor(line, asked);
  if (granted !== undefined) return granted;
  if (scope.isolated && asked === undefined) return { outcome: "allowed", by: "isolated backend" };
  const rules = [...listed(scope, "allow"), ...(scope.grants ?? [])];
  const left = uncovered(line, rules, scope.allowlist);
  if (left.length === 0 && asked === undefined) {
    const rule = risks.length === 0 ? undefined : coverOf(line, risks[0], rules);
    return { outcome: "allowed", by: risks.length === 0 ? "no risk" : "rule", ...(rule === undefined ? {} : { rule }) };
  }
  return question(line, left, asked);
}

/** The first deny or ask rule that touches any part of the line: its commands, the files it writes, the tool itself. */
function ruleAbout({ request, scope, exec, seen }: Line, list: ListName): SourcedRule | undefined {
  const rules = listed(scope, list);
  const byCommand = rules.find(
    ({ rule }) => rule.kind === "command" && (isWhole(rule, request) || seen.calls.some((call) => touches(rule, call, exec))),
  );
  if (byCommand !== undefined || rules.length === 0) return byCommand;
  const written =
    named(rules, "write").length === 0 ? [] : seen.calls.flatMap((call) => writeTargets(call).filter((path) => path !== undefined));
  return toolRule(rules, request) ?? pathRule(rules, "write", written, scope);
}

const isWhole = (rule: CommandRule, request: ApprovalRequest) => rule.text === request.command.trim();

/** An answer of this lineage that covers the whole line, the parts that a rule asks about included. */
function grantFor(line: Line, asked: SourcedRule | undefined): Decision | undefined {
  const grants = line.scope.grants ?? [];
  if (grants.length === 0 || (line.risks.length === 0 && asked === undefined)) return undefined;
  if (uncovered(line, grants, []).length > 0) return undefined;
  const calls = asked === undefined ? [] : askedCalls(line, asked);
  const whole = grants.find(({ rule }) => rule.kind === "command" && isWhole(rule, line.request));
  const covers = (call: Call) => grants.find(({ rule }) => rule.kind === "command" && allows(rule, call, line.exec));
  if (asked !== undefined && whole === undefined && (calls.length === 0 || !calls.every((call) => covers(call) !== undefined)))
    return undefined;
  const [first] = calls;
  const rule = whole ?? (first === undefined ? coverOf(line, line.risks[0], grants) : covers(first));
  return { outcome: "allowed", by: "session grant", ...(rule === undefined ? {} : { rule }) };
}

/** Calls that an ask rule is about. */
function askedCalls({ exec, seen }: Line, { rule }: SourcedRule): readonly Call[] {
  return rule.kind === "command" ? seen.calls.filter((call) => touches(rule, call, exec)) : [];
}

/** Risks that no rule and no configured class covers. */
function uncovered(line: Line, rules: readonly SourcedRule[], allowlist: readonly string[]): readonly Risk[] {
  return line.risks.filter((risk) => {
    if (ONCE_ONLY.has(risk.class)) return true;
    return !allowlist.includes(risk.class) && coverOf(line, risk, rules) === undefined;
  });
}

/** The rule that covers a risk of the line. */
function coverOf({ request, exec, seen }: Line, risk: Risk | undefined, rules: readonly SourcedRule[]): SourcedRule | undefined {
  const call = risk?.command === undefined ? undefined : seen.calls[risk.command];
  return rules.find(({ rule }) => {
    if (rule.kind === "tool") return rule.args === undefined && glob(rule.pattern).word(request.tool);
    if (rule.kind !== "command") return false;
    if (isWhole(rule, request)) return true;
    if (risk?.class === "inline-code") return rule.inline && seen.calls.some((one) => allows(rule, one, exec));
    return call !== undefined && allows(rule, call, exec);
  });
}

const ALL: readonly ApprovalOption[] = ["once", "session", "project", "always", "deny"];

function question(line: Line, left: readonly Risk[], asked: SourcedRule | undefined): Asking {
  const { scope, seen } = line;
  const reasons: Reason[] = left.map((risk) => ({ class: risk.class, text: risk.text }));
  if (asked !== undefined) reasons.unshift({ class: "rule", text: `the rule '${asked.rule.text}' (${asked.source}) asks` });
  const onceOnly = left.some((risk) => ONCE_ONLY.has(risk.class));
  const segments = seen.calls.map((call, index) => {
    const risk = left.find((one) => one.command === index);
    const argv = show(call.simple);
    return {
      argv,
      ...(risk === undefined ? {} : { class: risk.class, why: risk.text.replace(/: (.*)$/s, (end, told) => (told === argv ? "" : end)) }),
    };
  });
  const offered = onceOnly ? NO_RULES : offer(line, left, asked);
  // A stored rule that allows is weaker than one that asks.
  const options = onceOnly ? (["once", "deny"] as const) : asked === undefined ? ALL : (["once", "session", "deny"] as const);
  return {
    outcome: "ask",
    reasons,
    segments,
    options,
    offered: asked === undefined ? offered : { ...NO_RULES, session: offered.session },
    ...(onceOnly || asked !== undefined ? {} : { wider: wider(line, left) }),
    rule: onceOnly ? "" : suggestion(line, left),
    smart: scope.mode === "smart" && !left.some((risk) => NEVER_SMART.has(risk.class)),
    untrusted: scope.rules.untrusted.length > 0,
    notices: scope.rules.notices,
  };
}

/** Rules for the calls that need one; where the risk lies in the line as a whole, the line itself. */
function offer(line: Line, left: readonly Risk[], asked: SourcedRule | undefined): OfferedValues {
  const whole = everywhere([{ line: line.request.command.trim() }]);
  if (left.some((risk) => risk.command === undefined || risk.class === "download-run")) return whole;
  const places = new Set(left.flatMap((risk) => risk.command ?? []));
  const calls = [...[...places].flatMap((place) => line.seen.calls[place] ?? []), ...(asked === undefined ? [] : askedCalls(line, asked))];
  return calls.length === 0 ? whole : (rulesForCalls(calls, line.exec) ?? whole);
}

/** Wider rules, each of which would really have allowed the line. */
function wider(line: Line, left: readonly Risk[]): WiderValues {
  if (left.some((risk) => risk.command === undefined || risk.class === "download-run" || risk.class === "inline-code")) return {};
  const places = new Set(left.flatMap((risk) => risk.command ?? []));
  const found = widerForCalls(
    [...places].flatMap((place) => line.seen.calls[place] ?? []),
    line.exec,
  );
  const works = (values: OfferedValues) =>
    [values.session, values.project].every((some) => uncovered({ ...line, risks: left }, some.flatMap(toRule), []).length === 0);
  return Object.fromEntries(Object.entries(found).filter(([, values]) => works(values)));
}

function toRule(value: RuleValue): readonly SourcedRule[] {
  const rule = parseEntry({ list: "allow", value });
  return typeof rule === "string" ? [] : [{ list: "allow", rule, source: "session" }];
}

/** The rule for the command line of this program: the one risky simple command as it is typed, else the whole line. */
function suggestion({ request, seen }: Line, left: readonly Risk[]): string {
  const places = new Set(left.map((risk) => risk.command));
  const only = places.size === 1 ? [...places][0] : undefined;
  const call = only === undefined ? undefined : seen.calls[only];
  const words = call?.simple.words.map((word) => word.text) ?? [];
  const plain = words.length > 0 && words.every((word) => /^[\w@%+=:,./~*?-]+$/.test(word) && !word.includes(UNKNOWN));
  return plain && call?.simple.redirects.length === 0 ? words.join(" ") : request.command.trim();
}
