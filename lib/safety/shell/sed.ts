/** Longer scripts are not looked at: they count as writing. */
const SCRIPT_CHARS = 4_000;

/** What the commands of a script do beside printing. */
export interface SedScript {
  /** Files that `w`, or the flag `w` of `s`, writes. */
  readonly writes: readonly string[];
  /** `e` starts programs. */
  readonly runs: boolean;
  /** Every command was understood. */
  readonly sure: boolean;
}

/** Scripts on the command line of sed: those of `-e`, else the first word that is not an option. */
function scriptsOf(words: readonly string[]): readonly string[] {
  const given = words.flatMap((word, at) => {
    if (/^(-[a-zA-Z]*e|--e[a-z]*)$/.test(word)) return [words[at + 1] ?? ""];
    const joined = /^(?:-[nErsuz]*e|--e[a-z]*=)(.+)$/s.exec(word)?.[1];
    return joined === undefined ? [] : [joined];
  });
  return given.length > 0 ? given : words.filter((word) => !/^-./.test(word)).slice(0, 1);
}

interface Reader {
  readonly text: string;
  at: number;
  readonly writes: string[];
  runs: boolean;
}

/** Read a script as sed does. Where versions differ, or a command is unknown, it is not `sure`. */
function readSedScript(text: string): SedScript {
  const reader: Reader = { text, at: 0, writes: [], runs: false };
  const sure = text.length <= SCRIPT_CHARS && readCommands(reader);
  return { writes: reader.writes, runs: reader.runs, sure };
}

function readCommands(reader: Reader): boolean {
  for (;;) {
    skip(reader, /[\s;]/);
    if (reader.at >= reader.text.length) return true;
    if (!readAddresses(reader) || !readCommand(reader)) return false;
  }
}

function skip(reader: Reader, what: RegExp): void {
  while (reader.at < reader.text.length && what.test(reader.text[reader.at] ?? "")) reader.at += 1;
}

/** `1`, `$`, `/x/I`, `\,x,`, `1~2`, two of them, and `!`. */
function readAddresses(reader: Reader): boolean {
  for (let count = 0; count < 2; count++) {
    skip(reader, /\s/);
    const char = reader.text[reader.at] ?? "";
    if (/[\d$+~]/.test(char)) skip(reader, /[\d$+~]/);
    else if (char === "/" || char === "\\") {
      if (char === "\\") reader.at += 1;
      const end = delimited(reader, reader.at);
      if (end === undefined) return false;
      reader.at = end;
      skip(reader, /[IM]/);
    } else break;
    skip(reader, /\s/);
    if (reader.text[reader.at] !== ",") break;
    reader.at += 1;
  }
  skip(reader, /[\s!]/);
  return true;
}

/** Place behind the delimiter that closes what the one at `from` opens. Brackets and line ends are read differently by versions. */
function delimited({ text }: Reader, from: number): number | undefined {
  const delimiter = text[from];
  if (delimiter === undefined || /[\w\s\\]/.test(delimiter)) return undefined;
  let bracket = false;
  for (let at = from + 1; at < text.length; at++) {
    const char = text[at];
    if (char === "\n") return undefined;
    if (char === "\\") at += 1;
    else if (char === "[") bracket = true;
    else if (char === "]") bracket = false;
    else if (char === delimiter) return bracket ? undefined : at + 1;
  }
  return undefined;
}

function readCommand(reader: Reader): boolean {
  const char = reader.text[reader.at] ?? "";
  reader.at += 1;
  if ("{}=dDgGhHnNpPxzF".includes(char)) return char !== "";
  if ("qQlL".includes(char)) {
    skip(reader, /[ \t\d]/);
    return endsHere(reader);
  }
  if ("btT:".includes(char)) {
    skip(reader, /[ \t]/);
    skip(reader, /\w/);
    return endsHere(reader);
  }
  if (char === "#") return readLine(reader) !== undefined;
  if (char === "r" || char === "R") return readLine(reader) !== undefined;
  if ("aic".includes(char)) return !(readLine(reader) ?? "\\").includes("\\");
  if (char === "w" || char === "W") {
    reader.writes.push((readLine(reader) ?? "").trim());
    return true;
  }
  if (char === "e") reader.runs = true;
  return char === "s" || char === "y" ? readReplacement(reader, char) : false;
}

const endsHere = ({ text, at }: Reader): boolean => at >= text.length || /[\s;}#]/.test(text[at] ?? "");

function readLine(reader: Reader): string | undefined {
  const end = reader.text.indexOf("\n", reader.at);
  const line = reader.text.slice(reader.at, end === -1 ? undefined : end);
  reader.at = end === -1 ? reader.text.length : end + 1;
  return line;
}

function readReplacement(reader: Reader, command: string): boolean {
  const middle = delimited(reader, reader.at);
  if (middle === undefined) return false;
  const end = replacementEnd(reader.text, middle, reader.text[reader.at] ?? "");
  if (end === undefined) return false;
  reader.at = end;
  if (command === "y") return endsHere(reader);
  for (; reader.at < reader.text.length; reader.at++) {
    const flag = reader.text[reader.at] ?? "";
    if (flag === "w") {
      reader.at += 1;
      reader.writes.push((readLine(reader) ?? "").trim());
      return true;
    }
    if (flag === "e") reader.runs = true;
    if (!/[gpiImM\d]/.test(flag)) break;
  }
  return endsHere(reader);
}

/** The replacement ends at the next delimiter; brackets mean nothing in it. */
function replacementEnd(text: string, from: number, delimiter: string): number | undefined {
  for (let at = from; at < text.length; at++) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === delimiter) return at + 1;
  }
  return undefined;
}

/** Where sed's own reading is not certain, what looks like a written file counts. */
const LOOKS_WRITTEN = /(?:^|[;{}\n@0-9$!/|,#])\s*[gpiIemM0-9]{0,8}[wW]\s*([^\n;}]+)/g;

/** Files that the command `w`, or the flag `w` of `s`, writes. No blank need stand before the name. */
export function sedWrites(words: readonly string[]): readonly string[] {
  return scriptsOf(words).flatMap((script) => {
    const { writes, sure } = readSedScript(script);
    if (sure) return writes;
    const looks = [...script.slice(0, SCRIPT_CHARS).matchAll(LOOKS_WRITTEN)].map((match) => (match[1] ?? "").trim());
    return [...writes, ...looks.filter((name) => name.startsWith("/") || name.startsWith("~") || name.startsWith("."))];
  });
}

/** A script on the command line starts programs. */
export const sedRuns = (words: readonly string[]): boolean =>
  scriptsOf(words.slice(1)).some((script) => readSedScript(script).runs);

/** It may change files or start programs: in place, by its commands, or by a script that is not visible here. */
export function sedChanges(words: readonly string[]): boolean {
  if (words.some((word) => /^(-[a-zA-Z]*[if]|--i[a-z-]*|--f[a-z-]*)(=|$)/.test(word) || /^-[a-zA-Z]*i/.test(word)))
    return true;
  return scriptsOf(words).some((text) => {
    const { writes, runs, sure } = readSedScript(text);
    return !sure || runs || writes.length > 0;
  });
}
