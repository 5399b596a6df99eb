import { dirname, relative } from "node:path";
import { ownEntry } from "../../base/json/record.js";
import { UNKNOWN } from "../options/command-line.js";
import { isWithin } from "../paths/paths.js";
import type { Call, ExecScope } from "../writes/operands.js";
import { operandPath } from "../writes/operands.js";
import {
  escaped,
  HANDED,
  NO_RULES,
  type OfferedValues,
  ON_FILES,
  ON_FILES_AFTER_FIRST,
  type RuleValue,
  unique,
} from "./offer.js";

/** Rules that reach further than the narrowest ones, by how far they reach. What is absent is not offered. */
export interface WiderValues {
  /** The same program and sub-command with any arguments. */
  readonly arguments?: OfferedValues;
  /** The same with any files of the directory of the call; for a write, of the directory of the file. */
  readonly directory?: OfferedValues;
}

/** Programs whose first word says what they do. Of the rest of the table the second one says it, too. */
const SUB_COMMANDS: Readonly<Record<string, RegExp>> = {
  git: /^(remote|stash|submodule|worktree|bundle)$/,
  npm: /^run(-script)?$/,
  pnpm: /^run$/,
  yarn: /^run$/,
  bun: /^run$/,
  docker: /^(compose|container|image|volume|network|system)$/,
  podman: /^(container|image|volume|network|system|pod)$/,
  gh: /./,
  kubectl: /^(rollout|config|auth)$/,
  helm: /^repo$/,
  cargo: /^$/,
  gem: /^$/,
  twine: /^$/,
  pip: /^$/,
  pip3: /^$/,
  systemctl: /^$/,
  brew: /^$/,
  apt: /^$/,
  "apt-get": /^$/,
  dnf: /^$/,
  terraform: /^$/,
  poetry: /^$/,
  uv: /^pip$/,
  bundle: /^$/,
};

/** A rule that allowed these with any arguments would allow nearly everything. */
const NEVER_ANY =
  /^(sudo|doas|su|env|sh|bash|dash|zsh|ksh|eval|exec|command|nohup|nice|time|timeout|stdbuf|dd|kill|pkill|killall|ssh)$/;

/** Wider rules for these calls. A width that any of them has no rule for is not offered. */
export function widerForCalls(calls: readonly Call[], scope: ExecScope): WiderValues {
  if (calls.length === 0) return {};
  const any = all(calls.map((call) => anyArguments(call)));
  const inside = all(calls.map((call) => inDirectory(call, scope, true)));
  const anywhere = all(calls.map((call) => inDirectory(call, scope, false)));
  return {
    ...(any === undefined ? {} : { arguments: { session: any, project: any, always: any } }),
    ...(inside === undefined || anywhere === undefined
      ? {}
      : { directory: { session: anywhere, project: inside, always: anywhere } satisfies OfferedValues }),
  };
}

/** Any file of the directories that these stand in; not where that is the project as a whole or outside of it. */
export function widerForWrites(paths: readonly string[], project: string): WiderValues {
  const directories = [...new Set(paths.map((path) => dirname(path)))];
  if (directories.length === 0 || directories.some((one) => one === project || !isWithin(one, project))) return {};
  const rules = (to: (path: string) => string) => directories.map((one) => `write:${to(escaped(one))}/**`);
  const anywhere = rules((path) => path);
  return {
    directory: { ...NO_RULES, session: anywhere, always: anywhere, project: rules((path) => relative(project, path)) },
  };
}

function all(rules: readonly (RuleValue | undefined)[]): readonly RuleValue[] | undefined {
  const known = rules.filter((rule) => rule !== undefined);
  return known.length < rules.length ? undefined : unique(known);
}

const isFiles = (call: Call): boolean => ON_FILES.has(call.program) || ON_FILES_AFTER_FIRST.has(call.program);

/** Words that a rule may name, and nothing that only running it would tell. */
const isPlain = (text: string | undefined): text is string =>
  text !== undefined && /^[\w@%+=:,./-]+$/.test(text) && !text.includes(UNKNOWN);

const isNameable = ({ program, simple }: Call): boolean =>
  simple.feed === undefined &&
  !HANDED.test(program) &&
  !simple.under.some((by) => HANDED.test(by)) &&
  isPlain(simple.words[0]?.text) &&
  simple.redirects.every((one) => one.op === "<");

function anyArguments(call: Call): RuleValue | undefined {
  const { program, operands, simple } = call;
  if (!isNameable(call) || isFiles(call) || NEVER_ANY.test(program)) return undefined;
  const deeper = ownEntry(SUB_COMMANDS, program);
  const [first, second] = operands.map((word) => word.text);
  if (deeper === undefined) return simple.words[0]?.text;
  const words = [simple.words[0]?.text, first, ...(first !== undefined && deeper.test(first) ? [second] : [])];
  return words.every(isPlain) ? words.join(" ") : undefined;
}

/** Programs whose operands are all files: the same flags, and any file below the directory of the call. */
function inDirectory(call: Call, scope: ExecScope, toProject: boolean): RuleValue | undefined {
  const { cwd } = call.simple;
  if (!isNameable(call) || !isFiles(call) || cwd === undefined) return undefined;
  const named = ON_FILES_AFTER_FIRST.has(call.program) ? 1 : 0;
  const paths = call.operands.slice(named).map((word) => operandPath(word.text, cwd));
  if (paths.length === 0 || paths.some((path) => path === undefined || path === cwd || !isWithin(path, cwd)))
    return undefined;
  const words = [call.simple.words[0]?.text, ...call.operands.slice(0, named).map((word) => word.text)];
  if (!words.every(isPlain)) return undefined;
  const inside = relative(scope.project, escaped(cwd));
  const directory = !toProject || !isWithin(cwd, scope.project) ? escaped(cwd) : inside === "" ? "." : `./${inside}`;
  return { command: words.join(" "), flags: [...new Set(call.flags)], paths: [`${directory}/**`] };
}
