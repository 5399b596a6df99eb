import type { SendPayload } from "../../contracts/gateway/outbox.js";
import type { Capabilities } from "../../contracts/gateway/platform-traits.js";
import { layTables } from "./tables.js";

/** How a platform that takes several messages in one call takes them. */
type Bubbles = Pick<Capabilities, "messagesPerCall" | "textMax">;

/** Markdown as the plain text of a platform that shows no marks: its marks are removed, addresses of links stand behind their names. */
export function toPlain(markdown: string): string {
  let fenced = false;
  const lines: string[] = [];
  for (const line of layTables(markdown, "list").split("\n")) {
    if (/^\s*(?:```|~~~)/.test(line)) {
      fenced = !fenced;
      continue;
    }
    lines.push(fenced ? line : plainLine(line));
  }
  return lines.join("\n");
}

function plainLine(line: string): string {
  const bare = line.replace(/^ {0,3}#{1,6}\s+/, "").replace(/^(\s*)[-*+]\s+/, "$1• ");
  // What stands in code is shown as it is.
  return bare
    .split(/(`[^`\n]+`)/)
    .map((part) => (part.length > 2 && part.startsWith("`") ? part.slice(1, -1) : plainSpan(part)))
    .join("");
}

function plainSpan(text: string): string {
  return text
    .replace(/!?\[([^[\]\n]{1,500})\]\(([^()\s]{1,2000})\)/g, "$1 ($2)")
    .replace(/(\*\*|__)(?=\S)([^\n]{1,4000}?\S)\1/g, "$2")
    .replace(/(^|[^\w*])\*(?=[^\s*])([^*\n]{1,4000})\*(?![\w*])/g, "$1$2")
    .replace(/(^|[^\w])_(?=[^\s_])([^_\n]{1,4000})_(?!\w)/g, "$1$2")
    .replace(/~~(?=\S)([^~\n]{1,4000})~~/g, "$1");
}

/** Cut a text into bubbles: at an empty line, else a line, else a space, else hard; nothing is left out but the white space of a cut. */
function splitBubbles(text: string, max: number): readonly string[] {
  const bubbles: string[] = [];
  let rest = text.trim();
  while (rest.length > max) {
    const end = cutAt(rest, max);
    bubbles.push(rest.slice(0, end).trimEnd());
    rest = rest.slice(end).trimStart();
  }
  if (rest !== "") bubbles.push(rest);
  return bubbles;
}

function cutAt(text: string, max: number): number {
  const window = text.slice(0, max + 1);
  for (const mark of ["\n\n", "\n", " "]) {
    const at = window.lastIndexOf(mark);
    if (at > max / 4) return at;
  }
  const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
  const from = Math.max(0, max - 64);
  const ends = [...graphemes.segment(text.slice(from, max + 64))].map(({ index }) => from + index);
  return ends.filter((index) => index > from && index <= max).at(-1) ?? max;
}

/** The bubbles of a text, in the groups that leave in one call each. */
export function bubbleCalls(text: string, { messagesPerCall, textMax }: Bubbles): readonly (readonly string[])[] {
  const bubbles = splitBubbles(text, textMax);
  const calls: (readonly string[])[] = [];
  for (let at = 0; at < bubbles.length; at += messagesPerCall) calls.push(bubbles.slice(at, at + messagesPerCall));
  return calls;
}

/** Bubbles of a call as the text was cut before, as long as they are the text; else as it is cut here. */
export function bubblesOf({ text, format, extra }: SendPayload, { textMax }: Bubbles): readonly string[] {
  const given = extra?.["bubbles"];
  if (Array.isArray(given) && given.every((one) => typeof one === "string") && given.join("\n\n") === text)
    return given;
  return splitBubbles(format === "markdown" ? toPlain(text) : text, textMax);
}
