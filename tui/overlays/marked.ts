import type { Span } from "../draw/canvas.js";
import { measure, splitGraphemes } from "../draw/width.js";

interface Looks {
  readonly plain: number;
  readonly mark: number;
}

/** A text cut to `cells`, with the letters at `marks` (positions in UTF-16 units) in another style. */
export function markedSpans(text: string, marks: readonly number[], cells: number, { plain, mark }: Looks): Span[] {
  const spans: [number, string][] = [];
  const at = new Set(marks);
  let place = 0;
  let used = 0;
  for (const cluster of splitGraphemes(text)) {
    const more = measure(cluster).cells;
    const rest = text.length - place - cluster.length;
    if (used + more > cells - (rest > 0 ? 1 : 0)) {
      if (used < cells) spans.push([plain, "…"]);
      break;
    }
    const style = at.has(place) ? mark : plain;
    const last = spans.at(-1);
    if (last?.[0] === style) last[1] += cluster;
    else spans.push([style, cluster]);
    place += cluster.length;
    used += more;
  }
  return spans;
}
