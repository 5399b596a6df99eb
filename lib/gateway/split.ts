/** Room for the suffix ` (12/34)`, and for closing and opening a fence again. */
const SUFFIX = 12;
const FENCE = 24;

/**
 * Cut a text into messages of at most `max` UTF-16 code units, each but a single one with the suffix `(i/n)`. Cuts at an empty line, a line, a
 * space, in this order, and never inside a character; a fenced block that is cut is closed and opened again.
 */
export function splitText(text: string, max: number): readonly string[] {
  if (text.length <= max) return text === "" ? [] : [text];
  const parts: string[] = [];
  let rest = text;
  let open = "";
  while (rest !== "") {
    const head = open === "" ? "" : `${open}\n`;
    const whole = head.length + rest.length + SUFFIX <= max;
    const end = whole ? rest.length : cutAt(rest, max - SUFFIX - FENCE - head.length);
    const piece = rest.slice(0, end);
    rest = rest.slice(end).replace(/^\n/, "");
    open = fenceAfter(piece, open);
    parts.push(`${head}${piece}${open === "" || rest === "" ? "" : "\n```"}`);
  }
  return parts.map((part, at) => `${part.trimEnd()} (${at + 1}/${parts.length})`);
}

function cutAt(text: string, most: number): number {
  const window = text.slice(0, most);
  for (const mark of ["\n\n", "\n", " "]) {
    const at = window.lastIndexOf(mark);
    if (at > most / 2) return at + (mark === " " ? 1 : 0);
  }
  const segments = [...new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(text.slice(Math.max(0, most - 64), most + 64))];
  const from = Math.max(0, most - 64);
  const fits = segments.map(({ index }) => from + index).filter((index) => index > from && index <= most);
  return fits.at(-1) ?? most;
}

/** The line that opened the fence in which a piece ends; "" outside one. */
function fenceAfter(piece: string, before: string): string {
  let open = before;
  for (const [line] of piece.matchAll(/^```[^\n]*/gm)) open = open === "" ? line.slice(0, FENCE - 4) : "";
  return open;
}
