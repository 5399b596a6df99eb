import { NEVER_SMART, ONCE_ONLY } from "./exec/classes.js";
import { type ExecScope, type Inspected, inspect, type Risk, type RiskClass } from "./exec.js";
import { glob } from "./glob.js";
import { guardWrite } from "./paths.js";
import type { CommandRule, NameRule } from "./rules/entry.js";
import { allows, matchesAny, touches } from "./rules/match.js";
import type { ListName, RuleSet, SourcedRule } from "./rules.js";
import { show } from "./shell/open.js";
import { UNKNOWN } from "./shell/types.js";

/** One thing that may need permission. */
export interface ApprovalRequest {
  readonly kind: "command" | "write" | "tool";
  readonly tool: string;
  readonly command: string;
  readonly cwd: string;
  readonly paths?: readonly string[];
}

export interface ApprovalScope {
  readonly paths: Omit<ExecScope, "cwd">;
  readonly rules: RuleSet;
  readonly yolo: boolean;
  readonly mode: string;
  readonly edits: string;
  readonly allowlist: readonly string[];
  /** Answers given for this lineage: rules that count like allow rules. */
  readonly grants?: readonly SourcedRule[];
  /** The command runs where it cannot reach the machine's files. */
  readonly isolated?: boolean;
}

export interface Reason {
  readonly class: RiskClass | "rule" | "edit";
  readonly text: string;
}

export type Decision =
  | { readonly outcome: "allowed"; readonly by: string }
  | { readonly outcome: "blocked"; readonly message: string }
  | { readonly outcome: "denied"; readonly message: string }
  | {
      readonly outcome: "ask";
      readonly reasons: readonly Reason[];
      /** Simple commands as they will run, for the question. */
      readonly segments: readonly { readonly argv: string; readonly class?: RiskClass }[];
      readonly options: readonly ("once" | "session" | "project" | "always" | "deny")[];
      /** The rule that would allow it; "" when no rule can. */
      readonly rule: string;
      /** A model may answer in `smart` mode. */
      readonly smart: boolean;
      readonly notices: readonly string[];
    };

/** Decide about one call: the table of core part 20.1, first match wins. */
export function decide(request: ApprovalRequest, scope: ApprovalScope): Decision {
  if (request.kind === "command") return decideCommand(request, scope);
  return request.kind === "write" ? decideWrite(request, scope) : decideTool(request, scope);
}

/** `--yolo`, AGENT_YOLO_MODE as it is now, or approvals switched off. */
function isYolo(scope: ApprovalScope): boolean {
  return scope.yolo || scope.mode === "off" || /^(1|true|yes|on)$/i.test(scope.paths.env["AGENT_YOLO_MODE"] ?? "");
}

const listed = (scope: ApprovalScope, list: ListName): readonly SourcedRule[] => scope.rules.rules.filter((one) => one.list === list);
const allowRules = (scope: ApprovalScope): readonly SourcedRule[] => [...listed(scope, "allow"), ...(scope.grants ?? [])];
const commandRules = (rules: readonly SourcedRule[]): readonly CommandRule[] =>
  rules.flatMap(({ rule }) => (rule.kind === "command" ? [rule] : []));

function decideCommand(request: ApprovalRequest, scope: ApprovalScope): Decision {
  const exec: ExecScope = { ...scope.paths, cwd: request.cwd };
  const seen = inspect(request.command, exec);
  if (seen.blocked !== undefined) return { outcome: "blocked", message: seen.blocked };
  const denied = deniedBy(seen, request.command, scope, exec);
  if (denied !== undefined) return { outcome: "denied", message: `Denied by the rule '${denied.rule.text}' (${denied.source}).` };
  if (isYolo(scope)) return { outcome: "allowed", by: "yolo" };
  const asked = commandRules(listed(scope, "ask")).find(
    (rule) => rule.text === request.command.trim() || seen.calls.some((call) => touches(rule, call, exec)),
  );
  if (scope.isolated && asked === undefined) return { outcome: "allowed", by: "isolated backend" };
  const left = uncovered(seen, request.command, scope, exec);
  if (left.length === 0 && asked === undefined) return { outcome: "allowed", by: seen.risks.length === 0 ? "no risk" : "rule" };
  const reasons: Reason[] = left.map((risk) => ({ class: risk.class, text: risk.text }));
  if (asked !== undefined) reasons.unshift({ class: "rule", text: `the rule '${asked.text}' asks` });
  return question(request, scope, seen, { left, reasons });
}

function deniedBy(seen: Inspected, command: string, scope: ApprovalScope, exec: ExecScope): SourcedRule | undefined {
  return listed(scope, "deny").find(({ rule }) => {
    if (rule.kind === "tool") return glob(rule.pattern).word("terminal");
    if (rule.kind !== "command") return false;
    return rule.text === command.trim() || seen.calls.some((call) => touches(rule, call, exec));
  });
}

/** Risks that no rule, grant or configured class covers. */
function uncovered(seen: Inspected, command: string, scope: ApprovalScope, exec: ExecScope): readonly Risk[] {
  const rules = commandRules(allowRules(scope));
  const whole =
    rules.some((rule) => rule.text === command.trim()) ||
    allowRules(scope).some(({ rule }) => rule.kind === "tool" && glob(rule.pattern).word("terminal"));
  return seen.risks.filter((risk) => {
    if (ONCE_ONLY.has(risk.class)) return true;
    if (whole || scope.allowlist.includes(risk.class)) return false;
    if (risk.class === "inline-code") return !rules.some((rule) => rule.inline && seen.calls.some((call) => allows(rule, call, exec)));
    const call = risk.command === undefined ? undefined : seen.calls[risk.command];
    return call === undefined || !rules.some((rule) => allows(rule, call, exec));
  });
}

function question(
  request: ApprovalRequest,
  scope: ApprovalScope,
  seen: Inspected,
  found: { left: readonly Risk[]; reasons: readonly Reason[] },
): Decision {
  const { left, reasons } = found;
  const onceOnly = left.some((risk) => ONCE_ONLY.has(risk.class));
  const segments = seen.calls.map((call, index) => {
    const risk = left.find((one) => one.command === index);
    return { argv: show(call.simple), ...(risk === undefined ? {} : { class: risk.class }) };
  });
  return {
    outcome: "ask",
    reasons,
    segments,
    options: onceOnly ? ["once", "deny"] : ["once", "session", "project", "always", "deny"],
    rule: onceOnly ? "" : ruleFor(request.command, seen, left),
    smart: scope.mode === "smart" && !left.some((risk) => NEVER_SMART.has(risk.class)),
    notices: scope.rules.notices,
  };
}

/** As narrow as the command: the one risky simple command of a line, else the whole line. */
function ruleFor(command: string, seen: Inspected, left: readonly Risk[]): string {
  const places = new Set(left.map((risk) => risk.command));
  const only = places.size === 1 ? [...places][0] : undefined;
  const call = only === undefined ? undefined : seen.calls[only];
  const words = call?.simple.words.map((word) => word.text) ?? [];
  const plain = words.length > 0 && words.every((word) => /^[\w@%+=:,./~*?-]+$/.test(word) && !word.includes(UNKNOWN));
  return plain && call?.simple.redirects.length === 0 ? words.join(" ") : command.trim();
}

const named = (rules: readonly SourcedRule[], kind: NameRule["kind"]): readonly NameRule[] =>
  rules.flatMap(({ rule }) => (rule.kind === kind ? [rule] : []));

function decideWrite(request: ApprovalRequest, scope: ApprovalScope): Decision {
  const paths = request.paths ?? [];
  const answers = paths.map((path) => guardWrite(path, scope.paths));
  const refused = answers.find((answer) => !answer.ok);
  if (refused?.ok === false) return { outcome: "blocked", message: refused.why };
  const hits = (list: ListName) =>
    named(listed(scope, list), "write").find((rule) => paths.some((path) => matchesAny([rule.pattern], path, scope.paths)));
  const tool = toolRule(listed(scope, "deny"), request.tool);
  const deny = hits("deny") ?? tool;
  if (deny !== undefined) return { outcome: "denied", message: `Denied by the rule '${deny.text}'.` };
  if (isYolo(scope)) return { outcome: "allowed", by: "yolo" };
  const ask = hits("ask") ?? toolRule(listed(scope, "ask"), request.tool);
  const allow = named(allowRules(scope), "write");
  const covered = (path: string) =>
    allow.some((rule) => matchesAny([rule.pattern], path, scope.paths)) || toolRule(allowRules(scope), request.tool) !== undefined;
  const reasons: Reason[] = ask === undefined ? [] : [{ class: "rule", text: `the rule '${ask.text}' asks` }];
  for (const [index, answer] of answers.entries()) reasons.push(...writeReasons(answer, paths[index] ?? "", scope, covered));
  if (reasons.length === 0) return { outcome: "allowed", by: "no risk" };
  const rule = paths.length === 1 ? `write:${paths[0] ?? ""}` : `write:{${paths.join(",")}}`;
  const options = ["once", "session", "project", "always", "deny"] as const;
  return { outcome: "ask", reasons, segments: [], options, rule, smart: false, notices: scope.rules.notices };
}

function writeReasons(
  answer: ReturnType<typeof guardWrite>,
  path: string,
  scope: ApprovalScope,
  covered: (path: string) => boolean,
): readonly Reason[] {
  if (!answer.ok || covered(path)) return [];
  const { allowlist } = scope;
  if (answer.risk !== undefined && !allowlist.includes(answer.risk)) return [{ class: answer.risk, text: `writes settings: ${path}` }];
  if (answer.outside && !allowlist.includes("outside-write"))
    return [{ class: "outside-write", text: `writes outside the project: ${path}` }];
  return scope.edits === "ask" && !answer.outside ? [{ class: "edit", text: `changes ${path}` }] : [];
}

const toolRule = (rules: readonly SourcedRule[], tool: string): NameRule | undefined =>
  named(rules, "tool").find((rule) => rule.args === undefined && glob(rule.pattern).word(tool));

function decideTool(request: ApprovalRequest, scope: ApprovalScope): Decision {
  const deny = toolRule(listed(scope, "deny"), request.tool);
  if (deny !== undefined) return { outcome: "denied", message: `Denied by the rule '${deny.text}'.` };
  if (isYolo(scope)) return { outcome: "allowed", by: "yolo" };
  const ask = toolRule(listed(scope, "ask"), request.tool);
  if (ask === undefined) return { outcome: "allowed", by: "no risk" };
  return {
    outcome: "ask",
    reasons: [{ class: "rule", text: `the rule '${ask.text}' asks` }],
    segments: [],
    options: ["once", "session", "project", "always", "deny"],
    rule: `tool:${request.tool}`,
    smart: false,
    notices: scope.rules.notices,
  };
}

/** What a tool is told. */
export type Answer =
  | { readonly allowed: true; readonly by: string }
  | { readonly allowed: false; readonly status: "denied" | "blocked"; readonly message: string; readonly rule?: string };

const NO_WAY_ROUND = "Do not retry, rephrase or reach the same result in another way; ask the user, or do something else.";

/** The answer where nobody can be asked: what would be asked is denied, with the rule that would allow it (core part, 20.7). */
export function answerHeadless(decision: Decision): Answer {
  switch (decision.outcome) {
    case "allowed":
      return { allowed: true, by: decision.by };
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
