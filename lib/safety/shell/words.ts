import { tmpdir } from "node:os";
import { type Range, UNKNOWN, type Word } from "../options/command-line.js";
import { BRACE_CLOSE, BRACE_COMMA, BRACE_OPEN, expandBraces, SPLIT } from "./braces.js";
import { evaluatesNames, evaluatingExpansion } from "./evaluate.js";
import { fail, nested, noteEvaluation, type Parse, peek } from "./state.js";
import { decidesWhatRuns } from "./variables.js";

/** Characters that end a word. */
const ENDS = new Set([" ", "\t", "\n", ";", "&", "|", "<", ">", "(", ")", ""]);

/** `~` is the user's home, `~name` that of another user. */
function homeAt(p: Parse): { path: string; length: number } | undefined {
  const [whole = "", name = "", end = ""] =
    /^~([a-z_][\w-]{0,31}|[-+]\d*)?(.?)/s.exec(p.text.slice(p.at, p.at + 40)) ?? [];
  if (end !== "/" && !ENDS.has(end)) return undefined;
  if (name === "") return { path: p.known.get("HOME") ?? p.scope.userHome, length: 1 };
  const [here] = p.place.dirs;
  if (/^[-+]/.test(name))
    return {
      path: name === "+" && p.place.dirs.length === 1 && here !== undefined ? here : UNKNOWN,
      length: whole.length - end.length,
    };
  return { path: name === "root" ? "/root" : `/home/${name}`, length: whole.length - end.length };
}

/** A word while it is being read. */
interface Draft {
  readonly parts: string[];
  literal: boolean;
  glob: boolean;
  quoted: boolean;
  /** An unquoted part is not known: the shell may split it. */
  splits?: true;
  readonly inner: Range[];
  /** Texts that the whole may be so far, where a part has few known values; undefined: only `parts`. */
  choices?: readonly string[] | "many";
  /** How many of the parts the choices hold. */
  settled?: number;
}

/** Parses the commands of a substitution: `$( )`, `<( )`, or the text of backticks. */
export interface Inner {
  until(p: Parse, close: string): Range;
  text(p: Parse, text: string): Range;
  /** What stands between `((` and `))`: commands where it can be read as such, else an expression. */
  expression(p: Parse, text: string): readonly Range[];
}

/** The next word, or undefined when none begins here. Brace lists make several words. */
export function readWords(p: Parse, inner: Inner): readonly Word[] | undefined {
  const draft: Draft = { parts: [], literal: true, glob: false, quoted: false, inner: [] };
  const start = p.at;
  for (;;) {
    const char = peek(p);
    if ((char === "<" || char === ">") && peek(p, 1) === "(" && p.at === start) readProcess(p, draft, inner);
    else if (ENDS.has(char)) break;
    else readPart(p, draft, inner);
  }
  return p.at === start ? undefined : toWords(draft);
}

/** One word where the grammar wants exactly one. */
export function readWord(p: Parse, inner: Inner): Word | undefined {
  return readWords(p, inner)?.[0];
}

const CHOICES_AT_MOST = 32;

/** A part that is one of these. The parts before it are settled with it. */
function addChoices(draft: Draft, values: readonly string[], quoted: boolean): void {
  const before = settle(draft);
  draft.literal = false;
  draft.parts.push(UNKNOWN);
  if (!quoted) draft.splits = true;
  const made = before === "many" ? [] : before.flatMap((one) => values.map((value) => one + value));
  draft.choices = before === "many" || made.length > CHOICES_AT_MOST || made.length === 0 ? "many" : made;
  draft.settled = draft.parts.length;
}

/** The choices with what was read since; a part that is not known makes them too many. */
function settle(draft: Draft): readonly string[] | "many" {
  const rest = draft.parts.slice(draft.settled ?? 0).join("");
  if (draft.choices === "many" || rest.includes(UNKNOWN)) return "many";
  return (draft.choices ?? [""]).map((one) => one + rest);
}

function toWords(draft: Draft): readonly Word[] {
  const text = draft.parts.join("");
  const settled = draft.choices === undefined ? undefined : settle(draft);
  const choices =
    settled === undefined || settled === "many" ? {} : { choices: settled.flatMap((one) => expandBraces(one)) };
  const { literal, glob, quoted, inner } = draft;
  const split = draft.splits === undefined ? {} : { splits: draft.splits };
  return expandBraces(text).flatMap((one) =>
    one.split(SPLIT).map((part) => ({ text: part, literal, glob, quoted, inner, ...split, ...choices })),
  );
}

const MARKS: Readonly<Record<string, string>> = { "{": BRACE_OPEN, ",": BRACE_COMMA, "}": BRACE_CLOSE };

function readPart(p: Parse, draft: Draft, inner: Inner): void {
  const char = peek(p);
  if (char === "\\") readEscape(p, draft);
  else if (char === "'") readSingle(p, draft);
  else if (char === '"') readDouble(p, draft, inner);
  else if (char === "$") readDollar(p, draft, inner, false);
  else if (char === "`") readBackticks(p, draft, inner, false);
  else {
    if (char === "*" || char === "?" || char === "[") draft.glob = true;
    // A tilde or brace inside quotes is read elsewhere, so what comes here may expand.
    const home = char === "~" && draft.parts.length === 0 && !draft.quoted ? homeAt(p) : undefined;
    draft.parts.push(home?.path ?? MARKS[char] ?? char);
    p.at += home?.length ?? 1;
  }
}

function readEscape(p: Parse, draft: Draft): void {
  const next = peek(p, 1);
  if (next === "") fail(p, "nothing behind the last backslash");
  if (next !== "\n") {
    draft.parts.push(next);
    draft.quoted = true;
  }
  p.at += 2;
}

function readSingle(p: Parse, draft: Draft): void {
  const end = p.text.indexOf("'", p.at + 1);
  if (end === -1) fail(p, "quote without end");
  draft.parts.push(p.text.slice(p.at + 1, end));
  draft.quoted = true;
  p.at = end + 1;
}

function readDouble(p: Parse, draft: Draft, inner: Inner): void {
  p.at += 1;
  draft.quoted = true;
  for (;;) {
    const char = peek(p);
    if (char === "") fail(p, "quote without end");
    if (char === '"') break;
    readQuoted(p, draft, inner);
  }
  p.at += 1;
}

/** One piece of text in which only `$`, backticks and some escapes mean something: double quotes and here-documents. */
function readQuoted(p: Parse, draft: Draft, inner: Inner): void {
  const char = peek(p);
  if (char === "\\") {
    const next = peek(p, 1);
    if (next !== "\n") draft.parts.push('$`"\\'.includes(next) ? next : `\\${next}`);
    p.at += 2;
  } else if (char === "$") readDollar(p, draft, inner, true);
  else if (char === "`") readBackticks(p, draft, inner, true);
  else {
    const end = nextSpecial(p.text, p.at);
    draft.parts.push(p.text.slice(p.at, end));
    p.at = end;
  }
}

function nextSpecial(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    const char = text[at];
    if (char === "\\" || char === "$" || char === "`" || char === '"') return at;
  }
  return text.length;
}

/** Text of a here-document whose mark was not quoted. */
export function readHereText(p: Parse, inner: Inner): Word {
  const draft: Draft = { parts: [], literal: true, glob: false, quoted: true, inner: [] };
  while (peek(p) !== "") readQuoted(p, draft, inner);
  return { text: draft.parts.join(""), literal: draft.literal, glob: false, quoted: true, inner: draft.inner };
}

function unknown(draft: Draft, quoted: boolean): void {
  draft.parts.push(UNKNOWN);
  draft.literal = false;
  if (!quoted) draft.splits = true;
}

function readDollar(p: Parse, draft: Draft, inner: Inner, quoted: boolean): void {
  const next = peek(p, 1);
  if (next === "(") {
    readSubstitution(p, draft, inner, quoted);
  } else if (next === "{") {
    readParameter(p, draft, inner, quoted);
  } else if (next === "'" && !quoted) {
    p.at += 2;
    readAnsi(p, draft);
  } else if (next === '"' && !quoted) {
    p.at += 1;
  } else {
    const name = /^(?:[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-])/.exec(p.text.slice(p.at + 1, p.at + 129))?.[0];
    p.at += 1 + (name?.length ?? 0);
    if (name === undefined && next === "[") noteEvaluation(p, "an expression evaluates the variables that it names");
    if (name === undefined) draft.parts.push("$");
    else expand(p, draft, name, quoted);
  }
}

function expand(p: Parse, draft: Draft, name: string, quoted: boolean): void {
  if (name === "IFS" && !quoted) {
    draft.parts.push(SPLIT);
    draft.literal = false;
    return;
  }
  const value = knownValue(p, name);
  const choices =
    value === undefined ? (p.choices.get(name) ?? (/^[?#$!]$/.test(name) ? ["1"] : undefined)) : undefined;
  if (choices !== undefined) addChoices(draft, choices, quoted);
  else if (value === undefined) unknown(draft, quoted);
  else if (isFixed(name) && !p.known.has(name)) draft.parts.push(value);
  else {
    draft.parts.push(quoted ? value : value.replaceAll(/[ \t\n]+/g, SPLIT));
    draft.literal = false;
  }
}

const isFixed = (name: string) => name === "HOME" || name === "PWD" || name === "AGENT_HOME";

/** What a substitution prints, where that is known without running it. */
function printedBy(p: Parse, text: string): string | undefined {
  if (/^\s*mktemp(\s+(-d|-u|-q|-t\s+[\w.-]+))*\s*$/.test(text)) return `${tmpdir()}/tmp.XXXXXXXXXX`;
  if (/^\s*pwd\s*$/.test(text)) return p.place.dirs.length === 1 ? p.place.dirs[0] : undefined;
  if (/^\s*date(\s+-u)?\s+["']?\+["']?[\w%:.-]*["']?\s*$/.test(text) && !/%[Dx]/.test(text)) return "1";
  return /^\s*(nproc|id -u|uname -[smr]|git rev-parse --short HEAD|seq\s[\d\s]+)\s*$/.test(text) ? "1" : undefined;
}

function knownValue(p: Parse, name: string): string | undefined {
  const set = p.known.get(name);
  if (set !== undefined) return set;
  if (name === "HOME") return p.scope.userHome;
  if (name === "AGENT_HOME") return p.scope.agentHome;
  return name === "PWD" && p.place.dirs.length === 1 ? p.place.dirs[0] : undefined;
}

function readSubstitution(p: Parse, draft: Draft, inner: Inner, quoted: boolean): void {
  if (peek(p, 2) === "(" && skipArithmetic(p, draft, inner)) return;
  p.at += 2;
  const from = p.at;
  draft.inner.push(nested(p, () => inner.until(p, ")")));
  const printed = p.at - from > 100 ? undefined : printedBy(p, p.text.slice(from, p.at - 1));
  if (printed === undefined) unknown(draft, quoted);
  else addChoices(draft, [printed], quoted);
}

/** `$(( ))`. False when it is a subshell in a substitution after all. */
function skipArithmetic(p: Parse, draft: Draft, inner: Inner): boolean {
  const end = arithmeticEnd(p.text, p.at + 3);
  if (end === undefined) return false;
  const body = p.text.slice(p.at + 3, end);
  if (evaluatesNames(body)) noteEvaluation(p, "an expression evaluates the variables that it names");
  draft.inner.push(...inner.expression(p, body));
  p.at = end + 2;
  unknown(draft, true);
  return true;
}

/** Substitutions inside a text that is not a word itself. */
export function innerOf(p: Parse, inner: Inner, text: string): readonly Range[] {
  const from = p.commands.length;
  const sub: Parse = { ...p, text, at: 0, here: [] };
  nested(sub, () => readHereText(sub, inner));
  return p.commands.length === from ? [] : [{ from, to: p.commands.length }];
}

/** Index of the `))` that closes an arithmetic expression. */
export function arithmeticEnd(text: string, from: number): number | undefined {
  let open = 0;
  for (let at = from; at < text.length; at++) {
    const char = text[at];
    if (char === "(") open += 1;
    if (char !== ")") continue;
    if (open === 0) return text[at + 1] === ")" ? at : undefined;
    open -= 1;
  }
  return undefined;
}

/** `${...}`: a plain name may be known; anything else is not, but substitutions in it still run. */
function readParameter(p: Parse, draft: Draft, inner: Inner, quoted: boolean): void {
  const end = parameterEnd(p.text, p.at + 2);
  if (end === undefined) fail(p, "${ without end");
  const body = p.text.slice(p.at + 2, end);
  p.at = end + 1;
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(body)) {
    expand(p, draft, body, quoted);
    return;
  }
  const stored = /^([A-Za-z_]\w*):?=/.exec(body)?.[1];
  if (stored !== undefined && decidesWhatRuns(stored))
    p.findings.push({ kind: "inline-code", text: `an expansion sets ${stored}` });
  const why = evaluatingExpansion(body);
  if (why !== undefined) noteEvaluation(p, why);
  // `${x:?}`, `${x:-y}` and `${x:+}` of a variable that is known are its value.
  const checked = /^([A-Za-z_]\w*):?[?=-]/.exec(body)?.[1];
  if (checked !== undefined && knownValue(p, checked)) {
    if (/[`$]/.test(body)) draft.inner.push(...innerOf(p, inner, body));
    expand(p, draft, checked, quoted);
    return;
  }
  if (/[`$]/.test(body)) draft.inner.push(...innerOf(p, inner, body));
  if (body.startsWith("IFS") && !quoted) draft.parts.push(SPLIT);
  else unknown(draft, quoted);
  draft.literal = false;
}

function parameterEnd(text: string, from: number): number | undefined {
  let open = 0;
  for (let at = from; at < text.length; at++) {
    const char = text[at];
    if (char === "\\") at += 1;
    else if (char === "'") {
      const end = text.indexOf("'", at + 1);
      // An apostrophe inside double quotes is only a character; then no second one stands before the brace.
      if (end !== -1 && text.indexOf("}", at) > end) at = end;
    } else if (char === "{") open += 1;
    else if (char === "}") {
      if (open === 0) return at;
      open -= 1;
    }
  }
  return undefined;
}

/** Backticks: their text loses one level of backslashes, then it is a line of its own. */
function readBackticks(p: Parse, draft: Draft, inner: Inner, quoted: boolean): void {
  let at = p.at + 1;
  const parts: string[] = [];
  for (; at < p.text.length && p.text[at] !== "`"; at++) {
    if (p.text[at] === "\\" && "`\\$".includes(p.text[at + 1] ?? " ")) at += 1;
    parts.push(p.text[at] ?? "");
  }
  if (at >= p.text.length) fail(p, "backtick without end");
  p.at = at + 1;
  draft.inner.push(nested(p, () => inner.text(p, parts.join(""))));
  unknown(draft, quoted);
}

function readProcess(p: Parse, draft: Draft, inner: Inner): void {
  p.at += 2;
  draft.inner.push(nested(p, () => inner.until(p, ")")));
  addChoices(draft, ["/dev/fd/63"], true);
}

const ANSI: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\x07",
  b: "\b",
  e: "\x1b",
  E: "\x1b",
  f: "\f",
  v: "\v",
};

/** `$'...'`, already behind its opening. */
function readAnsi(p: Parse, draft: Draft): void {
  draft.quoted = true;
  while (peek(p) !== "'") {
    if (peek(p) === "") fail(p, "quote without end");
    if (peek(p) !== "\\") {
      draft.parts.push(peek(p));
      p.at += 1;
      continue;
    }
    const code = /^\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3}))/.exec(
      p.text.slice(p.at, p.at + 12),
    );
    const hex = code?.[1] ?? code?.[2] ?? code?.[3];
    const value = hex !== undefined ? Number.parseInt(hex, 16) : Number.parseInt(code?.[4] ?? "", 8);
    draft.parts.push(
      code === null ? (ANSI[peek(p, 1)] ?? peek(p, 1)) : String.fromCodePoint(Math.min(value, 0x10ffff)),
    );
    p.at += code === null ? 2 : code[0].length;
  }
  p.at += 1;
}
