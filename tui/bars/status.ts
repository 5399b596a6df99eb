import type { RowOf, Span } from "../draw/canvas.js";
import { THEME } from "../draw/theme.js";
import { textCells } from "../draw/width.js";
import type { State } from "../model/state.js";
import type { Field } from "./field.js";
import { fieldsOf } from "./fields.js";

const BETWEEN: Span = [THEME.dim, " │ "];
/** These stay longest: phase, turn time, context, queue. */
const STAY = 4;

/** Fields from the left; what does not fit is dropped from the end, the first ones last of all. */
export function statusRow(state: State, width: number): RowOf {
  const all = fieldsOf(state);
  const kept = fitting(all, width - 1);
  return [
    [THEME.status, " "],
    ...kept.flatMap((field, at): readonly Span[] => (at === 0 ? field.spans : [BETWEEN, ...field.spans])),
  ];
}

function fitting(all: readonly Field[], width: number): readonly Field[] {
  let fields = all;
  while (cellsOf(fields) > width) {
    const last = fields.findLastIndex((field, at) => at >= STAY && field.kept !== true);
    if (last < 0) break;
    fields = fields.filter((_, at) => at !== last);
  }
  if (cellsOf(fields) <= width) return fields;
  return cut(
    fields.map((field) => (field.brief === undefined ? field : { ...field, spans: field.brief })),
    width,
  );
}

/** Where even the first ones do not fit, those that stay go from the end, too. */
function cut(fields: readonly Field[], width: number): readonly Field[] {
  let left = fields;
  while (left.length > 1 && cellsOf(left) > width) {
    const last = left.findLastIndex((field, at) => at > 0 && field.kept !== true);
    if (last < 0) break;
    left = left.filter((_, at) => at !== last);
  }
  return left;
}

const cellsOf = (fields: readonly Field[]): number =>
  fields.reduce(
    (sum, { spans }) => sum + spans.reduce((cells, [, text]) => cells + textCells(text), 0),
    3 * Math.max(0, fields.length - 1),
  );
