import { basename, dirname, resolve } from "node:path";
import type { PathScope } from "../paths.js";
import { baseName } from "../shell/programs.js";
import { sedWrites } from "../shell/sed.js";
import { type Simple, UNKNOWN, type Word } from "../shell/types.js";

/** One simple command in the form that rules and classes look at. */
export interface Call {
  readonly program: string;
  readonly words: readonly string[];
  /** Words that begin with `-`, up to `--`; joined short options taken apart (`-rf` is `-r` and `-f`), values behind `=` left out. */
  readonly flags: readonly string[];
  readonly operands: readonly Word[];
  readonly simple: Simple;
}

export function toCall(simple: Simple): Call {
  const [first, ...rest] = simple.words;
  const end = rest.findIndex((word) => word.text === "--");
  const before = end === -1 ? rest : rest.slice(0, end);
  const flags = before.filter((word) => isFlag(word.text)).flatMap((word) => toFlags(word.text));
  const operands = [...before.filter((word) => !isFlag(word.text)), ...(end === -1 ? [] : rest.slice(end + 1))];
  return { program: baseName(first?.text ?? ""), words: rest.map((word) => word.text), flags, operands, simple };
}

const isFlag = (text: string) => text.startsWith("-") && text !== "-";

function toFlags(text: string): readonly string[] {
  if (text.startsWith("--")) return [text.split("=", 1)[0] ?? text];
  return /^-[a-zA-Z]{2,8}$/.test(text) ? [...text.slice(1)].map((letter) => `-${letter}`) : [text];
}

export const hasFlag = (call: Call, ...names: readonly string[]): boolean => call.flags.some((flag) => names.includes(flag));

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
const TARGETS_AT_MOST = 500;

export const manyTargets = (call: Call): boolean => call.simple.redirects.length + call.operands.length > TARGETS_AT_MOST;

/** Paths that a call would write, as far as its words tell. UNKNOWN parts make the path undefined. */
export function writeTargets(call: Call): readonly (string | undefined)[] {
  const { simple } = call;
  const redirected = simple.redirects
    .filter((one) => one.op.includes(">") && !/^(\d+|-)$/.test(one.target.text))
    .map((one) => one.target.text);
  return [...new Set([...redirected, ...programTargets(call)])].slice(0, TARGETS_AT_MOST).map((text) => operandPath(text, simple.cwd));
}

const LAST = new Set(["cp", "mv", "install", "ln", "rsync", "scp"]);
const ALL = new Set(["tee", "truncate", "touch", "mkdir", "shred", "mkfifo", "mknod"]);
const AFTER_FIRST = new Set(["chmod", "chown", "chgrp", "chattr", "setfacl"]);

function programTargets(call: Call): readonly string[] {
  const { program, operands, words } = call;
  const texts = operands.map((word) => word.text);
  if (LAST.has(program)) {
    const named = optionValue(words, "-t", "--target-directory");
    const moved = program === "mv" ? texts.slice(0, -1) : [];
    return [...(named === undefined ? texts.slice(-1) : [named]), ...moved].filter((text) => !/^[\w.@-]+:/.test(text));
  }
  if (ALL.has(program)) return texts;
  if (AFTER_FIRST.has(program)) return texts.slice(1);
  if (program === "dd") return words.filter((word) => word.startsWith("of=")).map((word) => word.slice(3));
  if (/^g?sed$/.test(program)) return sedTargets(words, texts);
  if ((program === "perl" || program === "ruby") && words.some((word) => /^-[a-zA-Z0]*i/.test(word))) return texts.slice(1);
  if (program === "curl") return optional(optionValue(words, "-o", "--output"));
  if (program === "wget") return optional(optionValue(words, "-O", "--output-document"));
  if (program === "sort") return optional(optionValue(words, "-o", "--output"));
  if (/^(vim?|nvim|nano|emacs|pico|ed|ex)$/.test(program)) return texts;
  if (program === "patch") return [...texts.slice(0, 1), ...optional(optionValue(words, "-o", "--output"))];
  if (program === "unzip" || program === "bsdtar") return optional(optionValue(words, program === "unzip" ? "-d" : "-C", "--directory"));
  if (program === "git") return gitTargets(words);
  return program === "tar" && hasFlag(call, "-C") ? optional(optionValue(words, "-C", "--directory")) : [];
}

/** Files of `sed -i`, and those that its command `w` names. */
function sedTargets(words: readonly string[], texts: readonly string[]): readonly string[] {
  const inPlace = words.some((word) => /^(-[a-zA-Z]*i|--in-place)/.test(word)) ? texts.slice(1) : [];
  return [...inPlace, ...sedWrites(words)];
}

/** Directories that `git clone` and `git worktree add` are told to make. */
function gitTargets(words: readonly string[]): readonly string[] {
  const plain = words.filter((word) => !word.startsWith("-"));
  if (plain[0] === "clone") return plain.slice(2, 3);
  return plain[0] === "worktree" && plain[1] === "add" ? plain.slice(2, 3) : [];
}

const optional = (text: string | undefined): readonly string[] => (text === undefined || text === "-" ? [] : [text]);

/** Value of an option, in the next word or joined to it. */
function optionValue(words: readonly string[], short: string, long: string): string | undefined {
  for (const [index, word] of words.entries()) {
    if (word === short || word === long) return words[index + 1];
    if (word.startsWith(`${long}=`)) return word.slice(long.length + 1);
    if (word.startsWith(short) && !word.startsWith("--") && word.length > short.length) return word.slice(short.length);
  }
  return undefined;
}

/** What classes and rules know of the place. */
export interface ExecScope extends PathScope {
  readonly cwd: string;
  /** Processes of the agent itself: ending one is asked about. */
  readonly agentPids?: readonly number[];
  /** Files that this turn has written and made executable. */
  readonly fresh?: ReadonlySet<string>;
}
