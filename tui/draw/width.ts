import { codePointCells } from "../../lib/base/text/cells.js";
import { hasAscii } from "./ascii.js";

/** Characters that East Asian terminals draw wide and others narrow; the signs of the screen itself are not among them. */
const AMBIGUOUS =
  /^[\xa1\xa4\xa7\xa8\xaa\xae\xb0-\xb4\xb6\xb8-\xba\xbc-\xbf\xc6\xd0\xd8\xde-\xe1\xe6\xe8-\xea\xec\xed\xf0\xf2\xf3\xf7-\xfa\xfc\xfe\u0391-\u03a9\u03b1-\u03c9\u0401\u0410-\u044f\u0451\u2016\u2030-\u2033\u2035\u203b\u203e\u2074\u207f\u2081-\u2084\u20ac\u2103\u2105\u2109\u2113\u2116\u2121\u2122\u2126\u212b\u2153-\u2189\u2196-\u2199\u21d2\u21d4\u2200-\u22bf\u2460-\u24ff\u25b2-\u25bd\u25c6-\u25cb\u25ce\u2605\u2606\u2609\u260e\u260f\u2640\u2642\u2660-\u266f\u273d\u2776-\u277f\ue000-\uf8ff]/;
let ambiguousWidth: 1 | 2 = 1;

/** Cells of ambiguous characters on this terminal (`display.ambiguous_width`); the one table for the whole program. */
export function setAmbiguousWidth(cells: 1 | 2): void {
  ambiguousWidth = cells;
  measured.clear();
}

const isAmbiguous = (cluster: string): boolean => ambiguousWidth === 2 && AMBIGUOUS.test(cluster) && !hasAscii(cluster);

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

/** What terminals may make of a cluster. `spill`: cells beside its own that one may paint over; `disputed`: they do not agree on its width. */
export interface Measure {
  readonly cells: 1 | 2;
  readonly spill: number;
  readonly disputed: boolean;
}

const ASCII: Measure = { cells: 1, spill: 0, disputed: false };

/** Signs of frames and letters come again in every row of every frame. */
const measured = new Map<string, Measure>();
const MEASURED = 2000;

export function measure(cluster: string): Measure {
  if (cluster.length === 1 && cluster >= " " && cluster <= "~") return ASCII;
  const known = measured.get(cluster);
  if (known !== undefined) return known;
  if (measured.size >= MEASURED) measured.clear();
  const made = measureNew(cluster);
  measured.set(cluster, made);
  return made;
}

function measureNew(cluster: string): Measure {
  const points = [...cluster];
  const first = cluster.codePointAt(0) ?? 32;
  const flag = first >= 0x1f1e6 && first <= 0x1f1ff && points.length > 1;
  const cells = codePointCells(first) === 2 || flag || cluster.includes("\ufe0f") || isAmbiguous(cluster) ? 2 : 1;
  const disputed = points.length > 1 || first >= 0x1f000 || (first >= 0x2300 && first < 0x2c00 && !isDrawing(first));
  return { cells, spill: disputed ? points.length * 2 - cells : 0, disputed };
}

/** Lines and blocks: every terminal draws them in one cell. */
const isDrawing = (point: number): boolean => point >= 0x2500 && point < 0x25a0;

/**
 * Letters and signs that join with none of their own kind: no marks, joiners, selectors, flags, Hangul or surrogates. A text of them alone is cut
 * between every two, which is far quicker than asking the segmenter: frames and rules are such texts, and so is most of what people write.
 */
const APART =
  /^[\x20-\x7e\xa1-\xac\xae-\u02ff\u0370-\u0482\u2010-\u2027\u2030-\u205e\u2070-\u20cf\u2100-\u2bff\u3041-\u3096\u30a1-\u30fa\u3400-\u4dbf\u4e00-\u9fff]*$/;

/** Grapheme clusters of a text. */
export function splitGraphemes(text: string): string[] {
  if (APART.test(text)) return text.split("");
  return Array.from(segmenter.segment(text), (part) => part.segment);
}

/** Cells that a text takes on one line. */
export function textCells(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  return splitGraphemes(text).reduce((sum, cluster) => sum + measure(cluster).cells, 0);
}

/** The beginning of a text that fits, with `…` where something was cut. */
export function truncateToWidth(text: string, cells: number): string {
  if (textCells(text) <= cells) return text;
  let used = 0;
  let out = "";
  for (const cluster of splitGraphemes(text)) {
    used += measure(cluster).cells;
    if (used > cells - 1) break;
    out += cluster;
  }
  return cells < 1 ? "" : `${out}…`;
}
