import { hasAscii } from "./ascii.js";

/** Ranges of code points that take two cells: East Asian wide and full-width, and emoji that are pictures by default (Unicode 16). */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x231a, 0x231b],
  [0x2329, 0x232a],
  [0x23e9, 0x23ec],
  [0x23f0, 0x23f0],
  [0x23f3, 0x23f3],
  [0x25fd, 0x25fe],
  [0x2614, 0x2615],
  [0x2630, 0x2637],
  [0x2648, 0x2653],
  [0x267f, 0x267f],
  [0x268a, 0x268f],
  [0x2693, 0x2693],
  [0x26a1, 0x26a1],
  [0x26aa, 0x26ab],
  [0x26bd, 0x26be],
  [0x26c4, 0x26c5],
  [0x26ce, 0x26ce],
  [0x26d4, 0x26d4],
  [0x26ea, 0x26ea],
  [0x26f2, 0x26f3],
  [0x26f5, 0x26f5],
  [0x26fa, 0x26fa],
  [0x26fd, 0x26fd],
  [0x2705, 0x2705],
  [0x270a, 0x270b],
  [0x2728, 0x2728],
  [0x274c, 0x274c],
  [0x274e, 0x274e],
  [0x2753, 0x2755],
  [0x2757, 0x2757],
  [0x2795, 0x2797],
  [0x27b0, 0x27b0],
  [0x27bf, 0x27bf],
  [0x2b1b, 0x2b1c],
  [0x2b50, 0x2b50],
  [0x2b55, 0x2b55],
  [0x2e80, 0x303e],
  [0x3041, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18d08],
  [0x1aff0, 0x1b2fb],
  [0x1d300, 0x1d376],
  [0x1f004, 0x1f004],
  [0x1f0cf, 0x1f0cf],
  [0x1f18e, 0x1f18e],
  [0x1f191, 0x1f19a],
  [0x1f200, 0x1f320],
  [0x1f32d, 0x1f335],
  [0x1f337, 0x1f37c],
  [0x1f37e, 0x1f393],
  [0x1f3a0, 0x1f3ca],
  [0x1f3cf, 0x1f3d3],
  [0x1f3e0, 0x1f3f0],
  [0x1f3f4, 0x1f3f4],
  [0x1f3f8, 0x1f43e],
  [0x1f440, 0x1f440],
  [0x1f442, 0x1f4fc],
  [0x1f4ff, 0x1f53d],
  [0x1f54b, 0x1f54e],
  [0x1f550, 0x1f567],
  [0x1f57a, 0x1f57a],
  [0x1f595, 0x1f596],
  [0x1f5a4, 0x1f5a4],
  [0x1f5fb, 0x1f64f],
  [0x1f680, 0x1f6c5],
  [0x1f6cc, 0x1f6cc],
  [0x1f6d0, 0x1f6d2],
  [0x1f6d5, 0x1f6d7],
  [0x1f6dc, 0x1f6df],
  [0x1f6eb, 0x1f6ec],
  [0x1f6f4, 0x1f6fc],
  [0x1f7e0, 0x1f7eb],
  [0x1f7f0, 0x1f7f0],
  [0x1f90c, 0x1f93a],
  [0x1f93c, 0x1f945],
  [0x1f947, 0x1f9ff],
  [0x1fa70, 0x1faff],
  [0x20000, 0x3fffd],
];

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

const ZERO = /^[\p{Mark}\p{Cf}\p{Variation_Selector}]/u;
const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Cells of one code point by itself: 0, 1 or 2. */
export function cellsOf(codePoint: number): 0 | 1 | 2 {
  if (codePoint < 0x300) return codePoint === 0xad ? 0 : 1;
  if (ZERO.test(String.fromCodePoint(codePoint))) return 0;
  let low = 0;
  let high = WIDE.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const [from, to] = WIDE[middle] ?? [0, 0];
    if (codePoint < from) high = middle - 1;
    else if (codePoint > to) low = middle + 1;
    else return 2;
  }
  return 1;
}

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
  const cells = cellsOf(first) === 2 || flag || cluster.includes("\ufe0f") || isAmbiguous(cluster) ? 2 : 1;
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
export function clusters(text: string): string[] {
  if (APART.test(text)) return text.split("");
  return Array.from(segmenter.segment(text), (part) => part.segment);
}

/** Cells that a text takes on one line. */
export function textCells(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  return clusters(text).reduce((sum, cluster) => sum + measure(cluster).cells, 0);
}

/** The beginning of a text that fits, with `…` where something was cut. */
export function fit(text: string, cells: number): string {
  if (textCells(text) <= cells) return text;
  let used = 0;
  let out = "";
  for (const cluster of clusters(text)) {
    used += measure(cluster).cells;
    if (used > cells - 1) break;
    out += cluster;
  }
  return cells < 1 ? "" : `${out}…`;
}
