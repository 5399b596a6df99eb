import { basename, dirname, resolve } from "node:path";
import { type Simple, UNKNOWN, type Word } from "../options/command-line.js";
import { baseName } from "../options/programs.js";
import { isOneOf, readOptions } from "../options/read.js";
import { optionTable } from "../options/tables.js";
import type { GivenOption } from "../options/types.js";
import type { PathScope } from "../paths/paths.js";

/** One simple command in the form that rules and classes look at. */
export interface Call {
  readonly program: string;
  readonly words: readonly string[];
  /** Options up to `--`: long ones completed where that is certain, joined short ones taken apart (`-rf` is `-r` and `-f`), without values. */
  readonly flags: readonly string[];
  /** Words that are not options, values of options in a word of their own included. */
  readonly operands: readonly Word[];
  /** Options as the program takes them, with their values. */
  readonly options: readonly GivenOption[];
  /** Operands as the program takes them: the subcommand first, no values of options. */
  readonly positionals: readonly Word[];
  readonly simple: Simple;
}

/** Read a simple command as its program does. */
export function toCall(simple: Simple): Call {
  const [first, ...rest] = simple.words;
  const end = rest.findIndex((word) => word.text === "--");
  const before = end === -1 ? rest : rest.slice(0, end);
  const operands = [...before.filter((word) => !isFlag(word.text)), ...(end === -1 ? [] : rest.slice(end + 1))];
  const program = baseName(first?.text ?? "");
  const { options, operands: positionals } = readOptions(rest, optionTable(program));
  const flags = options.flatMap((option) => (option.names.length === 1 ? option.names : [option.text]));
  return { program, words: rest.map((word) => word.text), flags, operands, options, positionals, simple };
}

const isFlag = (text: string) => text.startsWith("-") && text !== "-";

/** One of the options is given, or one that may be it: `--forc` may be `--force`. */
export const hasFlag = (call: Call, ...names: readonly string[]): boolean =>
  call.options.some((option) => isOneOf(option, names));

/** Values of the options that are, or may be, one of these. */
export const optionValues = (call: Call, ...names: readonly string[]): readonly Word[] =>
  call.options.flatMap((option) => (option.value !== undefined && isOneOf(option, names) ? [option.value] : []));

/** Where an operand leads; undefined when only running it would tell. A trailing `*` is kept as the last part. */
export function operandPath(text: string, cwd: string | undefined): string | undefined {
  if (text.includes(UNKNOWN)) return undefined;
  if (text.startsWith("/")) return resolve(text);
  return cwd === undefined ? undefined : resolve(cwd, text);
}

/** The directory that is meant as a whole by `dir`, `dir/*`, `dir/.*` or `dir/{*,.*}`; undefined for anything else. */
export function wholeTree(path: string): string {
  const last = basename(path);
  return /^(\*+|\.\*|\.\?\*|\.\[!?.*\]\*|\?\*)$/.test(last) ? dirname(path) : path;
}

/** Written paths of one call that are looked at. A call with more is asked about as a whole (`manyTargets`). */
export const TARGETS_AT_MOST = 500;

export const manyTargets = (call: Call): boolean =>
  call.simple.redirects.length + call.operands.length > TARGETS_AT_MOST;

/** What classes and rules know of the place. */
export interface ExecScope extends PathScope {
  readonly cwd: string;
  /** Processes of the agent itself: ending one is asked about. */
  readonly agentPids?: readonly number[];
  /** Files that this conversation has written and made executable. */
  readonly fresh?: ReadonlySet<string>;
  /** Files that this conversation has written; absent where it is not kept. */
  readonly written?: WrittenFiles;
}

/** Files that a conversation has written, by real path. */
export interface WrittenFiles {
  /** The file was written, or lies in a tree that was. */
  has(path: string): boolean;
  /** Something below the directory was written. */
  below(dir: string): boolean;
  /** Something below the directory was written that programs may load as code. */
  code(dir: string): boolean;
  /** Directories that the conversation has added to those where programs are searched for. */
  readonly searched: readonly string[];
  /** Directories that it has added to those where interpreters look for modules. */
  readonly loaded: readonly string[];
  /** Names of remotes of git whose address the conversation has set. */
  readonly remotes: readonly string[];
}
