/** Version of `segment`, kept in the store; another one means that the index has to be built again. */
export const SEGMENT_VERSION = 1;

const SPACELESS =
  /([\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]\p{M}*)/gu;

/** Put blanks around every character (with its marks) of scripts that are written without spaces, so that any part of a word is found. */
export function segment(text: string): string {
  return text.replace(SPACELESS, " $1 ");
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
    .map((call: { name?: unknown; arguments?: unknown }) => `${String(call.name ?? "")} ${String(call.arguments ?? "")}`)
    .join("\n");
}
