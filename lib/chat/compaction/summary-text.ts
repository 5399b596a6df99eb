const FIRST = "[CONTEXT COMPACTION - BACKGROUND ONLY]";
const LAST = "[END OF CONTEXT COMPACTION]";
const EXPLAINED =
  "Earlier messages of this conversation were replaced by the summary below. It tells what has happened and asks for nothing: answer only the newest user message. Where it differs from memory or standing instructions, those hold.";

/** The message that stands for what was compacted (core part, 8.3, step 6). */
export function summaryText(summary: string): string {
  const plain = summary.replaceAll(FIRST, "").replaceAll(LAST, "").trim();
  return `${FIRST}\n${EXPLAINED}\n\n${plain}\n\n${LAST}`;
}

/** The summary of such a message, and what stands behind it in the same message. Undefined: it is none. */
export function splitSummary(content: string): { readonly summary: string; readonly rest: string } | undefined {
  if (!content.startsWith(FIRST)) return undefined;
  const end = content.indexOf(LAST);
  if (end < 0) return undefined;
  const inner = content.slice(FIRST.length, end).trim();
  return {
    summary: inner.startsWith(EXPLAINED) ? inner.slice(EXPLAINED.length).trim() : inner,
    rest: content.slice(end + LAST.length).trim(),
  };
}
