const LINES_AT_MOST = 200;
/** Beyond this a line-by-line comparison takes too long to be worth it. */
const CHARS_AT_MOST = 2_000_000;

/** Unified difference of two texts, at most 200 lines. */
export async function difference(path: string, before: string, after: string): Promise<string> {
  if (before === after) return "";
  if (before.length + after.length > CHARS_AT_MOST)
    return `(${before.length} characters replaced by ${after.length}; too large to compare)`;
  const { createTwoFilesPatch } = await import("diff");
  const patch = createTwoFilesPatch(`a/${path}`, `b/${path}`, before, after, undefined, undefined, { context: 3, timeout: 1_000 });
  if (patch === undefined) return `(${before.length} characters replaced by ${after.length}; too different to compare in time)`;
  const lines = patch.split("\n").filter((line) => !line.startsWith("====="));
  if (lines.length <= LINES_AT_MOST) return lines.join("\n").trimEnd();
  return `${lines.slice(0, LINES_AT_MOST - 1).join("\n")}\n... (${lines.length - LINES_AT_MOST + 1} more lines)`;
}
