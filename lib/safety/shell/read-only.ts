import { type ParsedCommand, type Simple, UNKNOWN, type Word } from "../options/command-line.js";
import { baseName } from "../options/programs.js";
import { isOneOf, readOptions } from "../options/read.js";
import { optionTable } from "../options/tables.js";
import type { GivenOption } from "../options/types.js";
import { evaluatingWords } from "./evaluate.js";
import { gitReads, type RunsNothing } from "./git-reads.js";
import { sedChanges } from "./sed.js";

/** When a program that reads would do something else. */
interface Reader {
  /** Options that write or run something; a shortened or joined one counts. */
  readonly never?: readonly string[];
  /** Words that it takes at most: one more names a file that it writes. */
  readonly operands?: number;
  readonly when?: (simple: Simple, operands: readonly Word[]) => boolean;
}

/** Whatever stands behind it, the program only reads. */
const ALWAYS: Reader = {};

const FIND_NEVER = /^-(exec|execdir|ok|okdir|delete|fprint|fprint0|fprintf|fls)/;

/** Programs that only read (core part, 20.2). */
const READERS: Readonly<Record<string, Reader>> = {
  ...Object.fromEntries(
    "ls cat head tail wc grep egrep fgrep stat du df pwd echo which type uname ps id whoami cut tr cmp comm basename dirname realpath readlink true false : seq sleep md5sum sha1sum sha256sum"
      .split(" ")
      .map((name) => [name, ALWAYS]),
  ),
  rg: { never: ["--pre", "--hostname-bin", "-z", "--search-zip"] },
  find: {
    when: ({ words }) => words.slice(1).some((word) => FIND_NEVER.test(word.text) || word.text.startsWith(UNKNOWN)),
  },
  file: { never: ["-C", "--compile"] },
  date: { never: ["-s", "--set"], when: (_, operands) => operands.some((word) => !word.text.startsWith("+")) },
  sort: { never: ["-o", "--output", "--compress-program", "-T", "--temporary-directory"] },
  uniq: { operands: 1 },
  diff: { never: ["-l", "--paginate"] },
  jq: {
    never: ["-L", "--library-path"],
    when: ({ words }) => words.some((word) => /\b(import|include)\b/.test(word.text)),
  },
  tree: { never: ["-o", "-R", "--output"] },
  printf: { when: (simple) => evaluatingWords(simple) !== undefined },
  test: ALWAYS,
  "[": ALWAYS,
  "[[": ALWAYS,
  sed: { when: ({ words }) => sedChanges(words.slice(1).map((word) => word.text)) },
};

/**
 * Every simple command only reads, nothing is redirected to a file, and the shell evaluates nothing: no checkpoint, and other readers may run
 * beside it. What is in doubt does not count as a read. A read of git counts where `runsNothing` says so of its directory.
 */
export function isReadOnly(parsed: ParsedCommand, runsNothing: RunsNothing): boolean {
  if (parsed.findings.length > 0 || parsed.functions.size > 0 || parsed.evaluates.length > 0) return false;
  return parsed.commands.every((simple) => onlyReads(simple, runsNothing));
}

function onlyReads(simple: Simple, runsNothing: RunsNothing): boolean {
  if (!simple.redirects.every(isReading) || simple.assignments.length > 0) return false;
  const [program, ...rest] = simple.words;
  if (program === undefined) return true;
  if (!program.literal || (program.glob && !program.text.startsWith("["))) return false;
  if (program.text === "git") return gitReads(simple, runsNothing);
  if (!Object.hasOwn(READERS, program.text)) return false;
  const reader = READERS[baseName(program.text)];
  if (reader === undefined) return false;
  if (reader === ALWAYS) return true;
  const { options, operands } = readOptions(rest, optionTable(program.text));
  if (program.text !== "printf" && rest.some((word) => mayBeOption(word, rest))) return false;
  if (reader.operands !== undefined && operands.length > reader.operands) return false;
  return !options.some((option) => isNever(option, reader.never ?? [])) && reader.when?.(simple, operands) !== true;
}

const isNever = (option: GivenOption, never: readonly string[]): boolean => isOneOf(option, never);

/** A word that only running the line tells, or a pattern that may find a file with the name of an option. */
function mayBeOption(word: Word, all: readonly Word[]): boolean {
  const end = all.findIndex((one) => one.text === "--");
  if (word.splits) return true;
  if (end !== -1 && all.indexOf(word) > end) return false;
  return (
    (word.choices ?? [word.text]).some(
      (text) => text.startsWith(UNKNOWN) || (word.choices !== undefined && text.startsWith("-")),
    ) ||
    (word.glob && /^[*?[]/.test(word.text))
  );
}

const isReading = ({ op, target }: Simple["redirects"][number]): boolean => {
  if (!op.includes(">")) return !/^\/dev\/(tcp|udp)\//.test(target.text) && !target.text.startsWith(UNKNOWN);
  return /^(\/dev\/(null|stderr|stdout)|\d+|-)$/.test(target.text);
};
