import type { RowOf, Span } from "./canvas.js";
import { onBand, THEME } from "./theme.js";

/**
 * Marks of a row, for the margin beside it: spans without text, so that what is selected, searched or copied holds nothing of them.
 * `band`: the row stands on the ground of what a person said. `code`: it has an edge at its left.
 */
const MARKS = { band: [THEME.band, ""], code: [THEME.codeEdge, ""] } as const satisfies Readonly<Record<string, Span>>;

const isMarked = (row: RowOf, [mark]: Span): boolean => row.some(([style, text]) => text === "" && style === mark);

/** Rows on the ground of what a person said. */
export const banded = (rows: readonly RowOf[]): readonly RowOf[] =>
  rows.map((row): RowOf => [MARKS.band, ...row.map(([style, text]): Span => [onBand(style), text])]);

/** Rows of code. */
export const edged = (rows: readonly RowOf[]): readonly RowOf[] => rows.map((row): RowOf => [MARKS.code, ...row]);

/** Whether a row stands on the band. */
export const isBanded = (row: RowOf): boolean => isMarked(row, MARKS.band);

/** Whether a row is one of code. */
export const isEdged = (row: RowOf): boolean => isMarked(row, MARKS.code);
