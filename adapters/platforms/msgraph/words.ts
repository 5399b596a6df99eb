import type { MeetingSummary } from "../../../lib/contracts/gateway/meetings.js";
import { adaptive, textBlock } from "../msgw/cards.js";

const listsOf = ({
  decisions,
  actions,
  risks,
}: MeetingSummary): readonly (readonly [name: string, items: readonly string[]])[] => [
  ["Key decisions", decisions],
  ["Action items", actions],
  ["Risks", risks],
];

const shown = (items: readonly string[]): readonly string[] => (items.length === 0 ? ["None"] : items);

/** A summary as Markdown. */
export function summaryMarkdown(summary: MeetingSummary): string {
  const lists = listsOf(summary).map(([name, items]) =>
    [`${name}:`, ...shown(items).map((item) => `- ${item}`)].join("\n"),
  );
  return [`**${summary.title}**`, `Summary: ${summary.summary}`, ...lists].join("\n\n");
}

/** A summary as HTML, where every text stands for itself. */
export function summaryHtml(summary: MeetingSummary): string {
  const lists = listsOf(summary).map(
    ([name, items]) =>
      `<h3>${name}</h3><ul>${shown(items)
        .map((item) => `<li>${escaped(item)}</li>`)
        .join("")}</ul>`,
  );
  return `<h2>${escaped(summary.title)}</h2><p>${escaped(summary.summary)}</p>${lists.join("")}`;
}

const SIGNS: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => SIGNS[sign] ?? sign);

/** A summary as an Adaptive Card. */
export function summaryCard(summary: MeetingSummary): object {
  const lists = listsOf(summary).flatMap(([name, items]) => [
    textBlock(`${name}:`, { weight: "Bolder" }),
    textBlock(
      shown(items)
        .map((item) => `- ${item}`)
        .join("\n"),
    ),
  ]);
  return adaptive([
    textBlock(summary.title, { weight: "Bolder", size: "Large" }),
    textBlock(`Summary: ${summary.summary}`),
    ...lists,
  ]);
}
