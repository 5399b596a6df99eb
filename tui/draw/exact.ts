import type { RowOf, Span } from "./canvas.js";
import { THEME } from "./theme.js";
import { measure, splitGraphemes } from "./width.js";

/** Break one line between any two clusters: joined again, the pieces are the line. */
export function wrapExact(line: string, width: number): string[] {
  const out: string[] = [];
  let now = "";
  let used = 0;
  for (const cluster of splitGraphemes(line)) {
    const { cells } = measure(cluster);
    if (used + cells > width && now !== "") {
      out.push(now);
      now = "";
      used = 0;
    }
    now += cluster;
    used += cells;
  }
  return [...out, now];
}

/** A line of what will run. Tabs and, where `ends`, its end are spelled out in another style: nothing else is added. */
export function exactRows(line: string, width: number, ends: boolean): readonly RowOf[] {
  const tokens = [
    ...line.split("\t").flatMap((part, at): Span[] => [...(at === 0 ? [] : [TAB]), [THEME.code, part]]),
    ...(ends ? [END] : []),
  ];
  const rows: Span[][] = [[]];
  let used = 0;
  for (const [style, text] of tokens) {
    const room = Math.max(1, width);
    for (const [at, piece] of wrapExactFrom(text, used, room).entries()) {
      if (at > 0) {
        rows.push([]);
        used = 0;
      }
      rows.at(-1)?.push([style, piece]);
      used += splitGraphemes(piece).reduce((sum, one) => sum + measure(one).cells, 0);
    }
  }
  return rows;
}

const TAB: Span = [THEME.warn, "\\t"];
const END: Span = [THEME.warn, "\\n"];

/** The first piece has what is left of its row. */
function wrapExactFrom(text: string, used: number, width: number): string[] {
  let cells = 0;
  let cut = 0;
  for (const cluster of splitGraphemes(text)) {
    cells += measure(cluster).cells;
    if (used + cells > width) return [text.slice(0, cut), ...wrapExact(text.slice(cut), width)];
    cut += cluster.length;
  }
  return [text];
}
