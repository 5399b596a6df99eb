import { relative } from "node:path";
import { UNKNOWN } from "../options/command-line.js";
import { isWithin } from "../paths/paths.js";
import type { SourcedRule } from "../rules/rules.js";
import { type Call, type ExecScope, operandPath } from "../writes/operands.js";
import { joinedTargets } from "../writes/table.js";

/** A rule as a rule file holds it: a short text, or a map. */
export type RuleValue =
  | string
  | CommandValue
  /** This command line and no other. */
  | { readonly line: string; readonly cage?: "off" }
  | { readonly tool: string; readonly args: Readonly<Record<string, unknown>> }
  /** A tool as it was when it was allowed. */
  | { readonly tool: string; readonly schema: string };

/** A rule about one program, as a map. `cage: off`: what it allows runs outside the cage. */
export interface CommandValue {
  readonly command: string;
  readonly flags?: readonly string[];
  readonly paths?: readonly string[];
  readonly inline?: boolean;
  readonly cage?: "off";
}

/** The rule with `cage: off`; rules that are not about commands stay as they are. */
export function withoutCage(value: RuleValue): RuleValue {
  if (typeof value === "string")
    return /^(write|read|fetch|tool|skill|desktop):/.test(value) ? value : { command: value, cage: "off" };
  return "tool" in value ? value : { ...value, cage: "off" };
}

/** What an answer stores. Project rules are relative to the project, the others hold wherever the call is made. */
export interface OfferedValues {
  readonly session: readonly RuleValue[];
  readonly project: readonly RuleValue[];
  readonly always: readonly RuleValue[];
}

export const NO_RULES: OfferedValues = { session: [], project: [], always: [] };

/** The same change for every rule. */
export const everyRule = (
  { session, project, always }: OfferedValues,
  change: (value: RuleValue) => RuleValue,
): OfferedValues => ({
  session: session.map(change),
  project: project.map(change),
  always: always.map(change),
});

export const everywhere = (values: readonly RuleValue[]): OfferedValues => ({
  session: values,
  project: values,
  always: values,
});

/** A rule as one line of a rule file, and as it is shown. */
export function ruleText(value: RuleValue): string {
  if (typeof value === "string") return plainScalar(value) ? value : JSON.stringify(value);
  const fields = Object.entries(value).map(([name, inner]) => `${name}: ${name === "cage" ? "off" : flow(inner)}`);
  return `{${fields.join(", ")}}`;
}

/** A rule as it is shown: with its flags and paths, where it has some. */
export const shownRule = ({ rule, value }: SourcedRule): string =>
  typeof value === "object" && value !== null ? ruleText(value as RuleValue) : rule.text; // parseRuleEntry took it

const flow = (value: unknown): string =>
  typeof value === "string" && plainFlow(value)
    ? value
    : Array.isArray(value)
      ? `[${value.map(flow).join(", ")}]`
      : JSON.stringify(value);

const WORDS = /^[A-Za-z0-9_./-][\w./@%+=-]*( [\w./@%+=-]+)*$/;
const MEANS_MORE = /^(true|false|null|yes|no|on|off|~|[-+.\d][\d._eE+-]*|0[xob][\da-f]+)$/i;
const plainFlow = (text: string): boolean => WORDS.test(text) && !MEANS_MORE.test(text);
/** Outside of brackets a colon that no blank follows, and stars inside, are text. */
const plainScalar = (text: string): boolean =>
  /^[A-Za-z0-9_./][\w./@%+=:*,-]*( [\w./@%+=:*,-]+)*$/.test(text) &&
  !MEANS_MORE.test(text) &&
  !/:( |$)/.test(text) &&
  !text.startsWith("- ");

/** Programs that hand others what they work on. */
export const HANDED = /^(find|xargs|parallel)$/;

/** Programs whose operands are all files. */
export const ON_FILES = new Set([
  "rm",
  "rmdir",
  "unlink",
  "shred",
  "trash",
  "cp",
  "mv",
  "ln",
  "install",
  "tee",
  "touch",
  "mkdir",
  "truncate",
]);
/** Programs whose first operand says what is done to the files behind it. */
export const ON_FILES_AFTER_FIRST = new Set(["chmod", "chown", "chgrp"]);

/**
 * Rules as narrow as these calls: program, words, the set of flags, and the nearest directory of their files. `undefined`: only the whole
 * line can be named.
 */
export function rulesForCalls(calls: readonly Call[], scope: ExecScope): OfferedValues | undefined {
  const inside = calls.map((call) => ruleForCall(call, scope, true));
  const anywhere = calls.map((call) => ruleForCall(call, scope, false));
  if ([...inside, ...anywhere].some((rule) => rule === undefined)) return undefined;
  const known = (rules: readonly (RuleValue | undefined)[]) => unique(rules.filter((rule) => rule !== undefined));
  return { session: known(anywhere), always: known(anywhere), project: known(inside) };
}

/** Each rule once, in order. */
export const unique = (rules: readonly RuleValue[]): readonly RuleValue[] => [
  ...new Map(rules.map((rule) => [ruleText(rule), rule])).values(),
];

function ruleForCall(call: Call, scope: ExecScope, toProject: boolean): RuleValue | undefined {
  const { simple } = call;
  const program = simple.words[0]?.text ?? "";
  // What it works on comes from elsewhere, or the places of its options matter.
  if (simple.feed !== undefined || HANDED.test(call.program) || simple.under.some((by) => HANDED.test(by)))
    return undefined;
  if (
    simple.words.some((word) => word.text.includes(UNKNOWN)) ||
    simple.redirects.some((one) => one.op !== "<") ||
    program === ""
  )
    return undefined;
  const named = ON_FILES.has(call.program) ? 0 : ON_FILES_AFTER_FIRST.has(call.program) ? 1 : call.operands.length;
  const words = [program, ...call.operands.slice(0, named).map((word) => word.text)];
  if (!words.every((word) => /^[\w@%+=:,./-]+$/.test(word))) return undefined;
  const read = [...simple.redirects.map((one) => one.target), ...joinedTargets(call)];
  const files = [...call.operands.slice(named), ...read].map((word) => ({
    path: operandPath(word.text, simple.cwd),
    glob: word.glob,
  }));
  // An empty list: no operand may stand there that the command does not name.
  const paths = files.length === 0 ? [] : pathScope(files, scope, toProject);
  return paths && { command: words.join(" "), flags: [...new Set(call.flags)], paths };
}

interface File {
  readonly path: string | undefined;
  readonly glob: boolean;
}

/** The one file itself with what is below it, the nearest common directory of several inside the project, else each of them. */
function pathScope(files: readonly File[], scope: ExecScope, toProject: boolean): readonly string[] | undefined {
  const paths = files.flatMap(({ path }) => (path === undefined ? [] : [path]));
  if (paths.length < files.length) return undefined;
  const shown = (path: string) =>
    toProject && isWithin(path, scope.project) && path !== scope.project ? `./${relative(scope.project, path)}` : path;
  const globs = files.some((file) => file.glob);
  const common = globs || paths.length === 1 ? undefined : commonDirectory(paths);
  if (common !== undefined && common !== scope.project && isWithin(common, scope.project))
    return [`${shown(escaped(common))}/**`];
  // Stars stay what they are; a bracket would not match itself.
  if (globs) return paths.map((path) => shown(path.replace(/[[\\]/g, (sign) => `\\${sign}`)));
  return paths.flatMap((path) => [shown(escaped(path)), `${shown(escaped(path))}/**`]);
}

/** A path whose own brackets and stars stand for themselves. */
export const escaped = (path: string): string => path.replace(/[*?[\\]/g, (sign) => `\\${sign}`);

function commonDirectory(paths: readonly string[]): string {
  const [first = "", ...rest] = paths.map((path) => path.split("/"));
  const parts = Array.isArray(first) ? first : [];
  let length = parts.length - 1;
  for (const other of rest) {
    let same = 0;
    while (same < length && same < other.length - 1 && parts[same] === other[same]) same += 1;
    length = same;
  }
  return parts.slice(0, length).join("/") || "/";
}

/** Rules for writing these files. */
export function rulesForWrites(paths: readonly string[], project: string): OfferedValues {
  const rules = (to: (path: string) => string) => paths.map((path) => `write:${to(escaped(path))}`);
  const anywhere = rules((path) => path);
  return {
    session: anywhere,
    always: anywhere,
    // A blank before the pattern would be no rule.
    project: rules((path) => (isWithin(path, project) ? relative(project, path).replace(/^(?=\s)/, "./") : path)),
  };
}
