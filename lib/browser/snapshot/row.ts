import { headText, plainText } from "../../safety/redact/text.js";

/** In CSS pixels, relative to the viewport of the page. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** One element of the accessibility tree, or a text between elements. */
export interface Row {
  readonly role: string;
  readonly name: string;
  /** Own text, or the value of a field. */
  readonly text: string;
  /** `e12`; absent for texts and for what has no box. */
  readonly ref?: string;
  /** Ref of the driver's own snapshot, which resolves the element. */
  readonly driverRef?: string;
  /** `disabled`, `checked`, `level 2`, ... */
  readonly states: readonly string[];
  readonly depth: number;
  /** Index of the parent among the rows; -1: none. */
  readonly parent: number;
  readonly box?: Box;
  readonly url?: string;
  /** Something that is clicked, typed into or chosen. */
  readonly interactive: boolean;
}

const INTERACTIVE: ReadonlySet<string> = new Set([
  "button",
  "checkbox",
  "combobox",
  "link",
  "listbox",
  "menuitem",
  "menuitemcheckbox",
  "menuitemradio",
  "option",
  "radio",
  "searchbox",
  "slider",
  "spinbutton",
  "switch",
  "tab",
  "textbox",
  "treeitem",
]);

/** Roles whose name only repeats what their children say. */
const REPEATING: ReadonlySet<string> = new Set(["row", "rowgroup", "generic"]);

export const isInteractiveRole = (role: string): boolean => INTERACTIVE.has(role);

/** The row says something by itself: it is not only a container of others. */
export const hasContent = (row: Row): boolean =>
  row.interactive || row.text !== "" || (row.name !== "" && !REPEATING.has(row.role));

/** Nothing of a page is longer in a row. */
const TEXT_CHARS = 2_000;

/** What a page says, as one well-formed line without control characters, which cannot end the label that is put around it. */
export function cleanText(text: string): string {
  return plainText(headText(text, TEXT_CHARS * 4))
    .toWellFormed()
    .replace(/\s+/g, " ")
    .replace(/<(?=\s*\/?\s*untrusted_tool_result)/gi, "‹")
    .trim();
}

/** At most `max` characters; a cut is shown by an ellipsis, which counts. */
export const ellipsize = (text: string, max: number): string =>
  text.length <= max ? text : `${headText(text, Math.max(0, max - 1))}…`;

/** `e12 button "Buy" [disabled]`, `e5 textbox "Name": value`, `text: words`. Names and texts are cut at `max` characters each. */
export function renderRow(row: Row, max: number, withRef = true): string {
  const ref = withRef && row.ref !== undefined ? `${row.ref} ` : "";
  const role = row.role === "generic" && row.interactive ? "clickable" : row.role;
  const name = row.name === "" ? "" : ` "${ellipsize(row.name, max).replaceAll('"', "'")}"`;
  const states = row.states.length === 0 ? "" : ` [${ellipsize(row.states.join(", "), max)}]`;
  const text = row.text === "" ? "" : `: ${ellipsize(row.text, max)}`;
  return `${ref}${role}${name}${states}${text}`;
}
