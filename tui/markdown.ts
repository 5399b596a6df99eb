import type { RowOf } from "./canvas.js";
import { type Block, OPENING, type Outline } from "./markdown/block.js";
import { blockRows } from "./markdown/rows.js";
import { grow } from "./markdown/split.js";

/**
 * Markdown as rows of cells. Text comes cleaned (`sanitize`).
 *
 * - A text that is there: `rowsOfMarkdown(text, width)`.
 * - A text that still grows: `let outline = OPENING; outline = grow(outline, piece)` per piece (cost: that of the piece), and per frame the rows
 *   of `blocksOf(outline)`, each by `blockRows(block, width)`. Sealed blocks are the same objects for ever, so whoever keeps their rows by block
 *   and width lays out only the open one again (`tui/viewport.ts` does).
 */
export { type Block, blockRows, grow, OPENING, type Outline };

/** The blocks so far: those that will not change any more, and the open one. */
export const blocksOf = ({ sealed, open }: Outline): readonly Block[] => (open.text === "" ? sealed : [...sealed, open]);

/** All rows of a text at a width. @param text cleaned @param width cells, at least 1 */
export function rowsOfMarkdown(text: string, width: number): readonly RowOf[] {
  return blocksOf(grow(OPENING, text)).flatMap((block) => blockRows(block, width));
}
