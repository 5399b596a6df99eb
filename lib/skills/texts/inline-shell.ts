/** A command in the text of a skill: `!` and a command between backticks, on one line. */
const INLINE = /!`([^`\n]{1,1000})`/g;

/** Commands of one text that run; the others stay as they are. */
const RUNS_MAX = 20;

/** Put what its commands print in their place, one after the other. */
export async function replaceShell(text: string, run: (command: string) => Promise<string>): Promise<string> {
  const parts: string[] = [];
  let from = 0;
  for (const [index, found] of [...text.matchAll(INLINE)].entries()) {
    if (index >= RUNS_MAX) break;
    const [whole, command = ""] = found;
    parts.push(text.slice(from, found.index), await run(command));
    from = found.index + whole.length;
  }
  return [...parts, text.slice(from)].join("");
}
