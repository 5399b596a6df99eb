/**
 * Text that replaces `matched`, with the indentation of the file. The model wrote `old` with an indentation of its own, and `made` in the
 * same style: each depth of it becomes the depth that the file has there, and deeper ones grow by the file's step.
 */
export function reindent(made: string, old: string, matched: string): string {
  const depths = matchDepths(old.split("\n"), matched.split("\n"));
  if (depths.every(({ wrote, real }) => wrote === real)) return made;
  const lines = made.split("\n");
  const step = findStep(depths) ?? guessStep(depths, lines);
  return lines
    .map((line) => (line.trim() === "" ? line : toDepth(indentOf(line), depths, step) + line.trimStart()))
    .join("\n");
}

/** An indentation as the model wrote it, and as it is in the file. */
interface Depth {
  readonly wrote: string;
  readonly real: string;
}

const indentOf = (line: string): string => /^[ \t]*/.exec(line)?.[0] ?? "";

/** What each indentation of the old lines is in the file, the shallowest first. Of several answers the first line's counts. */
function matchDepths(old: readonly string[], matched: readonly string[]): readonly Depth[] {
  const depths = new Map<string, string>();
  for (const [at, line] of old.entries()) {
    const there = matched[at] ?? "";
    if (line.trim() === "" || there.trim() === "" || depths.has(indentOf(line))) continue;
    depths.set(indentOf(line), indentOf(there));
  }
  return [...depths].map(([wrote, real]) => ({ wrote, real })).sort((a, b) => a.wrote.length - b.wrote.length);
}

/** One level of indentation, as it was written and as it is in the file. */
function findStep(depths: readonly Depth[]): Depth | undefined {
  for (const [at, deeper] of depths.entries()) {
    const outer = depths[at - 1];
    if (outer === undefined || !deeper.wrote.startsWith(outer.wrote) || !deeper.real.startsWith(outer.real)) continue;
    const step = { wrote: deeper.wrote.slice(outer.wrote.length), real: deeper.real.slice(outer.real.length) };
    if (step.real !== "") return step;
  }
  return undefined;
}

/** In a file indented with tabs the smallest step of blanks in the new text is one tab. */
function guessStep(depths: readonly Depth[], lines: readonly string[]): Depth | undefined {
  const base = depths[0];
  if (base === undefined || !/^\t+$/.test(base.real) || base.wrote.includes("\t")) return undefined;
  const deeper = lines.filter((line) => line.trim() !== "").map((line) => indentOf(line).length - base.wrote.length);
  const least = Math.min(...deeper.filter((count) => count > 0));
  return Number.isFinite(least) ? { wrote: " ".repeat(least), real: "\t" } : undefined;
}

function toDepth(indent: string, depths: readonly Depth[], step: Depth | undefined): string {
  const known = depths.findLast(({ wrote }) => indent.startsWith(wrote));
  if (known !== undefined) return known.real + scale(indent.slice(known.wrote.length), step);
  const least = depths[0];
  if (least === undefined) return indent;
  const less = scale(least.wrote.slice(indent.length), step).length;
  return least.real.slice(0, Math.max(0, least.real.length - less));
}

/** Indentation beyond a known depth, in steps of the file where it is whole steps. */
function scale(rest: string, step: Depth | undefined): string {
  if (step === undefined || rest === "") return rest;
  const count = rest.length / step.wrote.length;
  return step.wrote.repeat(Math.floor(count)) === rest ? step.real.repeat(count) : rest;
}
