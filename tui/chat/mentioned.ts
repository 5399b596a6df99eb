/** Pictures of a message are seen by their names, and what it mentions by its label; where the one lies and what the other holds is for models. */
export const withChips = (text: string): string =>
  withoutBlocks(text).replace(/\[image ([^\]\n:]{1,120}): [^\]\n]*\/cache\/attached\/[^\]\n]*\]/g, "[Image $1]");

/** Of files, of folders, and of whatever else a message mentions by its sign. */
const LABEL = /^\[(File|Folder|@[a-z]{1,20}) .{1,2100}: [^\]]{1,60}\]$/;
const FENCE = /^`{3,}$/;

/** Files and folders behind the words of a message, each in a fence, become one line each. One that is cut ends with the text. */
function withoutBlocks(text: string): string {
  if (!/\n\n\[(File |Folder |@)/.test(text)) return text;
  const lines = text.split("\n");
  const kept: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const fence = lines[at + 1] ?? "";
    if (!LABEL.test(line) || lines[at - 1] !== "" || !FENCE.test(fence)) {
      kept.push(line);
      continue;
    }
    if (LABEL.test(kept.at(-2) ?? "")) kept.pop(); // those that follow each other need no blank line
    kept.push(line);
    const end = lines.indexOf(fence, at + 2);
    at = end < 0 ? lines.length : end;
  }
  return kept.join("\n");
}
