/** A text as one word for a POSIX shell. */
export function quoteWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Exported variables from what `export -p` prints: `declare -x NAME="value"` (bash, with `$'...'` for control characters) or
 * `export NAME='value'` (other shells). Names without a value are left out.
 */
export function parseExports(printed: string): Record<string, string> {
  const found: Record<string, string> = {};
  let at = 0;
  while (at < printed.length) {
    const equals = printed.indexOf("=", at);
    const end = printed.indexOf("\n", at);
    const lineEnd = end === -1 ? printed.length : end;
    if (equals === -1 || equals > lineEnd) {
      at = lineEnd + 1;
      continue;
    }
    const name = printed.slice(at, equals).split(" ").at(-1) ?? "";
    const value = readValue(printed, equals + 1);
    if (NAME.test(name)) found[name] = value.text;
    const next = printed.indexOf("\n", value.end);
    at = next === -1 ? printed.length : next + 1;
  }
  return found;
}

interface Value {
  readonly text: string;
  /** Index behind it. */
  readonly end: number;
}

/** A value may be pieces in different quotes beside each other. */
function readValue(printed: string, from: number): Value {
  const parts: string[] = [];
  let at = from;
  while (at < printed.length && printed[at] !== "\n") {
    const piece = readPiece(printed, at);
    parts.push(piece.text);
    at = piece.end;
  }
  return { text: parts.join(""), end: at };
}

function readPiece(printed: string, at: number): Value {
  if (printed.startsWith("$'", at)) return readEscaped(printed, at + 2);
  const char = printed[at] ?? "";
  if (char === '"') return readQuoted(printed, at + 1);
  if (char === "'") {
    const end = printed.indexOf("'", at + 1);
    return end === -1
      ? { text: printed.slice(at + 1), end: printed.length }
      : { text: printed.slice(at + 1, end), end: end + 1 };
  }
  return char === "\\" ? { text: printed[at + 1] ?? "", end: at + 2 } : { text: char, end: at + 1 };
}

function readQuoted(printed: string, from: number): Value {
  const parts: string[] = [];
  let start = from;
  for (let at = from; at < printed.length; at++) {
    const char = printed[at];
    if (char === '"') return { text: parts.join("") + printed.slice(start, at), end: at + 1 };
    if (char !== "\\") continue;
    parts.push(printed.slice(start, at), printed[at + 1] === "\n" ? "" : (printed[at + 1] ?? ""));
    at += 1;
    start = at + 1;
  }
  return { text: parts.join("") + printed.slice(start), end: printed.length };
}

const NAMED: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\x07",
  b: "\b",
  f: "\f",
  v: "\v",
  e: "\x1b",
  E: "\x1b",
};

/** `$'...'`: octal and hex escapes stand for bytes, so the text is put together as bytes. */
function readEscaped(printed: string, from: number): Value {
  const bytes: Buffer[] = [];
  let at = from;
  while (at < printed.length && printed[at] !== "'") {
    const code =
      printed[at] === "\\" ? /^\\(?:([0-7]{1,3})|x([0-9a-fA-F]{1,2}))/.exec(printed.slice(at, at + 5)) : null;
    if (code !== null) {
      bytes.push(
        Buffer.from([code[1] === undefined ? Number.parseInt(code[2] ?? "0", 16) : Number.parseInt(code[1], 8) & 255]),
      );
      at += code[0].length;
    } else if (printed[at] === "\\") {
      const next = printed[at + 1] ?? "";
      bytes.push(Buffer.from(NAMED[next] ?? next));
      at += 2;
    } else {
      const char = String.fromCodePoint(printed.codePointAt(at) ?? 0);
      bytes.push(Buffer.from(char));
      at += char.length;
    }
  }
  return { text: Buffer.concat(bytes).toString(), end: at + 1 };
}
