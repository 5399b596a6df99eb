/** Marks that stand before a text without being seen. */
const UNSEEN = "[ \\t\\u00ad\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff]*";

/**
 * Beginnings of lines that would look like a part of the frame: headings of both kinds and of HTML, the frame of a comment, and the marked
 * fields of runs and parents.
 */
const FRAME = new RegExp(
  `^${UNSEEN}(#|={3,}[ \\t]*$|-{3,}[ \\t]*$|</?h[1-6]\\b|comment from\\b|_(?:error|metadata|verdict|workspace|artifacts)_[ \\t]*:)`,
  "gim",
);

const FENCE = /^[ \t]{0,3}(`{3,}|~{3,})/;

/**
 * Text of a user, cut to `max` characters, for a place among headings and frames. Lines that imitate one are indented, and a code fence that
 * is left open is closed, so that nothing in it changes how the rest is read. Takes as long as `max` is, however long the text.
 */
export function quoted(text: string, max: number): string {
  const head = text.slice(0, max);
  const plain = head.replace(/\r\n?|[\u0085\u2028\u2029\v\f]/g, "\n").replace(FRAME, "    $1");
  const kept = plain.slice(0, max).replace(/[\uD800-\uDBFF]$/, "");
  const omitted = text.length - head.length + plain.length - kept.length;
  return `${kept}${omitted === 0 ? "" : truncated(omitted)}${closing(kept)}`;
}

const truncated = (count: number): string => `… [truncated, ${count} chars omitted]`;

/** The end of a fence that `text` opens and does not close. */
function closing(text: string): string {
  let open = "";
  for (const line of text.split("\n")) {
    const mark = FENCE.exec(line)?.[1];
    if (mark === undefined) continue;
    if (open === "") open = mark;
    else if (mark.startsWith(open) && line.trim() === mark) open = "";
  }
  return open === "" ? "" : `\n${open}`;
}

/** One line of a text that may have several. */
export const foldToLine = (text: string): string => text.replace(/[\s\u0085]+/g, " ").trim();

/** A text between back-ticks; it cannot end them: there are more than it has in a row. */
export function inTicks(text: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const ticks = "`".repeat(longest + 1);
  return `${ticks}${text}${ticks}`;
}

/** At most `max` characters, and what was left out as a number. */
export function truncateText(text: string, max: number): string {
  if (text.length <= max) return text;
  return `${text.slice(0, max).replace(/[\uD800-\uDBFF]$/, "")}${truncated(text.length - max)}`;
}

/** JSON with sorted keys and one space after `:` and `,`. */
export function sortedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}: ${sortedJson(inner)}`).join(", ")}}`;
}
