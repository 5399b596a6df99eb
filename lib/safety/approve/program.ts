import { type ExecScope, inspect } from "../exec/exec.js";
import { ruleCovers } from "../rules/match.js";
import type { SourcedRule } from "../rules/rules.js";
import { parseShell } from "../shell/parse.js";
import { decideCommand } from "./command.js";
import { deniedBy, filterListRules, hostRule, isYolo, toolRule } from "./common.js";
import { isWholeLineRule, onlyReads } from "./cover.js";
import { everywhere, NO_RULES, type OfferedValues, type RuleValue, rulesForWrites, ruleText } from "./offer.js";
import type { ApprovalDecision, ApprovalRequest, ApprovalScope, AskDecision, ProgramRequest, Reason } from "./types.js";
import { coversWrite, decideTool, decideWrite } from "./write.js";

/**
 * Decide about what a program asks that works a turn (extensions part, 8.5). It asks because the call leaves its own sandbox or policy, so that
 * "harmless" does not count: only rules, earlier answers, `--yolo` and people allow it. No model does: what else the program has read is unknown.
 */
export function decideProgram(
  request: ApprovalRequest,
  program: ProgramRequest,
  scope: ApprovalScope,
): ApprovalDecision {
  const { program: _of, ...asked } = request;
  const plain = request.kind === "command" ? { ...asked, command: scriptOf(asked, scope) } : asked;
  const here: ApprovalScope = { ...scope, isolated: false };
  const refused = refusalOf(plain, program, here);
  if (refused !== undefined) return refused;
  if (program.person === true) return byPerson(plain, program, here);
  if (isYolo(here)) return { outcome: "allowed", by: "yolo" };
  if (program.typed !== undefined) return once(question(program, here, NO_RULES));
  const decision = judge(plain, program, here);
  return decision.outcome === "ask" ? withScopes(decision, program) : decision;
}

const SHELL = /^(?:\/(?:usr\/)?bin\/)?(?:ba|z|da)?sh$/;

/**
 * The script of a line that only starts a shell for it (`/bin/bash -lc '...'`), as programs ask about all of their commands: rules are about what
 * runs in it. Any other line stays as it is.
 */
function scriptOf({ command, cwd }: ApprovalRequest, { paths }: ApprovalScope): string {
  const { commands, findings } = parseShell(command, { cwd, userHome: paths.userHome, agentHome: paths.home.dir });
  const [only, second] = commands;
  if (only === undefined || second !== undefined || findings.length > 0) return command;
  const { words, assignments, redirects } = only;
  const [shell, option, script, more] = words;
  const plain = words.every(({ literal, glob }) => literal && !glob) && assignments.length + redirects.length === 0;
  if (!plain || script === undefined || more !== undefined) return command;
  return SHELL.test(shell?.text ?? "") && /^-l?c$/.test(option?.text ?? "") ? script.text : command;
}

/** What no answer allows: hard block list, guarded paths, rules that deny. Rules may know the tool by another name. */
function refusalOf(
  request: ApprovalRequest,
  { typed, names }: ProgramRequest,
  scope: ApprovalScope,
): ApprovalDecision | undefined {
  const denies = filterListRules(scope, "deny");
  for (const tool of names) {
    const rule = toolRule(denies, { ...request, tool });
    if (rule !== undefined) return deniedBy(rule);
  }
  const found = [
    ...(request.kind === "tool" && typed === undefined ? [decideTool(request, scope)] : []),
    ...(request.kind === "command" ? [decideCommand(request, scope)] : []),
    // Typed text may be a command for the shell that reads it.
    ...(typed === undefined ? [] : [decideCommand({ ...request, kind: "command", command: typed }, scope)]),
    ...(request.paths === undefined ? [] : [decideWrite({ ...request, kind: "write" }, scope)]),
  ];
  return found.find(({ outcome }) => outcome === "blocked" || outcome === "denied");
}

/** A checkpoint for people: no rule, mode or earlier answer stands for them. */
function byPerson(request: ApprovalRequest, program: ProgramRequest, scope: ApprovalScope): AskDecision {
  const seen =
    program.typed === undefined ? judge(request, program, { ...withoutAnswers(scope), yolo: false }) : undefined;
  const asked = question(program, scope, NO_RULES);
  if (seen?.outcome !== "ask") return { ...once(asked), person: true };
  return { ...once({ ...seen, reasons: [...asked.reasons, ...seen.reasons] }), person: true };
}

/** The scope with nothing in it that allows. */
const withoutAnswers = ({ grants: _grants, ...scope }: ApprovalScope): ApprovalScope => ({
  ...scope,
  mode: scope.mode === "off" ? "manual" : scope.mode,
  allowlist: [],
  rules: { ...scope.rules, rules: scope.rules.rules.filter(({ list }) => list !== "allow") },
});

/** One answer, for this time. */
const once = ({ wider: _wider, ...asked }: AskDecision): AskDecision => ({
  ...asked,
  options: ["once", "deny"],
  offered: NO_RULES,
  rule: "",
  smart: false,
});

function judge(request: ApprovalRequest, program: ProgramRequest, scope: ApprovalScope): ApprovalDecision {
  switch (request.kind) {
    case "command":
      return judgeCommand(request, program, scope);
    case "write":
      return judgeWrite(request, program, scope);
    default:
      return judgeTool(request, program, scope);
  }
}

function judgeCommand(request: ApprovalRequest, program: ProgramRequest, scope: ApprovalScope): ApprovalDecision {
  // Where our own commands have a cage, leaving the sandbox of the program is leaving the cage.
  const decision = decideCommand({ ...request, outside: program.reason }, scope);
  if (decision.outcome === "ask") return withReason(decision, program);
  if (decision.outcome !== "allowed" || decision.by === "session grant" || decision.outside === true) return decision;
  const rule = ruleForLine(request, scope);
  if (rule !== undefined) return { outcome: "allowed", by: "rule", rule };
  return question(program, scope, everywhere([{ line: request.command.trim() }]));
}

/** The rule that names the line, or those that allow each of its commands that does more than read. */
function ruleForLine(request: ApprovalRequest, scope: ApprovalScope): SourcedRule | undefined {
  const exec: ExecScope = { ...scope.paths, cwd: request.cwd };
  const { calls, parsed } = inspect(request.command, exec);
  const rules = rulesThatAllow(scope);
  const whole = rules.find(({ rule }) => rule.kind === "command" && isWholeLineRule(rule, request));
  if (whole !== undefined) return whole;
  const covering = calls
    .filter((call) => !onlyReads(call, parsed))
    .map((call) => rules.find(({ rule }) => rule.kind === "command" && ruleCovers(rule, call, exec, calls)));
  return covering.every((rule) => rule !== undefined) ? covering[0] : undefined;
}

function judgeWrite(request: ApprovalRequest, program: ProgramRequest, scope: ApprovalScope): ApprovalDecision {
  const decision = decideWrite(request, scope);
  if (decision.outcome === "ask") return withReason(decision, program);
  const paths = request.paths ?? [];
  const rules = rulesThatAllow(scope);
  const covered = paths.length > 0 && paths.every((path) => coversWrite(rules, path, request, scope));
  if (decision.outcome !== "allowed" || covered) return decision;
  return question(program, scope, paths.length === 0 ? NO_RULES : rulesForWrites(paths, scope.paths.project));
}

function judgeTool(request: ApprovalRequest, program: ProgramRequest, scope: ApprovalScope): ApprovalDecision {
  const { hosts = [] } = request;
  if (hosts.length === 0)
    return decideTool({ ...request, declared: { class: "tool-risk", text: program.reason } }, scope);
  const decision = decideTool(request, scope);
  if (decision.outcome === "ask") return withReason(decision, program);
  const rules = rulesThatAllow(scope);
  const rule = hosts.map((host) => hostRule(rules, [host]));
  if (decision.outcome !== "allowed" || rule.every((one) => one !== undefined)) return decision;
  return question(program, scope, everywhere(hosts.map((host) => `fetch:${host}`)));
}

const rulesThatAllow = (scope: ApprovalScope): readonly SourcedRule[] => [
  ...filterListRules(scope, "allow"),
  ...(scope.grants ?? []),
];

const reasonOf = ({ reason }: ProgramRequest): Reason => ({ class: "tool-risk", text: reason });

/** A line that leaves the cage has the reason of the program in its text already. */
const withReason = (decision: AskDecision, program: ProgramRequest): AskDecision =>
  decision.reasons.some(({ class: of }) => of === "outside-cage")
    ? decision
    : { ...decision, reasons: [...decision.reasons, reasonOf(program)] };

function question(program: ProgramRequest, scope: ApprovalScope, offered: OfferedValues): AskDecision {
  const [stored]: readonly (RuleValue | undefined)[] = offered.always;
  return {
    outcome: "ask",
    reasons: [reasonOf(program)],
    segments: [],
    options: offered === NO_RULES ? ["once", "deny"] : ["once", "session", "project", "always", "deny"],
    offered,
    rule: stored === undefined || offered.always.length > 1 ? "" : ruleText(stored),
    smart: false,
    untrusted: scope.rules.untrusted.length > 0,
    notices: scope.rules.notices,
  };
}

/** Answers that the program itself can remember; all edits of a session at once are not its to answer. */
function withScopes(decision: AskDecision, { scopes }: ProgramRequest): AskDecision {
  const offers = (scope: "session" | "always") => scopes === undefined || scopes.includes(scope);
  const options = decision.options.filter((option) => {
    if (option === "edits") return false;
    if (option === "session") return offers("session");
    return option === "project" || option === "always" ? offers("always") : true;
  });
  return { ...decision, options, smart: false };
}
