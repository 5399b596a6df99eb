import { UNKNOWN, type Word } from "../options/command-line.js";
import { findProgramEntry } from "../options/programs.js";
import { type Call, type ExecScope, operandPath } from "../writes/operands.js";
import { findClient } from "./clients.js";
import { actsOutside } from "./cloud.js";
import { HARMLESS, type HarmlessRow, WRAPS } from "./harmless-programs.js";
import { hasEscaped, isInsideScope, readsSecret } from "./secrets.js";

/** What a line defines itself, beside its calls. */
export interface LineFacts {
  /** Names of functions of the line; their bodies are among its calls. */
  readonly functions: ReadonlySet<string>;
  readonly all: readonly Call[];
}

/** Words of one call that are looked at. A longer one is not known as harmless. */
const WORDS_AT_MOST = 1_000;

/**
 * Every effect of the call stays within the project and temporary directories as far as its words say (core part 20.1, row 10). Classes,
 * redirections and code on the command line are looked for elsewhere.
 */
export function isHarmlessCall(call: Call, scope: ExecScope, line: LineFacts): boolean {
  const { simple } = call;
  const [first] = simple.words;
  if (simple.words.length + simple.assignments.length + simple.redirects.length > WORDS_AT_MOST) return false;
  if (readsSecret(call, scope, line.all)) return false;
  // Assignments and redirections alone run nothing.
  if (first === undefined) return true;
  if (line.functions.has(first.text)) return true;
  if (first.text.includes("/"))
    return isOwnProgram(call, scope) || (isSystemProgram(first.text) && isListed(call, scope, line));
  return isListed(call, scope, line);
}

function isListed(call: Call, scope: ExecScope, line: LineFacts): boolean {
  if (asksVersion(call)) return true;
  if (WRAPS.has(call.program)) return wrapsCommand(call, line);
  if (findClient(call.program) !== undefined) return !actsOutside(call);
  const row = findProgramEntry(HARMLESS, call.program);
  return row !== undefined && fits(row, call, scope, line);
}

/** A wrapper does what the command behind it does, which is a call of its own; alone it does nothing. */
function wrapsCommand(call: Call, { all }: LineFacts): boolean {
  const opened = all.some((other) => other.simple.under.at(-1) === call.program);
  return opened || call.operands.length === 0 || /^(env|command|time|exec|alias|trap|watch)$/.test(call.program);
}

function fits(row: HarmlessRow, call: Call, scope: ExecScope, line: LineFacts): boolean {
  if (row.never !== undefined && call.words.some((word) => row.never?.test(word))) return false;
  const verbs = verbsOf(row, call);
  if (row.verbs !== undefined && !row.verbs.test(verbs[0] ?? "")) return false;
  if (row.not?.test(verbs.join(" ")) === true) return false;
  if (row.anywhere !== true && row.opens !== true && !staysInside(call, scope)) return false;
  if (row.opens === true && hasEscaped(call, scope, line.all)) return false;
  return row.check === undefined || row.check(call, scope, line.all);
}

/** Operands in order, values of options that stand before the verb left out. */
function verbsOf(row: Pick<HarmlessRow, "before">, call: Call): readonly string[] {
  const taken = new Set<string>();
  for (const [index, word] of call.words.entries()) {
    if (row.before?.test(word) === true && !word.includes("=")) taken.add(call.words[index + 1] ?? "");
  }
  return call.operands.map((word) => word.text).filter((text) => !taken.has(text));
}

/** No operand that is a path leads out of the project and the temporary directories. */
function staysInside(call: Call, scope: ExecScope): boolean {
  return call.operands.every((word) => !isPath(word) || isInsideScope(operandPath(word.text, call.simple.cwd), scope));
}

const isPath = ({ text, glob }: Word): boolean =>
  !text.startsWith(UNKNOWN) &&
  !/^[a-z][\w+.-]*:\/\//i.test(text) &&
  (/^(\/|\.\.(\/|$)|~)/.test(text) || (glob && text.includes("../")) || text.includes("/../"));

const isSystemProgram = (path: string): boolean =>
  /^\/(usr\/(local\/)?)?s?bin\/[\w.+-]+$|^\/opt\/homebrew\/bin\/[\w.+-]+$/.test(path);

/** A program of the project that was there before the conversation: `./build.sh`, `.venv/bin/pytest`, `node_modules/.bin/tsc`. */
function isOwnProgram(call: Call, scope: ExecScope): boolean {
  const path = operandPath(call.simple.words[0]?.text ?? UNKNOWN, call.simple.cwd);
  return path !== undefined && isInsideScope(path, scope, "project") && staysInside(call, scope);
}

/** `x --version` of a program that is found by its name. */
const asksVersion = (call: Call): boolean =>
  call.words.length === 1 &&
  /^(--version|-version|--help|-V)$/.test(call.words[0] ?? "") &&
  !(call.simple.words[0]?.text ?? "/").includes("/");
