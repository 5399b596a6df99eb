/** A part of what a call returns: a heading and lines, the most important first. */
export interface Section {
  readonly heading: string;
  readonly lines: readonly string[];
  /** Share of the room that it takes at most while sections after it have lines, 0 to 1. */
  readonly share: number;
}

/** Bytes of a text within a JSON string. */
export const jsonBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text)) - 2;

/** Room for ` (1234 more)` and the line end of a heading. */
const HEADING_ROOM = 18;

/** The sections as one text of at most `max` bytes of JSON. Lines are whole or left out, and the heading counts those left out. */
export function fitSections(sections: readonly Section[], max: number): string {
  const parts: string[] = [];
  let room = max;
  const full = sections.filter(({ lines }) => lines.length > 0);
  for (const [index, { heading, lines, share }] of full.entries()) {
    const mine = index === full.length - 1 ? room : Math.floor(room * share);
    const kept = fitLines(lines, mine - jsonBytes(heading) - HEADING_ROOM);
    if (kept.length === 0) continue;
    const left = lines.length - kept.length;
    const part = [left === 0 ? `${heading}:` : `${heading} (${left} more):`, ...kept].join("\n");
    parts.push(part);
    room -= jsonBytes(part) + 2;
  }
  return parts.join("\n");
}

/** The first lines that fit together; a line end takes two bytes of JSON. */
function fitLines(lines: readonly string[], max: number): readonly string[] {
  let bytes = 0;
  const end = lines.findIndex((line) => {
    bytes += jsonBytes(line) + 2;
    return bytes > max;
  });
  return end === -1 ? lines : lines.slice(0, end);
}

/** The beginning of a text, at most `max` bytes of JSON, cut between characters. */
export function fitText(text: string, max: number): string {
  if (jsonBytes(text) <= max) return text;
  const mark = "…";
  let end = 0;
  let bytes = jsonBytes(mark);
  for (const character of text) {
    bytes += jsonBytes(character);
    if (bytes > max) break;
    end += character.length;
  }
  return `${text.slice(0, end)}${mark}`;
}
