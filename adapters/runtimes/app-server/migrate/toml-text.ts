import { parse, TomlDate, type TomlTable, type TomlValue } from "smol-toml";
import { isRecord } from "../../../../lib/base/json/record.js";

/** A TOML text in pieces, so that one piece can be changed and every other byte stays. */

/** A line of a comment, a key of its table, or a header; blank lines are in none. */
export interface Statement {
  readonly kind: "comment" | "key" | "header";
  /** Offsets of its first line and behind its last line end. */
  readonly start: number;
  readonly end: number;
  /** Names of a header or of a key: `[a."b.c"]` is `a`, `b.c`. Empty for comments. */
  readonly path: readonly string[];
}

/** @throws TomlError with line and column */
export const parseToml = (text: string): TomlTable => parse(text, { integersAsBigInt: "asNeeded" });

/** The statements of a text that is valid TOML, in order. Lines inside of strings and lists that look like headers or comments are none. */
export function statementsOf(text: string): readonly Statement[] {
  const found: Statement[] = [];
  for (let at = 0; at < text.length; ) {
    const start = skipBlank(text, at);
    if (start >= text.length) break;
    const end = endOfStatement(text, start);
    found.push(statement(text, start, end));
    at = end;
  }
  return found;
}

function statement(text: string, start: number, end: number): Statement {
  const line = text.slice(start, end).trim();
  if (line.startsWith("#")) return { kind: "comment", start, end, path: [] };
  return { kind: line.startsWith("[") ? "header" : "key", start, end, path: pathOf(parseToml(line)) };
}

/** The names down to the value of the only key of a table. An inline table is a value, not a table; only the first names matter. */
function pathOf(table: TomlTable): readonly string[] {
  const path: string[] = [];
  let at: unknown = table;
  while (isRecord(at) && !(at instanceof Date) && Object.keys(at).length === 1) {
    const [[name, inner] = ["", undefined]] = Object.entries(at);
    path.push(name);
    at = Array.isArray(inner) && inner.length === 1 ? inner[0] : inner;
  }
  return path;
}

/** Behind blank lines, at the beginning of the line of the next statement. */
function skipBlank(text: string, from: number): number {
  let start = from;
  for (let at = from; at < text.length; at++) {
    const sign = text.charAt(at);
    if (sign === "\n" || sign === "\uFEFF") start = at + 1;
    else if (sign.trim() !== "") return start;
  }
  return text.length;
}

/** Behind the line end that ends the statement: not one in a string, in a list or in a table. */
function endOfStatement(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const sign = text.charAt(at);
    if (sign === "#") at = lineEnd(text, at) - 1;
    else if (sign === '"' || sign === "'") at = endOfString(text, at) - 1;
    else if (sign === "[" || sign === "{") depth += 1;
    else if (sign === "]" || sign === "}") depth -= 1;
    else if (sign === "\n" && depth <= 0) return at + 1;
  }
  return text.length;
}

/** Offset of the next line end, or of the end of the text. */
function lineEnd(text: string, from: number): number {
  const at = text.indexOf("\n", from);
  return at < 0 ? text.length : at;
}

function endOfString(text: string, start: number): number {
  const quote = text.charAt(start);
  const mark = text.startsWith(quote.repeat(3), start) ? quote.repeat(3) : quote;
  for (let at = start + mark.length; at < text.length; at++) {
    if (quote === '"' && text.charAt(at) === "\\") at += 1;
    else if (text.startsWith(mark, at)) {
      let end = at + mark.length;
      // A long string may end in up to two quotes of its own.
      if (mark.length === 3) while (text.charAt(end) === quote && end < at + 5) end += 1;
      return end;
    }
  }
  return text.length;
}

/** Whether two tables mean the same, in whatever order and spelling they are written. */
export function sameMeaning(a: string, b: string): boolean {
  return canonical(parseToml(a)) === canonical(parseToml(b));
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value instanceof Date) return `date ${value.toISOString()}`;
  if (!isRecord(value)) return typeof value === "string" ? JSON.stringify(value) : String(value);
  const members = Object.keys(value).sort((a, b) => (a < b ? -1 : 1));
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(",")}}`;
}

/** Values of a table that is written. */
export type TableValues = Readonly<Record<string, TomlValue>>;

/** A table with its header, one key a line. */
export function tableText(path: readonly string[], values: TableValues): string {
  const lines = Object.entries(values).map(([name, value]) => `${keyText(name)} = ${valueText(value)}\n`);
  return `[${path.map(keyText).join(".")}]\n${lines.join("")}`;
}

const BARE = /^[A-Za-z0-9_-]+$/;

const keyText = (name: string): string => (BARE.test(name) ? name : stringText(name));

function valueText(value: TomlValue): string {
  if (typeof value === "string") return stringText(value);
  if (value instanceof TomlDate) return value.toISOString();
  if (Array.isArray(value)) return `[${value.map(valueText).join(", ")}]`;
  if (typeof value !== "object") return String(value);
  const members = Object.entries(value).map(([name, inner]) => `${keyText(name)} = ${valueText(inner)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

/** JSON escapes what TOML wants escaped, except DEL. */
export const stringText = (text: string): string => JSON.stringify(text.toWellFormed()).replaceAll("\u007f", "\\u007f");
