const LINES_AT_MOST = 200;
/** Beyond this a line-by-line comparison takes too long to be worth it. */
const CHARS_AT_MOST = 2_000_000;

/** Two states of one file. */
export interface Compared {
  readonly path: string;
  /** Path that it had before; absent: the same. */
  readonly from?: string;
  readonly before: string;
  readonly after: string;
}

/** Unified difference of two texts, at most 200 lines. */
export async function difference(path: string, before: string, after: string): Promise<string> {
  return differenceOfAll([{ path, before, after }]);
}

/** Unified difference of several files, at most 200 lines in all. Where it is cut, its last line says what the whole adds and removes. */
export async function differenceOfAll(files: readonly Compared[]): Promise<string> {
  const parts: Part[] = [];
  for (const file of files) parts.push({ head: renameLines(file), body: [] }, await compareTexts(file));
  const lines = parts.flatMap(({ head, body }) => [...head, ...body]);
  if (lines.length <= LINES_AT_MOST) return lines.join("\n");
  const count = (sign: string) => parts.flatMap(({ body }) => body).filter((line) => line.startsWith(sign)).length;
  const left = lines.length - LINES_AT_MOST + 1;
  return `${lines.slice(0, LINES_AT_MOST - 1).join("\n")}\n... (${left} more lines; +${count("+")} -${count("-")} in all)`;
}

interface Part {
  /** Lines that name the files. */
  readonly head: readonly string[];
  /** Hunks. */
  readonly body: readonly string[];
}

const renameLines = ({ from, path }: Compared): readonly string[] =>
  from === undefined ? [] : [`rename from ${from}`, `rename to ${path}`];

async function compareTexts({ path, from = path, before, after }: Compared): Promise<Part> {
  const note = (why: string): Part => ({
    head: [`(${path}: ${before.length} characters replaced by ${after.length}; ${why})`],
    body: [],
  });
  if (before === after) return { head: [], body: [] };
  if (before.length + after.length > CHARS_AT_MOST) return note("too large to compare");
  const { createTwoFilesPatch } = await import("diff");
  const patch = createTwoFilesPatch(`a/${from}`, `b/${path}`, before, after, undefined, undefined, {
    context: 3,
    timeout: 1_000,
  });
  if (patch === undefined) return note("too different to compare in time");
  const all = patch.replace(/\n$/, "").split("\n");
  const lines = all[0]?.startsWith("=====") ? all.slice(1) : all;
  return { head: lines.slice(0, 2), body: lines.slice(2) };
}
