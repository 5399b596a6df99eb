import { basename } from "node:path";
import { EXIT, HelperError } from "./errors.mjs";
import { readText } from "./files.mjs";

/** A row by the names of its columns. @typedef {Record<string, string>} Row */

/** Longest row that is accepted from a file. What is longer is not a table of records. */
const MOST_ROW_CHARACTERS = 4 * 1024 * 1024;

/**
 * Text of a table in the form of RFC 4180. Values are data: they are quoted where the form requires it and never changed, also those that a
 * spreadsheet would take for a formula.
 *
 * @param {readonly string[]} columns
 * @param {readonly Record<string, unknown>[]} rows a missing value is an empty cell
 */
export function renderCsv(columns, rows) {
  const lines = rows.map((row) => columns.map((column) => quote(row[column])).join(","));
  return `${[columns.map(quote).join(","), ...lines].join("\r\n")}\r\n`;
}

/** @param {unknown} value */
function quote(value) {
  const text = value === undefined || value === null ? "" : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * A parser that takes a table in pieces of any size: `push` and `end` return the rows that are complete.
 *
 * @returns {{ push(text: string): string[][], end(): string[][] }}
 */
export function createCsvParser() {
  /** @type {string[]} */
  let row = [];
  let field = "";
  let length = 0;
  /** "open": inside quotes; "closing": behind a quote that ends the field or is the first of two. */
  let state = "start";
  let first = true;

  const endField = () => {
    row.push(field);
    field = "";
    state = "start";
  };
  /** @param {string[][]} rows */
  const endRow = (rows) => {
    endField();
    const isBlank = row.length === 1 && row[0] === "";
    if (!isBlank) rows.push(row);
    row = [];
    length = 0;
  };
  /** @param {string} text */
  const add = (text) => {
    field += text;
    length += text.length;
    if (length > MOST_ROW_CHARACTERS)
      throw new HelperError(EXIT.upstream, `a row of the table has more than ${MOST_ROW_CHARACTERS} characters`);
  };

  return {
    push(piece) {
      const text = first && piece.startsWith("\uFEFF") ? piece.slice(1) : piece;
      first = first && piece === "";
      /** @type {string[][]} */
      const rows = [];
      let at = 0;
      while (at < text.length) {
        const end = endOfRun(text, at, state);
        if (end > at) {
          add(text.slice(at, end));
          if (state !== "open") state = "plain";
          at = end;
          continue;
        }
        const sign = text[at];
        at += 1;
        if (state === "open") state = "closing";
        else if (sign === '"' && state === "closing") {
          add('"');
          state = "open";
        } else if (sign === '"' && state === "start") state = "open";
        else if (sign === ",") endField();
        else if (sign === "\n") endRow(rows);
        else if (sign !== "\r") add(sign ?? "");
      }
      return rows;
    },
    end() {
      /** @type {string[][]} */
      const rows = [];
      if (row.length > 0 || field !== "" || state !== "start") endRow(rows);
      return rows;
    },
  };
}

/**
 * Where the characters end that only add to the field.
 *
 * @param {string} text
 * @param {number} from
 * @param {string} state
 */
function endOfRun(text, from, state) {
  const signs = state === "open" ? /"/g : /[",\r\n]/g;
  signs.lastIndex = from;
  return signs.exec(text)?.index ?? text.length;
}

/**
 * Rows of a whole table, without names.
 *
 * @param {string} text
 */
export function parseCsv(text) {
  const parser = createCsvParser();
  return [...parser.push(text), ...parser.end()];
}

/**
 * A table of the user with a header.
 *
 * @param {string} path
 * @param {readonly string[]} needed columns that it must have
 * @returns {Promise<Row[]>}
 */
export async function readTable(path, needed) {
  const [header = [], ...rows] = parseCsv(await readText(path));
  const missing = needed.filter((name) => !header.includes(name));
  if (missing.length > 0) {
    const available = header.length === 0 ? "the file is empty" : `available: ${header.join(", ")}`;
    throw new HelperError(EXIT.failed, `${basename(path)} has no column '${missing.join("', '")}' (${available})`);
  }
  return rows.map((cells) => toRow(header, cells));
}

/**
 * @param {readonly string[]} header
 * @param {readonly string[]} cells missing ones are empty
 * @returns {Row}
 */
export function toRow(header, cells) {
  return Object.fromEntries(header.map((name, at) => [name, cells[at] ?? ""]));
}
