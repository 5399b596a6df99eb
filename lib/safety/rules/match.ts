import { isAbsolute, join } from "node:path";
import { expandTilde } from "../../base/tilde.js";
import { UNKNOWN } from "../options/command-line.js";
import { baseName } from "../options/programs.js";
import { isOneOf } from "../options/read.js";
import type { GivenOption } from "../options/types.js";
import { glob } from "../paths/glob.js";
import { guardWrite } from "../paths/paths.js";
import { findWriteTargets, isHarmlessDevice, isWriteInside } from "../writes/find.js";
import { type Call, type ExecScope, operandPath } from "../writes/operands.js";
import { joinedTargets } from "../writes/table.js";
import type { CommandRule } from "./entry.js";

/** With these a name means another program than the one that was allowed. */
const CHANGES_PROGRAM = /^(PATH|IFS|LD_\w+|DYLD_\w+)\+?=/;

/** An allow rule covers a call: nothing in the call goes beyond what the rule names. */
export function ruleCovers(rule: CommandRule, call: Call, scope: ExecScope, calls: readonly Call[] = [call]): boolean {
  // What another program hands over cannot be compared with what the rule names.
  const handed = call.simple.under.some((by) => by === "xargs" || by === "parallel" || by === "find");
  if (handed && (rule.paths !== undefined || rule.exact)) return false;
  if (rule.whole || call.simple.assignments.some((word) => CHANGES_PROGRAM.test(word.text))) return false;
  if (
    !isProgram(rule, call) ||
    call.simple.words.some((word) => word.text.includes(UNKNOWN) && rule.paths === undefined && rule.exact)
  )
    return false;
  const operands = call.operands;
  if (
    !rule.words.every(
      (word, index) => operands[index]?.literal === true && glob(word).word(operands[index]?.text ?? ""),
    )
  )
    return false;
  const rest = operands.slice(rule.words.length);
  if (rule.exact && rest.length > 0) return false;
  if (rule.flags !== undefined && !call.options.every((option) => isListed(option, rule.flags ?? []))) return false;
  if (rule.paths === undefined) return writesWithin(rule, call, scope, calls);
  return pathsOf(call, [...rest, ...joinedTargets(call)]).every(
    (path) => path !== undefined && matchesAny(rule.paths ?? [], path, scope),
  );
}

/** The option is one of the list: as it is written, or as the program completes it. */
function isListed(option: GivenOption, flags: readonly string[]): boolean {
  const [name] = option.names;
  return flags.some(
    (one) => sameFlag(one, option.text) || (option.names.length === 1 && name !== undefined && sameFlag(one, name)),
  );
}

/** A rule without paths names no place: it covers what lies in the project, and what it names itself word by word. */
function writesWithin(rule: CommandRule, call: Call, scope: ExecScope, calls: readonly Call[]): boolean {
  const line = { calls, userHome: scope.userHome };
  const words = call.operands.slice(0, rule.words.length).filter((word, index) => rule.words[index] === word.text);
  const named = new Set(words.flatMap((word) => operandPath(word.text, call.simple.cwd) ?? []));
  const { paths, unknown } = findWriteTargets(call, line);
  if (unknown.length > 0) return false;
  return paths.every((path) => {
    if (isHarmlessDevice(path) || named.has(path)) return true;
    const answer = guardWrite(path, scope);
    return answer.ok && answer.risk === undefined && isWriteInside(path, scope);
  });
}

/** A deny or ask rule touches a call: any listed flag or path is enough; without both, the words are. */
export function ruleTouches(rule: CommandRule, call: Call, scope: ExecScope): boolean {
  if (!isProgram(rule, call) || !inOrder(rule.words, call)) return false;
  if (rule.flags === undefined && rule.paths === undefined) return true;
  if (rule.flags?.some((one) => call.options.some((option) => mayBe(option, one)))) return true;
  return pathsOf(call, call.operands).some((path) => path !== undefined && matchesAny(rule.paths ?? [], path, scope));
}

function isProgram(rule: CommandRule, call: Call): boolean {
  const written = call.simple.words[0]?.text ?? "";
  return rule.program.includes("/") ? glob(rule.program).word(written) : glob(rule.program).word(baseName(written));
}

/** Options with values put words of their own between, so the words of the rule need only come in order. */
function inOrder(words: readonly string[], call: Call): boolean {
  let at = 0;
  for (const operand of call.operands) if (at < words.length && glob(words[at] ?? "").word(operand.text)) at += 1;
  return at === words.length;
}

/** The option is, or may be, what a rule names; another name of the same option counts too. */
const mayBe = (option: GivenOption, flag: string): boolean =>
  isOneOf(option, [flag]) || [...option.names, ...option.aliases].some((name) => sameFlag(flag, name));

/** `-rf` in a rule stands for `-r` and `-f`. */
function sameFlag(rule: string, flag: string): boolean {
  return rule === flag || (/^-[a-zA-Z]{2,8}$/.test(rule) && /^-[a-zA-Z]$/.test(flag) && rule.includes(flag.slice(1)));
}

function pathsOf(call: Call, operands: readonly { readonly text: string }[]): readonly (string | undefined)[] {
  const redirected = call.simple.redirects.filter(
    (one) => !one.op.startsWith("<<") && !/^(\d+|-)$/.test(one.target.text),
  );
  return [...operands, ...redirected.map((one) => one.target)].map((word) => operandPath(word.text, call.simple.cwd));
}

/** A path glob of a rule: relative ones begin at the project, `~` is the user's home. */
export function matchesAny(
  patterns: readonly string[],
  path: string,
  scope: Pick<ExecScope, "project" | "userHome">,
): boolean {
  return patterns.some((pattern) => {
    const whole = expandTilde(pattern, scope.userHome);
    const expanded = isAbsolute(whole) ? whole : join(scope.project, whole);
    return glob(expanded).path(path);
  });
}
