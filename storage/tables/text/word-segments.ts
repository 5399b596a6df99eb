/** Version of `segment`, kept in the store; another one means that the index has to be built again. */
export const SEGMENT_VERSION = 2;

const UNIT =
  "[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}ー]\\p{M}*";
const ONE = new RegExp(UNIT, "gu");
const RUN = new RegExp(`(?:${UNIT})+`, "gu");

/**
 * Write scripts without spaces as overlapping pairs of characters, each with its marks, and the last character alone: any part of such a text
 * is then a row of words, and pairs are rare enough to be found fast.
 */
function segment(text: string): string {
  return text.replace(RUN, (run) => ` ${pairs(run, true).join(" ")} `);
}

/** The same for a text that is looked for. It may go on where it ends, so that its last character stands in a pair, or is the beginning of one. */
export function segmentQuery(text: string): { readonly text: string; readonly begins: boolean } {
  const end = text.length;
  let begins = false;
  const written = text.replace(RUN, (run, at: number) => {
    const last = at + run.length === end;
    const words = pairs(run, !last);
    if (last) begins = words.length === 1 && run.match(ONE)?.length === 1;
    return ` ${words.join(" ")} `;
  });
  return { text: written, begins };
}

function pairs(run: string, whole: boolean): readonly string[] {
  const units = run.match(ONE) ?? [];
  const last = units.at(-1) ?? "";
  const found = units.slice(0, -1).map((unit, at) => `${unit}${units[at + 1] ?? ""}`);
  return whole || found.length === 0 ? [...found, last] : found;
}

/** The text of a message that search sees. What was indexed must be computed again exactly to be removed. */
export function indexText(content: string, toolName: string | null, toolCalls: string | null): string {
  return segment([content, toolName ?? "", callText(toolCalls)].filter((part) => part !== "").join("\n"));
}

/** Names and arguments of the calls in a stored `tool_calls` column. */
function callText(toolCalls: string | null): string {
  if (toolCalls === null) return "";
  const calls: unknown = JSON.parse(toolCalls);
  if (!Array.isArray(calls)) return "";
  return calls
    .map(
      (call: { name?: unknown; arguments?: unknown }) => `${String(call.name ?? "")} ${String(call.arguments ?? "")}`,
    )
    .join("\n");
}
