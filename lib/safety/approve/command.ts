import type { ApprovalOption } from "../../contracts/chat/questions.js";
import { EASED, NEVER_SMART, ONCE_ONLY, PREVENTED } from "../exec/classes.js";
import { findClientName } from "../exec/clients.js";
import { type ExecScope, type Inspected, inspect, type Risk } from "../exec/exec.js";
import { changesRepositorySettings } from "../exec/git-settings.js";
import { parseRuleEntry } from "../rules/entry.js";
import { ruleCovers, ruleTouches } from "../rules/match.js";
import type { ListName, SourcedRule } from "../rules/rules.js";
import { renderSimpleCommand } from "../shell/open.js";
import { writeTargets } from "../writes/find.js";
import type { Call } from "../writes/operands.js";
import { deniedBy, filterListRules, filterNameRules, isYolo, pathRule, toolRule } from "./common.js";
import {
  coverOf,
  type InspectedLine,
  isWholeLineRule,
  onlyReads,
  outsideRule,
  risksWhereItRuns,
  uncovered,
} from "./cover.js";
import {
  everyRule,
  everywhere,
  NO_RULES,
  type OfferedValues,
  type RuleValue,
  rulesForCalls,
  ruleText,
  shownRule,
  withoutCage,
} from "./offer.js";
import type { ApprovalDecision, ApprovalRequest, ApprovalScope, AskDecision, Reason } from "./types.js";
import { type WiderValues, widerForCalls } from "./widths.js";

/** The scope of the classes with the directory of the call. */
const execScope = (request: Pick<ApprovalRequest, "cwd">, scope: ApprovalScope): ExecScope => ({
  ...scope.paths,
  cwd: request.cwd,
});

/** Decide about a command line (core part, 20.1). */
export function decideCommand(request: ApprovalRequest, scope: ApprovalScope): ApprovalDecision {
  const exec = execScope(request, scope);
  const seen = inspect(request.command, exec);
  if (seen.blocked !== undefined) return { outcome: "blocked", message: seen.blocked };
  const line: InspectedLine = {
    request,
    scope,
    exec,
    seen,
    risks: [...seen.risks, ...aroundRisks(request, scope), ...heldSettings(request, scope, seen)],
  };
  const denied = ruleAbout(line, "deny");
  if (denied !== undefined) return deniedBy(denied);
  const leaves = scope.cage !== undefined && request.outside !== undefined;
  if (isYolo(scope)) return { outcome: "allowed", by: "yolo", ...(leaves ? { outside: true } : openClients(line, [])) };
  const asked = ruleAbout(line, "ask");
  const granted = grantFor(line, asked);
  if (granted !== undefined) return granted;
  if (scope.isolated && asked === undefined) return { outcome: "allowed", by: "isolated backend" };
  const rules = [...filterListRules(scope, "allow"), ...(scope.grants ?? [])];
  if (asked === undefined) {
    const rule = outsideRule(line, rules);
    if (rule !== undefined) return { outcome: "allowed", by: "rule", rule, outside: true };
  }
  const risks = risksWhereItRuns(line);
  const left = uncovered(line, risks, rules, scope.allowlist);
  if (left.length > 0 || asked !== undefined) return question(line, left, asked);
  const rule = risks.length === 0 ? undefined : coverOf(line, risks[0], rules);
  const by = line.risks.length === 0 ? "no risk" : risks.length === 0 ? "cage" : "rule";
  return { outcome: "allowed", by, ...(rule === undefined ? {} : { rule }), ...openClients(line, rules) };
}

/** Clients that the line names may be started in the cage, unless something stands beside them that is left to the cage to hold back. */
function openClients(line: InspectedLine, rules: readonly SourcedRule[]): { readonly clients?: readonly string[] } {
  const eased = line.risks.filter((risk) => EASED.has(risk.class));
  return uncovered(line, eased, rules, line.scope.allowlist).length > 0 ? {} : namedClients(line);
}

function namedClients({ scope, seen }: InspectedLine): { readonly clients?: readonly string[] } {
  const names = new Set(seen.calls.flatMap(({ program }) => findClientName(program) ?? []));
  return scope.cage === undefined || names.size === 0 ? {} : { clients: [...names] };
}

/** What is to be asked about beside what the line itself does. */
function aroundRisks({ outside }: ApprovalRequest, scope: ApprovalScope): readonly Risk[] {
  const found: Risk[] =
    scope.scanned === undefined ? [] : [{ class: "scanner", text: scope.scanned, command: undefined }];
  if (outside === undefined || scope.cage === undefined) return found;
  const why = outside.trim() === "" ? "no reason was given" : outside.trim().slice(0, 500);
  return [...found, { class: "outside-cage", text: `runs outside the cage: ${why}`, command: undefined }];
}

/** The cage has settings of repositories read-only, so the line would only fail in it. */
function heldSettings({ outside }: ApprovalRequest, { cage }: ApprovalScope, { calls }: Inspected): readonly Risk[] {
  if (cage === undefined || outside !== undefined) return [];
  const text = "changes the settings of the repository, which are read-only in the cage";
  return calls.flatMap((call, command) =>
    changesRepositorySettings(call) ? [{ class: "outside-cage" as const, text, command }] : [],
  );
}

/** The first deny or ask rule that touches any part of the line: its commands, the files it writes, the tool itself. */
function ruleAbout({ request, scope, exec, seen }: InspectedLine, list: ListName): SourcedRule | undefined {
  const rules = filterListRules(scope, list);
  const byCommand = rules.find(
    ({ rule }) =>
      rule.kind === "command" &&
      (isWholeLineRule(rule, request) || seen.calls.some((call) => ruleTouches(rule, call, exec))),
  );
  if (byCommand !== undefined || rules.length === 0) return byCommand;
  const written =
    filterNameRules(rules, "write").length === 0
      ? []
      : seen.calls.flatMap((call) => writeTargets(call).filter((path) => path !== undefined));
  return toolRule(rules, request) ?? pathRule(rules, "write", written, scope);
}

/** An answer of this lineage that covers the whole line, the parts that a rule asks about included. */
function grantFor(line: InspectedLine, asked: SourcedRule | undefined): ApprovalDecision | undefined {
  const grants = line.scope.grants ?? [];
  if (grants.length === 0 || (line.risks.length === 0 && asked === undefined)) return undefined;
  const outside = outsideRule(line, grants);
  const risks = risksWhereItRuns(line);
  if (
    outside === undefined &&
    (uncovered(line, risks, grants, []).length > 0 || (risks.length === 0 && asked === undefined))
  )
    return undefined;
  const calls = asked === undefined ? [] : askedCalls(line, asked);
  const whole = grants.find(({ rule }) => rule.kind === "command" && isWholeLineRule(rule, line.request));
  const covers = (call: Call) =>
    grants.find(({ rule }) => rule.kind === "command" && ruleCovers(rule, call, line.exec, line.seen.calls));
  if (
    asked !== undefined &&
    whole === undefined &&
    (calls.length === 0 || !calls.every((call) => covers(call) !== undefined))
  )
    return undefined;
  const [first] = calls;
  const rule = outside ?? whole ?? (first === undefined ? coverOf(line, risks[0], grants) : covers(first));
  return {
    outcome: "allowed",
    by: "session grant",
    ...(rule === undefined ? {} : { rule }),
    ...(outside === undefined ? openClients(line, grants) : { outside: true }),
  };
}

/** Calls that an ask rule is about. */
function askedCalls({ exec, seen }: InspectedLine, { rule }: SourcedRule): readonly Call[] {
  return rule.kind === "command" ? seen.calls.filter((call) => ruleTouches(rule, call, exec)) : [];
}

const ALL: readonly ApprovalOption[] = ["once", "session", "project", "always", "deny"];

function question(line: InspectedLine, left: readonly Risk[], asked: SourcedRule | undefined): AskDecision {
  const { scope, seen } = line;
  const leaves = scope.cage !== undefined && left.some((risk) => PREVENTED.has(risk.class) || risk.firm === true);
  // An answer lets the whole line run outside, so everything that a cage would have made harmless is asked about with it.
  const open = leaves ? uncovered(line, line.risks, rulesOutside(scope), scope.allowlist) : left;
  const reasons: Reason[] = open.map((risk) => ({ class: risk.class, text: risk.text }));
  if (asked !== undefined)
    reasons.unshift({ class: "rule", text: `the rule '${shownRule(asked)}' (${asked.source}) asks` });
  const onceOnly = open.some((risk) => ONCE_ONLY.has(risk.class));
  const segments = seen.calls.map((call, index) => {
    const risk = open.find((one) => one.command === index);
    const argv = renderSimpleCommand(call.simple);
    return {
      argv,
      ...(risk === undefined
        ? {}
        : { class: risk.class, why: risk.text.replace(/: (.*)$/s, (end, told) => (told === argv ? "" : end)) }),
    };
  });
  const offered = onceOnly ? NO_RULES : offer(line, open, asked, leaves);
  // A stored rule that allows is weaker than one that asks.
  const options = onceOnly
    ? (["once", "deny"] as const)
    : asked === undefined
      ? ALL
      : (["once", "session", "deny"] as const);
  return {
    outcome: "ask",
    reasons,
    segments,
    options,
    offered: asked === undefined ? offered : { ...NO_RULES, session: offered.session },
    ...(onceOnly || asked !== undefined ? {} : { wider: wider(line, open, leaves) }),
    rule: onceOnly || asked !== undefined ? "" : suggestion(line, open, offered, leaves),
    ...(asked === undefined ? {} : { asks: asked }),
    smart: scope.mode === "smart" && !open.some((risk) => NEVER_SMART.has(risk.class)),
    untrusted: scope.rules.untrusted.length > 0,
    notices: scope.rules.notices,
    ...(leaves ? { outside: true as const } : {}),
    ...namedClients(line),
  };
}

const rulesOutside = (scope: ApprovalScope): readonly SourcedRule[] =>
  [...filterListRules(scope, "allow"), ...(scope.grants ?? [])].filter(
    ({ rule }) => rule.kind === "command" && rule.cage === "off",
  );

/** Rules for the calls that need one; where the risk lies in the line as a whole, the line itself. */
function offer(
  line: InspectedLine,
  left: readonly Risk[],
  asked: SourcedRule | undefined,
  leaves: boolean,
): OfferedValues {
  const placed = (values: OfferedValues) => (leaves ? everyRule(values, withoutCage) : values);
  const whole = placed(everywhere([{ line: line.request.command.trim() }]));
  const own = left.filter((risk) => risk.class !== "outside-cage");
  if (own.some((risk) => risk.command === undefined || risk.class === "download-run")) return whole;
  const calls = [...callsOf(line, left), ...(asked === undefined ? [] : askedCalls(line, asked))];
  const rules = calls.length === 0 ? undefined : rulesForCalls(calls, line.exec);
  return rules === undefined ? whole : placed(rules);
}

/** Calls that rules have to name: those at risk, and where the line asks to leave the cage every one that does more than read. */
function callsOf({ seen }: InspectedLine, left: readonly Risk[]): readonly Call[] {
  const places = new Set(left.flatMap((risk) => risk.command ?? []));
  const leaving = left.some((risk) => risk.class === "outside-cage");
  const found = seen.calls.filter((call, index) => places.has(index) || (leaving && !onlyReads(call, seen.parsed)));
  return found.length === 0 && leaving ? seen.calls.slice(0, 1) : found;
}

/** Wider rules, each of which would really have allowed the line. */
function wider(line: InspectedLine, left: readonly Risk[], leaves: boolean): WiderValues {
  const own = left.filter((risk) => risk.class !== "outside-cage");
  if (own.some((risk) => risk.command === undefined || risk.class === "download-run" || risk.class === "inline-code"))
    return {};
  const found = Object.entries(widerForCalls(callsOf(line, left), line.exec)).map(
    ([width, values]) => [width, leaves ? everyRule(values, withoutCage) : values] as const,
  );
  return Object.fromEntries(
    found.filter(([, values]) => [values.session, values.project].every((some) => works(line, some))),
  );
}

/** The decision with these rules allows the line, and outside the cage where it asks for that. */
function works(line: InspectedLine, values: readonly RuleValue[]): boolean {
  const more = values.flatMap((value): readonly SourcedRule[] => {
    const rule = parseRuleEntry({ list: "allow", value });
    return typeof rule === "string" ? [] : [{ list: "allow", rule, source: "session" }];
  });
  if (outsideRule(line, more) !== undefined) return true;
  const rules = [...filterListRules(line.scope, "allow"), ...(line.scope.grants ?? []), ...more];
  return uncovered(line, risksWhereItRuns(line), rules, line.scope.allowlist).length === 0;
}

/** The rule for the command line of this program: the one risky simple command as it is typed, else the whole line. "": none would do. */
function suggestion(line: InspectedLine, left: readonly Risk[], offered: OfferedValues, leaves: boolean): string {
  const { request } = line;
  const [call, second] = callsOf(line, left);
  const words = call === undefined || second !== undefined ? [] : call.simple.words.map((word) => word.text);
  const plain =
    words.length > 0 && words.every((word) => /^[\w@%+=:,./~*?-]+$/.test(word)) && call?.simple.redirects.length === 0;
  const whole = request.command.trim();
  const typed = plain ? words.join(" ") : whole;
  const texts: readonly RuleValue[] = leaves
    ? [
        { command: typed, cage: "off" },
        { line: whole, cage: "off" },
      ]
    : [typed, whole, { line: whole }];
  const value = [...texts, ...(offered.always.length === 1 ? offered.always : [])].find((one) => works(line, [one]));
  if (value === undefined) return "";
  return typeof value === "string" && !value.startsWith("{") ? value : ruleText(value);
}
