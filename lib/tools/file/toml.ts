/** What is wrong with a TOML text, with line and column; undefined: nothing. Syntax, and names that are given twice. */
export function checkToml(text: string): string | undefined {
  const reader: Reader = { text, at: text.startsWith("\uFEFF") ? 1 : 0 };
  try {
    readDocument(reader);
    return undefined;
  } catch (error) {
    if (!(error instanceof Wrong)) throw error;
    const before = text.slice(0, error.at);
    return `line ${before.split("\n").length}, column ${error.at - before.lastIndexOf("\n")}: ${error.message}`;
  }
}

interface Reader {
  readonly text: string;
  at: number;
}

class Wrong extends Error {
  readonly at: number;
  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

/** Names below a table. A value is closed; a table may get more names. */
type Table = Map<string, Table | "value" | Table[]>;

const NESTED_AT_MOST = 200;

function readDocument(reader: Reader): void {
  const root: Table = new Map();
  const defined = new Set<Table>();
  let table = root;
  for (skipLines(reader); reader.at < reader.text.length; skipLines(reader)) {
    if (reader.text[reader.at] === "[") table = readHeader(reader, root, defined);
    else readPair(reader, table, 0);
    endLine(reader);
  }
}

function readHeader(reader: Reader, root: Table, defined: Set<Table>): Table {
  const start = reader.at;
  const isArray = reader.text.startsWith("[[", start);
  reader.at += isArray ? 2 : 1;
  blanks(reader);
  const names = readKey(reader);
  expect(reader, isArray ? "]]" : "]");
  const last = names.pop() ?? "";
  const parent = names.reduce((table, name) => into(table, name, start), root);
  const known = parent.get(last);
  if (isArray) {
    if (known !== undefined && !Array.isArray(known)) throw new Wrong(start, `${last} is defined already`);
    const made: Table = new Map();
    parent.set(last, [...(known ?? []), made]);
    return made;
  }
  if (known === "value" || Array.isArray(known) || (known !== undefined && defined.has(known)))
    throw new Wrong(start, `the table ${last} is defined already`);
  const table = known ?? new Map();
  parent.set(last, table);
  defined.add(table);
  return table;
}

function into(table: Table, name: string, at: number): Table {
  const known = table.get(name);
  if (known === "value") throw new Wrong(at, `${name} is a value, not a table`);
  const next: Table = Array.isArray(known) ? (known.at(-1) ?? new Map()) : (known ?? new Map());
  if (known === undefined) table.set(name, next);
  return next;
}

function readPair(reader: Reader, table: Table, depth: number): void {
  const start = reader.at;
  const names = readKey(reader);
  expect(reader, "=");
  blanks(reader);
  const last = names.pop() ?? "";
  const parent = names.reduce((inner, name) => into(inner, name, start), table);
  if (parent.has(last)) throw new Wrong(start, `${last} is defined already`);
  parent.set(last, "value");
  readValue(reader, depth);
}

function readKey(reader: Reader): string[] {
  const names: string[] = [];
  for (;;) {
    blanks(reader);
    const quote = reader.text[reader.at];
    if (quote === '"' || quote === "'") names.push(readLine(reader, quote));
    else names.push(take(reader, /[A-Za-z0-9_-]+/y, "a name"));
    blanks(reader);
    if (reader.text[reader.at] !== ".") return names;
    reader.at += 1;
  }
}

const SCALARS =
  /true|false|[+-]?(?:inf|nan)|\d{4}-\d{2}-\d{2}(?:[Tt ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})?)?|\d{2}:\d{2}:\d{2}(?:\.\d+)?|0x[0-9A-Fa-f](?:_?[0-9A-Fa-f])*|0o[0-7](?:_?[0-7])*|0b[01](?:_?[01])*|[+-]?(?:0|[1-9](?:_?\d)*)(?:\.\d(?:_?\d)*)?(?:[eE][+-]?\d(?:_?\d)*)?/y;

function readValue(reader: Reader, depth: number): void {
  if (depth > NESTED_AT_MOST) throw new Wrong(reader.at, "nested too deeply");
  const { text, at } = reader;
  const first = text[at];
  if (text.startsWith('"""', at) || text.startsWith("'''", at)) readBlock(reader, text.slice(at, at + 3));
  else if (first === '"' || first === "'") readLine(reader, first);
  else if (first === "[") readArray(reader, depth);
  else if (first === "{") readInline(reader, depth);
  else take(reader, SCALARS, "a value");
  const next = text[reader.at];
  if (next !== undefined && !/[\s,\]}#]/.test(next))
    throw new Wrong(reader.at, `unexpected ${JSON.stringify(next)} after a value`);
}

function readArray(reader: Reader, depth: number): void {
  reader.at += 1;
  for (;;) {
    skipLines(reader);
    if (reader.text[reader.at] === "]") break;
    readValue(reader, depth + 1);
    skipLines(reader);
    if (reader.text[reader.at] === "]") break;
    expect(reader, ",");
  }
  reader.at += 1;
}

function readInline(reader: Reader, depth: number): void {
  const table: Table = new Map();
  reader.at += 1;
  blanks(reader);
  if (reader.text[reader.at] !== "}") {
    for (;;) {
      readPair(reader, table, depth + 1);
      blanks(reader);
      if (reader.text[reader.at] !== ",") break;
      reader.at += 1;
    }
  }
  expect(reader, "}");
}

/** A string on one line; its text is needed for names. */
function readLine(reader: Reader, quote: string): string {
  const start = reader.at;
  for (let at = start + 1; at < reader.text.length && reader.text[at] !== "\n"; at++) {
    if (quote === '"' && reader.text[at] === "\\") at = escapeEnd(reader, at);
    else if (reader.text[at] === quote) {
      reader.at = at + 1;
      return reader.text.slice(start + 1, at);
    }
  }
  throw new Wrong(start, "the string is not closed");
}

function readBlock(reader: Reader, quotes: string): void {
  const start = reader.at;
  for (let at = start + 3; at < reader.text.length; at++) {
    if (quotes === '"""' && reader.text[at] === "\\") {
      at = /^\\[ \t]*\r?\n/.test(reader.text.slice(at, at + 200)) ? at + 1 : escapeEnd(reader, at);
    } else if (reader.text.startsWith(quotes, at)) {
      // Up to two more quotes belong to the text.
      reader.at = at + 3;
      while (reader.text[reader.at] === quotes[0] && reader.at < at + 5) reader.at += 1;
      return;
    }
  }
  throw new Wrong(start, "the string is not closed");
}

/** @returns where the escape ends */
function escapeEnd({ text }: Reader, at: number): number {
  const found = /\\(?:[btnfre"\\]|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8})/y;
  found.lastIndex = at;
  const length = found.exec(text)?.[0].length;
  if (length === undefined) throw new Wrong(at, "an escape that is none");
  return at + length - 1;
}

function take(reader: Reader, pattern: RegExp, what: string): string {
  pattern.lastIndex = reader.at;
  const found = pattern.exec(reader.text)?.[0];
  if (found === undefined || found === "") throw new Wrong(reader.at, `expected ${what}`);
  reader.at += found.length;
  return found;
}

function expect(reader: Reader, mark: string): void {
  blanks(reader);
  if (!reader.text.startsWith(mark, reader.at)) throw new Wrong(reader.at, `expected ${mark}`);
  reader.at += mark.length;
}

function blanks(reader: Reader): void {
  while (reader.text[reader.at] === " " || reader.text[reader.at] === "\t") reader.at += 1;
}

function skipLines(reader: Reader): void {
  for (;;) {
    while (/\s/.test(reader.text[reader.at] ?? "x")) reader.at += 1;
    if (reader.text[reader.at] !== "#") return;
    skipComment(reader);
  }
}

function skipComment(reader: Reader): void {
  const end = reader.text.indexOf("\n", reader.at);
  reader.at = end === -1 ? reader.text.length : end;
}

function endLine(reader: Reader): void {
  blanks(reader);
  if (reader.text[reader.at] === "#") skipComment(reader);
  const left = reader.text.slice(reader.at, reader.at + 2);
  if (left !== "" && left[0] !== "\n" && left !== "\r\n") throw new Wrong(reader.at, "expected the end of the line");
}
