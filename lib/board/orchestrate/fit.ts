const TITLE_CHARS = 300;
/** Bytes of a body (board part, 21). */
const BODY_BYTES = 256 * 1024;

/** One line of at most 300 characters. */
export function fitTitle(text: string): string {
  const line = text.replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, " ").trim();
  return [...line].slice(0, TITLE_CHARS).join("").trim();
}

/** At most `maxBytes` of UTF-8, cut between characters and said to be cut. */
export function fitBody(text: string, maxBytes = BODY_BYTES): string {
  const bytes = Buffer.from(text, "utf8");
  if (bytes.length <= maxBytes) return text;
  const note = "\n\n[cut: the text was too long]";
  const kept = new TextDecoder("utf-8").decode(bytes.subarray(0, maxBytes - note.length), { stream: true });
  return `${kept}${note}`;
}

/** At most `max` characters, with a mark where it was cut. */
export function excerpt(text: string, max: number): string {
  const whole = [...text];
  return whole.length <= max ? text : `${whole.slice(0, max).join("")} [cut]`;
}

/** One line of at most `max` characters, the last of them an ellipsis when it was cut. */
export function excerptTitle(text: string, max: number): string {
  const line = [...text.replace(/\s+/g, " ").trim()];
  return line.length <= max
    ? line.join("")
    : `${line
        .slice(0, max - 1)
        .join("")
        .trimEnd()}…`;
}
