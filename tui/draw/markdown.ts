import { type Block, OPENING, type Outline, RUN, sealedCount } from "../markdown/block.js";
import { blockHeight, blockRows } from "../markdown/rows.js";
import { grow } from "../markdown/split.js";
import type { RowOf } from "./canvas.js";

/**
 * Markdown as rows of cells. Text comes cleaned (`sanitize`).
 *
 * - A text that is there: `rowsOfMarkdown(text, width)`.
 * - A text that still grows: `let outline = OPENING; outline = grow(outline, piece)` per piece (cost: that of the piece), and per frame the rows
 *   of `blocksOf(outline)`, each by `blockRows(block, width)`. Sealed blocks are the same objects for ever, so a caller that keeps their rows by block
 *   and width lays out only the open one again (`tui/draw/viewport.ts` does).
 */
export { type Block, blockHeight, blockRows, grow, OPENING, type Outline };

/** The blocks so far: those that will not change any more, and the open one. */
export const blocksOf = (outline: Outline): readonly Block[] =>
  Array.from({ length: blockCount(outline) }, (_, at) => blockAt(outline, at) ?? outline.open);

/** Number of blocks, the open one included. */
export const blockCount = (outline: Outline): number => sealedCount(outline) + (outline.open.text === "" ? 0 : 1);

/** A block by its place; the one behind the sealed ones is open. */
export function blockAt(outline: Outline, at: number): Block | undefined {
  const sealed = outline.sealed[Math.floor(at / RUN)]?.[at % RUN];
  return sealed ?? (at === sealedCount(outline) && outline.open.text !== "" ? outline.open : undefined);
}

/** All rows of a text at a width. @param text cleaned @param width cells, at least 1 */
export function rowsOfMarkdown(text: string, width: number): readonly RowOf[] {
  return blocksOf(grow(OPENING, text)).flatMap((block) => blockRows(block, width));
}
