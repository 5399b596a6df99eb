/** Most characters of an answer in a chat (board part, 12), counted as code points. */
const SHOWN = 3800;

/** Both streams as one text: what was printed, then what was said about it. */
export function joinOutput(out: string, err: string): string {
  const text = [out, err]
    .map((part) => part.replace(/\n+$/, ""))
    .filter((part) => part !== "")
    .join("\n");
  return text === "" ? "(no output)" : text;
}

/** Cut a text at the last line end that fits, and say how much is missing. */
export function cutAtLineEnd(text: string, max = SHOWN): string {
  if (text.length <= max) return text;
  const points = [...text];
  if (points.length <= max) return text;
  const head = points.slice(0, max);
  const line = head.lastIndexOf("\n");
  const kept = line > 0 ? line : max;
  return `${points.slice(0, kept).join("")}\n… (truncated, ${points.length - kept} more characters)`;
}
