import { ownEntry } from "../../base/json/record.js";
import {
  type ParsedCommand,
  type Range,
  type Redirect,
  type ShellScope,
  type Simple,
  UNKNOWN,
  type Word,
} from "../options/command-line.js";
import { DECLARE, isAssignment, rememberAssignment } from "./assignments.js";
import { joinDirs, moveBy } from "./directories.js";
import { evaluatesNames, hidesCommand, isLoopName } from "./evaluate.js";
import { readHidden } from "./hidden.js";
import { createParse, fail, nested, noteEvaluation, type Parse, peek, type ShellPlace, Unparsable } from "./state.js";
import { decidesWhatRuns, setByExpression } from "./variables.js";
import { arithmeticEnd, type Inner, innerOf, readHereText, readWord, readWords } from "./words.js";

/**
 * Read a command line as a POSIX shell with bash's additions would and list its simple commands, those of substitutions, functions and
 * compound commands included, in order. `evaluates` says what is known of the shell around the line. Nothing is run. Linear in the length of the line. What cannot be read is a finding `unparsable`.
 */
export function parseShell(text: string, scope: ShellScope, evaluates: readonly string[] = []): ParsedCommand {
  const p = createParse(text, scope);
  p.evaluates.push(...evaluates);
  try {
    readList(p, NO_FRAME);
    if (p.at < p.text.length) fail(p, `unexpected ${JSON.stringify(peek(p))}`);
    readHidden(p, inner);
  } catch (error) {
    if (!(error instanceof Unparsable)) throw error;
    p.findings.push({ kind: "unparsable", text: error.message });
  }
  return { commands: p.commands, findings: p.findings, functions: p.functions, evaluates: p.evaluates };
}

/** What a list inherits from what it stands in. */
interface Frame {
  /** Character that ends the list; "" for the end of the text. */
  readonly close: "" | ")";
  readonly feed: Range | undefined;
}

const NO_FRAME: Frame = { close: "", feed: undefined };

const inner: Inner = {
  until: (p, close) => {
    const from = p.commands.length;
    const { dirs } = p.place;
    readList(p, { close: close === ")" ? ")" : "", feed: undefined });
    p.place.dirs = dirs;
    if (peek(p) !== close) fail(p, `missing ${close}`);
    p.at += 1;
    return { from, to: p.commands.length };
  },
  text: (p, text) => {
    const from = p.commands.length;
    const sub = createParse(text, p.scope, p);
    const { dirs } = p.place;
    readList(sub, NO_FRAME);
    p.place.dirs = dirs;
    if (sub.at < text.length) fail(p, "backticks that do not fit");
    return { from, to: p.commands.length };
  },
  expression: readExpression,
};

/** A compound command that is open: `if` waits for `fi`. */
interface Open {
  readonly end: string;
  /** Of `case`: whether a pattern comes next. */
  pattern: boolean;
  readonly feed: Range | undefined;
  readonly start: number;
  /** Where the shell was when it began, and the pipeline around it. */
  readonly dirs: ShellPlace["dirs"];
  readonly outer: Pick<Line, "dirs" | "piped">;
}

/** Where a list stands: its open compounds and the pipeline being read. */
interface Line {
  readonly frame: Frame;
  readonly open: Open[];
  /** Index of the first command of the pipeline element being read. */
  start: number;
  feed: Range | undefined;
  /** Something stands between the last operator and this place. */
  some: boolean;
  /** The last operator wants something behind it. */
  wants: boolean;
  /** Where the pipeline began, and whether it has several elements: each runs in a shell of its own. */
  dirs: ShellPlace["dirs"];
  piped: boolean;
}

function readList(p: Parse, frame: Frame): void {
  const line: Line = {
    frame,
    open: [],
    start: p.commands.length,
    feed: frame.feed,
    some: false,
    wants: false,
    dirs: p.place.dirs,
    piped: false,
  };
  for (;;) {
    skipBlank(p);
    const char = peek(p);
    if (char === "" || (char === ")" && frame.close === ")" && !inPattern(line))) break;
    if (readSeparator(p, line)) continue;
    const top = line.open.at(-1);
    line.some = true;
    line.wants = false;
    if (top?.pattern) readPattern(p, line, top);
    else readCommand(p, line);
  }
  if (line.wants) fail(p, "nothing behind an operator");
  if (line.piped) p.place.dirs = line.dirs;
  readHereBodies(p);
  const left = line.open.at(-1);
  if (left !== undefined) fail(p, `missing ${left.end}`);
}

const inPattern = (line: Line) => line.open.at(-1)?.pattern === true;

/** Blanks, comments and continued lines. */
function skipBlank(p: Parse): void {
  for (;;) {
    const char = peek(p);
    if (char === " " || char === "\t") p.at += 1;
    else if (char === "\\" && peek(p, 1) === "\n") p.at += 2;
    else if (char === "#" && (p.at === 0 || /[\s;&|()]/.test(p.text[p.at - 1] ?? ""))) {
      const end = p.text.indexOf("\n", p.at);
      p.at = end === -1 ? p.text.length : end;
    } else return;
  }
}

/** `;`, `&`, `&&`, `||`, `|`, newline and the separators of `case`. */
function readSeparator(p: Parse, line: Line): boolean {
  const char = peek(p);
  if (char === "\n") {
    p.at += 1;
    readHereBodies(p);
    restart(p, line);
  } else if (char === ";") {
    const ends = /^;;?&?/.exec(p.text.slice(p.at, p.at + 3))?.[0] ?? ";";
    p.at += ends.length;
    const top = line.open.at(-1);
    if (ends !== ";" && top?.end === "esac") top.pattern = true;
    restart(p, line);
  } else if (char === "|" && peek(p, 1) !== "|") {
    join(p, line);
    p.at += peek(p, 1) === "&" ? 2 : 1;
    line.feed = { from: line.start, to: p.commands.length };
    line.start = p.commands.length;
    line.piped = true;
    p.place.dirs = line.dirs;
  } else if (char === "|" || (char === "&" && peek(p, 1) !== ">")) {
    const twice = peek(p, 1) === char;
    if (twice) join(p, line);
    p.at += twice ? 2 : 1;
    const { sure } = p.place;
    if (twice && char === "&" && sure !== undefined && !line.piped) p.place.dirs = sure;
    if (!twice) p.place.dirs = line.dirs;
    restart(p, line);
  } else return false;
  return true;
}

/** `|`, `&&` and `||` stand between two things. */
function join(p: Parse, line: Line): void {
  if (!line.some && !inPattern(line)) fail(p, "nothing before an operator");
  line.some = false;
  line.wants = true;
}

/** A new pipeline begins; it reads what the compound around it reads. */
function restart(p: Parse, line: Line): void {
  line.start = p.commands.length;
  line.feed = line.open.at(-1)?.feed ?? line.frame.feed;
  if (line.piped) p.place.dirs = line.dirs;
  line.piped = false;
  line.dirs = p.place.dirs;
  p.place.sure = undefined;
}

const OPENERS: Readonly<Record<string, string>> = { if: "fi", while: "done", until: "done", "{": "}" };
const MIDDLES = new Set(["then", "else", "elif", "do", "!", "time", "coproc"]);
const CLOSERS = new Set(["fi", "done", "esac", "}"]);

function readCommand(p: Parse, line: Line): void {
  if (peek(p) === "(") {
    readParentheses(p, line);
    return;
  }
  const reserved = reservedAt(p);
  const closer = reserved === undefined ? undefined : ownEntry(OPENERS, reserved);
  if (reserved === undefined) readSimple(p, line);
  else if (closer !== undefined) open(p, line, closer, reserved);
  else if (CLOSERS.has(reserved)) close(p, line, reserved);
  else if (MIDDLES.has(reserved)) readMiddle(p, reserved);
  else if (reserved === "for" || reserved === "select") readFor(p, line, reserved);
  else if (reserved === "case") readCase(p, line);
  else if (reserved === "[[") readTest(p, line);
  else readFunction(p);
}

function readMiddle(p: Parse, word: string): void {
  if (word === "coproc") noteEvaluation(p, "a coprocess stores its descriptors");
  p.at += (/^time[ \t]+-p(?=\s)/.exec(p.text.slice(p.at, p.at + 40))?.[0] ?? word).length;
}

const RESERVED =
  /^(?:if|then|else|elif|fi|while|until|for|select|do|done|case|esac|function|time|coproc|\{|\}|!|\[\[)(?=[\s;&|()<>]|$)/;

function reservedAt(p: Parse): string | undefined {
  const word = RESERVED.exec(p.text.slice(p.at, p.at + 10))?.[0];
  // Before an option `time` may be the program.
  return word === "time" && /^time[ \t]+-(?!p\s)/.test(p.text.slice(p.at, p.at + 40)) ? undefined : word;
}

function open(p: Parse, line: Line, end: string, word: string): void {
  const outer = { dirs: line.dirs, piped: line.piped };
  line.open.push({ end, pattern: false, feed: line.feed, start: line.start, dirs: p.place.dirs, outer });
  line.piped = false;
  line.dirs = p.place.dirs;
  if (line.open.length > 200) fail(p, "nesting too deep");
  p.at += word.length;
}

function close(p: Parse, line: Line, word: string): void {
  const top = line.open.pop();
  if (top?.end !== word) fail(p, `${word} without its beginning`);
  p.at += word.length;
  line.start = top.start;
  line.feed = top.feed;
  leave(p, line, top);
  const rest = readRest(p);
  if (rest.redirects.length > 0) push(p, line, { words: [], assignments: [], redirects: rest.redirects });
  if (rest.words.length > 0) fail(p, `unexpected word behind ${word}`);
}

/** Behind a compound the shell is where it was, or where a part of it led; a loop may lead further each time. */
function leave(p: Parse, line: Line, { end, dirs, outer }: Open): void {
  const inside = line.piped ? line.dirs : p.place.dirs;
  const moved = inside.some((dir) => !dirs.includes(dir));
  if (end !== "}") p.place.dirs = joinDirs(dirs, moved && end === "done" ? [...inside, undefined] : inside);
  else if (p.functions.size > 0) p.place.dirs = joinDirs(dirs, inside);
  else p.place.dirs = inside;
  line.dirs = outer.dirs;
  line.piped = outer.piped;
}

/** `( list )` and `(( expression ))`. */
function readParentheses(p: Parse, line: Line): void {
  const end = peek(p, 1) === "(" ? arithmeticEnd(p.text, p.at + 2) : undefined;
  if (end !== undefined) {
    readExpression(p, p.text.slice(p.at + 2, end));
    p.at = end + 2;
    return;
  }
  p.at += 1;
  const { dirs } = p.place;
  nested(p, () => readList(p, { close: ")", feed: line.feed }));
  p.place.dirs = dirs;
  if (peek(p) !== ")") fail(p, "missing )");
  p.at += 1;
  const rest = readRest(p);
  if (rest.words.length > 0) fail(p, "unexpected word behind )");
  if (rest.redirects.length > 0) push(p, line, { words: [], assignments: [], redirects: rest.redirects });
}

/** bash reads `((` as arithmetic, other shells as two subshells; so what would be commands there are commands here. */
function readExpression(p: Parse, text: string): readonly Range[] {
  const { length } = p.commands;
  const set = setByExpression(text);
  if (set !== undefined) p.findings.push({ kind: "inline-code", text: `an expression sets ${set}` });
  if (evaluatesNames(text)) noteEvaluation(p, "an expression evaluates the variables that it names");
  // Numbers, names and operators alone are an expression in every shell.
  if (/^[\w\s+*/%()?:,=!~^<>$#{}-]*$/.test(text) && !/[A-Za-z_]\w*[ \t]+(?:\w|-[A-Za-z])/.test(text)) return [];
  try {
    return [nested(p, () => inner.text(p, text))];
  } catch (error) {
    // A `;` and `case` are parts of no expression: a shell takes such text for commands, so it must parse as commands or not at all.
    if (!(error instanceof Unparsable) || /;|\bcase\b/.test(text)) throw error;
    p.commands.splice(length);
    return innerOf(p, inner, text);
  }
}

/** Values of a loop that are looked at each. */
const VALUES_AT_MOST = 16;

/** `for name in words` up to its separator; the body follows as part of the list. */
function readFor(p: Parse, line: Line, word: string): void {
  open(p, line, "done", word);
  skipBlank(p);
  if (peek(p) === "(" && peek(p, 1) === "(") {
    const end = arithmeticEnd(p.text, p.at + 2);
    if (end === undefined) fail(p, "missing ))");
    const text = p.text.slice(p.at + 2, end);
    if (evaluatesNames(text)) noteEvaluation(p, "an expression evaluates the variables that it names");
    innerOf(p, inner, text);
    p.at = end + 2;
    return;
  }
  const name = readWord(p, inner);
  if (name === undefined) fail(p, `${word} without a name`);
  if (word === "select" || !isLoopName(name.text)) noteEvaluation(p, "a loop sets a variable that commands depend on");
  if (decidesWhatRuns(name.text)) p.findings.push({ kind: "inline-code", text: `a loop sets ${name.text}` });
  p.known.delete(name.text);
  p.choices.delete(name.text);
  skipBlank(p);
  while (peek(p) === "\n") {
    p.at += 1;
    skipBlank(p);
  }
  if (!/^in(?=[\s;]|$)/.test(p.text.slice(p.at, p.at + 3))) return;
  p.at += 2;
  const values = readRest(p).words;
  p.hidden.push(...values.map((value) => value.text).filter(hidesCommand));
  const only = values[0];
  if (values.length === 1 && only?.literal && !only.glob) p.known.set(name.text, only.text);
  const texts = values.flatMap((value) => value.choices ?? [value.text]);
  if (texts.length > 0 && texts.length <= VALUES_AT_MOST && !texts.some((text) => text.includes(UNKNOWN)))
    p.choices.set(name.text, texts);
}

function readCase(p: Parse, line: Line): void {
  open(p, line, "esac", "case");
  skipBlank(p);
  if (readWord(p, inner) === undefined) fail(p, "case without a word");
  skipBlank(p);
  while (peek(p) === "\n") {
    p.at += 1;
    skipBlank(p);
  }
  if (!/^in(?=[\s;]|$)/.test(p.text.slice(p.at, p.at + 3))) fail(p, "case without in");
  p.at += 2;
  const top = line.open.at(-1);
  if (top !== undefined) top.pattern = true;
}

/** `a|b)` of `case`, or its `esac`. */
function readPattern(p: Parse, line: Line, top: Open): void {
  if (/^esac(?=[\s;&|()<>]|$)/.test(p.text.slice(p.at, p.at + 5))) {
    close(p, line, "esac");
    return;
  }
  if (peek(p) === "(") p.at += 1;
  for (;;) {
    skipBlank(p);
    if (readWords(p, inner) === undefined) fail(p, "pattern expected");
    skipBlank(p);
    if (peek(p) === ")") break;
    if (peek(p) !== "|") fail(p, "missing ) behind a pattern");
    p.at += 1;
  }
  p.at += 1;
  top.pattern = false;
  restart(p, line);
}

/** `[[ ... ]]` is one command whose words may hold operators. */
function readTest(p: Parse, line: Line): void {
  const words: Word[] = [];
  for (;;) {
    skipBlank(p);
    const read = readWords(p, inner);
    if (read !== undefined) words.push(...read);
    else if (peek(p) === "") fail(p, "missing ]]");
    else p.at += 1;
    if (read?.[0]?.text === "]]" && !read[0].quoted) break;
  }
  push(p, line, { words, assignments: [], redirects: [] });
}

/** `function name`: its body follows as a command of the list. */
function readFunction(p: Parse): void {
  p.at += "function".length;
  skipBlank(p);
  const name = readWord(p, inner);
  if (name === undefined) fail(p, "function without a name");
  p.functions.add(name.text);
  skipBlank(p);
  if (peek(p) === "(" && peek(p, 1) === ")") p.at += 2;
}

type Parts = Pick<Simple, "words" | "assignments" | "redirects">;

function readSimple(p: Parse, line: Line): void {
  const { words, redirects } = readRest(p);
  if (words.length === 1 && redirects.length === 0 && peek(p) === "(") {
    skipFunctionMark(p, words[0]?.text ?? "");
    return;
  }
  if (words.length === 0 && redirects.length === 0) fail(p, `unexpected ${JSON.stringify(peek(p))}`);
  const count = words.findIndex((word) => !isAssignment(word));
  const assignments = words.slice(0, count === -1 ? words.length : count);
  const rest = words.slice(assignments.length);
  if (assignments.some((word) => /^\w+\[(?!-?\d+\])/.test(word.text))) noteEvaluation(p, "a subscript is evaluated");
  for (const word of assignments) rememberAssignment(p, word, rest.length === 0);
  if (rest[0] !== undefined && DECLARE.has(rest[0].text))
    for (const word of rest.slice(1)) if (isAssignment(word)) rememberAssignment(p, word, true);
  if (rest[0]?.text === "read" || rest[0]?.text === "unset")
    for (const word of rest.slice(1)) {
      p.known.delete(word.text);
      p.choices.delete(word.text);
    }
  push(p, line, { words: rest, assignments, redirects });
  moveBy(p, { words: rest, assignments });
}

function skipFunctionMark(p: Parse, name: string): void {
  p.at += 1;
  skipBlank(p);
  if (peek(p) !== ")") fail(p, "unexpected (");
  p.at += 1;
  p.functions.add(name);
}

/** Words and redirections up to the next separator. An array value `(...)` behind `=` belongs to its word. */
function readRest(p: Parse): { words: Word[]; redirects: Redirect[] } {
  const words: Word[] = [];
  const redirects: Redirect[] = [];
  for (;;) {
    skipBlank(p);
    const redirect = readRedirect(p);
    if (redirect !== undefined) {
      redirects.push(redirect);
      continue;
    }
    const read = readWords(p, inner);
    if (read === undefined) break;
    words.push(...read);
    if (peek(p) === "(" && /=$/.test(read.at(-1)?.text ?? "")) readArray(p);
  }
  return { words, redirects };
}

function readArray(p: Parse): void {
  p.at += 1;
  for (;;) {
    skipBlank(p);
    if (peek(p) === "\n") p.at += 1;
    else {
      const read = readWords(p, inner);
      if (read === undefined) break;
      if (read.some((value) => value.text.startsWith("["))) noteEvaluation(p, "a subscript is evaluated");
      p.hidden.push(...read.map((value) => value.text).filter(hidesCommand));
    }
  }
  if (peek(p) !== ")") fail(p, "array without end");
  p.at += 1;
}

const REDIRECT = /^(?:\d{1,3}|(\{\w{1,30}(?:\[[^}\n]{0,150}\])?\}))?(&>>|&>|<<<|<<-|<<|<>|<&|>&|>>|>\||>|<)/;

function readRedirect(p: Parse): Redirect | undefined {
  const match = REDIRECT.exec(p.text.slice(p.at, p.at + 200));
  if (match === null) return undefined;
  const op = match[2] ?? "";
  if ((op === "<" || op === ">") && p.text[p.at + match[0].length] === "(") return undefined;
  if (match[1] !== undefined) {
    noteEvaluation(p, "a redirection stores its descriptor in a variable");
    const stored = match[1].replace(/[{}]|\[.*/g, "");
    if (decidesWhatRuns(stored)) p.findings.push({ kind: "inline-code", text: `a redirection sets ${stored}` });
    p.hidden.push(match[1]);
  }
  p.at += match[0].length;
  skipBlank(p);
  const start = p.at;
  const target = readWord(p, inner);
  if (target === undefined) fail(p, `nothing behind ${op}`);
  const raw = p.text.slice(start, p.at);
  // The mark of a here-document is taken as written, so a `$` in it does not begin a variable.
  const redirect: Redirect = {
    op,
    target: op.startsWith("<<") && op !== "<<<" ? { ...target, text: raw.replaceAll(/['"\\]/g, "") } : target,
  };
  if (op === "<<" || op === "<<-") p.here.push(redirect);
  return redirect;
}

/** Bodies of the here-documents of the line that just ended. */
function readHereBodies(p: Parse): void {
  for (const redirect of p.here.splice(0)) {
    const lines: string[] = [];
    while (p.at < p.text.length) {
      const end = p.text.indexOf("\n", p.at);
      const line = p.text.slice(p.at, end === -1 ? p.text.length : end);
      p.at = end === -1 ? p.text.length : end + 1;
      const bare = redirect.op === "<<-" ? line.replace(/^\t+/, "") : line;
      if (bare === redirect.target.text) break;
      lines.push(bare);
    }
    const text = lines.map((line) => `${line}\n`).join("");
    const sub: Parse = { ...p, text, at: 0, here: [] };
    const literal = { text, literal: true, glob: false, quoted: true, inner: [] };
    redirect.body = redirect.target.quoted ? literal : nested(sub, () => readHereText(sub, inner));
  }
}

function push(p: Parse, line: Line, parts: Parts): void {
  const { dirs } = p.place;
  const several = dirs.length > 1 ? { dirs } : {};
  p.commands.push({ ...parts, feed: line.feed, under: [], cwd: dirs[0], ...several });
}
