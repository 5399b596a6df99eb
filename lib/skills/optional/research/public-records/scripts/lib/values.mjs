import { usageError } from "./errors.mjs";

/**
 * Reading answers of services: any part of them may be missing or of another kind, and is an empty text then.
 */

/**
 * The text or number at a path inside an answer, as text.
 *
 * @param {any} value
 * @param {...(string | number)} path
 * @returns {string}
 */
export function textAt(value, ...path) {
  let here = value;
  for (const step of path) here = here?.[step];
  if (typeof here === "string") return here.trim();
  return typeof here === "number" || typeof here === "boolean" ? String(here) : "";
}

/**
 * The list at a path inside an answer; empty when there is something else.
 *
 * @param {any} value
 * @param {...(string | number)} path
 * @returns {any[]}
 */
export function listAt(value, ...path) {
  let here = value;
  for (const step of path) here = here?.[step];
  return Array.isArray(here) ? here : [];
}

/**
 * Distinct texts that are not empty, as one cell.
 *
 * @param {readonly string[]} texts
 * @param {string} [separator]
 */
export function joinTexts(texts, separator = "; ") {
  return [...new Set(texts.filter((text) => text !== ""))].join(separator);
}

const ENTITIES = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
  ["nbsp", " "],
]);

/**
 * Text of a piece of HTML or XML: tags dropped, entities resolved, white space folded.
 *
 * @param {string} html
 */
export function toPlainText(html) {
  return decodeEntities(html.replace(/<[^<>]*>/g, " "))
    .replace(/\s+/g, " ")
    .trim();
}

/**
 * Elements of one kind inside HTML or XML: the text of the opening tag, and what is inside. Of elements inside each other the innermost
 * counts. It looks at each sign a fixed number of times, whatever a server sends.
 *
 * @param {string} html
 * @param {string} name
 * @returns {{ tag: string, inside: string }[]}
 */
export function elementsIn(html, name) {
  const text = html.replace(/\s+/g, " ");
  const found = [];
  const pieces = text.split(new RegExp(`</${name}\\s?>`, "i"));
  for (const piece of pieces.slice(0, -1)) {
    const start = Math.max(piece.lastIndexOf(`<${name} `), piece.lastIndexOf(`<${name}>`));
    const end = piece.indexOf(">", start);
    if (start >= 0 && end >= 0) found.push({ tag: piece.slice(start, end), inside: piece.slice(end + 1) });
  }
  return found;
}

/** @param {string} text */
function decodeEntities(text) {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,8}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES.get(name.toLowerCase()) ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

/**
 * A comma-separated option as a list.
 *
 * @param {string | undefined} text
 * @param {string} option its name, for the message
 * @returns {string[]}
 */
export function toList(text, option) {
  if (text === undefined) return [];
  const parts = text.split(",").map((part) => part.trim());
  if (parts.includes("")) throw usageError(`--${option}: '${text}' has an empty entry`);
  return parts;
}

/**
 * Refuse a run that does not say what to look for.
 *
 * @param {import("./command.mjs").Values} options
 * @param {...string} names
 */
export function requireOneOf(options, ...names) {
  if (names.some((name) => options[name] !== undefined)) return;
  throw usageError(`${names.map((name) => `--${name}`).join(" or ")} is required`);
}

/**
 * An order that is the same on every machine, whatever its language.
 *
 * @param {string} a
 * @param {string} b
 */
export const compareTexts = (a, b) => (a < b ? -1 : Number(a > b));
