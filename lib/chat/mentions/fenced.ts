import { fenceFor } from "../../safety/redact/text.js";

/** A label, and the text in a fence that nothing in it closes. Screens show the label alone (`tui/chat/mentioned.ts`). */
export function renderFencedBlock(label: string, text: string): string {
  const fence = fenceFor(text);
  return `[${label}]\n${fence}\n${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${fence}`;
}

/** A name as it may stand in a label: one line, without what would end the label. */
export const inLabel = (name: string): string =>
  name
    .replace(/[\s\]]+/g, " ")
    .trim()
    .slice(0, 200);

export const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? "" : "s"}`;
