import type { RowOf } from "../draw/canvas.js";
import type { Ink } from "../draw/draw.js";
import { linkOf, linkSequence } from "../draw/links.js";

/** Whatever a view forgot to clean. */
const CONTROL = /[\x00-\x1f\x7f-\x9f]/g;

/** A row as bytes, from the column where the cursor is; blanks at its end are left out. */
export function rowBytes(row: RowOf, { sgr, links }: Ink): string {
  const spans = trimmed(row);
  if (spans.length === 0) return "";
  let link = 0;
  let out = "";
  for (const [style, text] of spans) {
    if (links && linkOf(style) !== link) {
      link = linkOf(style);
      out += linkSequence(style);
    }
    out += `${sgr(style)}${text.replace(CONTROL, "␛")}`;
  }
  return `${out}${link === 0 ? "" : linkSequence(0)}\x1b[0m`;
}

/** The same as text alone. */
export const rowText = (row: RowOf): string =>
  row
    .map(([, text]) => text.replace(CONTROL, "␛"))
    .join("")
    .trimEnd();

function trimmed(row: RowOf): RowOf {
  const spans = row.filter(([, text]) => text !== "");
  for (let last = spans.at(-1); last !== undefined; last = spans.at(-1)) {
    const text = last[1].trimEnd();
    if (text === last[1]) break;
    spans.pop();
    if (text !== "") {
      spans.push([last[0], text]);
      break;
    }
  }
  return spans;
}
