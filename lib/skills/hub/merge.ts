/** Lines of a file that both sides may have changed, above which they are not merged. */
const LINES_MAX = 4_000;
/** Cells of the table of a comparison. */
const CELLS_MAX = 4_000_000;

/** A run of lines that one side changed: `[from, to)` of the base became `lines`. */
interface Change {
  readonly from: number;
  readonly to: number;
  readonly lines: readonly string[];
}

/**
 * Merge two changed forms of a text by lines. Undefined: both changed the same place, or touching ones, or the texts are too long for it.
 */
export function mergeTexts(base: string, mine: string, theirs: string): string | undefined {
  const split = (text: string) => text.split(/(?<=\n)/);
  const lines = split(base);
  const ours = changesOf(lines, split(mine));
  const new_ = changesOf(lines, split(theirs));
  if (ours === undefined || new_ === undefined) return undefined;
  const all: Change[] = [];
  for (const change of [...ours, ...new_].toSorted((a, b) => a.from - b.from || a.to - b.to)) {
    const last = all.at(-1);
    if (last !== undefined && isSame(last, change)) continue;
    if (last !== undefined && change.from <= last.to) return undefined;
    all.push(change);
  }
  let at = 0;
  const merged: string[] = [];
  for (const { from, to, lines: put } of all) {
    merged.push(...lines.slice(at, from), ...put);
    at = to;
  }
  return [...merged, ...lines.slice(at)].join("");
}

const isSame = (a: Change, b: Change): boolean =>
  a.from === b.from && a.to === b.to && a.lines.join("") === b.lines.join("");

/** What has to be done to `base` to get `other`, by the longest common subsequence between their equal ends. */
function changesOf(base: readonly string[], other: readonly string[]): readonly Change[] | undefined {
  if (base.length > LINES_MAX || other.length > LINES_MAX) return undefined;
  let head = 0;
  while (head < base.length && head < other.length && base[head] === other[head]) head += 1;
  let tail = 0;
  while (tail < base.length - head && tail < other.length - head && base.at(-1 - tail) === other.at(-1 - tail))
    tail += 1;
  const a = base.slice(head, base.length - tail);
  const b = other.slice(head, other.length - tail);
  const width = b.length + 1;
  if ((a.length + 1) * width > CELLS_MAX) return undefined;
  const best = new Uint16Array((a.length + 1) * width);
  const cell = (row: number, column: number) => best[row * width + column] ?? 0;
  for (let row = a.length - 1; row >= 0; row--)
    for (let column = b.length - 1; column >= 0; column--)
      best[row * width + column] =
        a[row] === b[column] ? cell(row + 1, column + 1) + 1 : Math.max(cell(row + 1, column), cell(row, column + 1));
  const changes: Change[] = [];
  let row = 0;
  let column = 0;
  while (row < a.length || column < b.length) {
    if (row < a.length && column < b.length && a[row] === b[column]) {
      row += 1;
      column += 1;
      continue;
    }
    const from = { row, column };
    while ((row < a.length || column < b.length) && !(row < a.length && column < b.length && a[row] === b[column])) {
      if (column >= b.length || (row < a.length && cell(row + 1, column) >= cell(row, column + 1))) row += 1;
      else column += 1;
    }
    changes.push({ from: head + from.row, to: head + row, lines: b.slice(from.column, column) });
  }
  return changes;
}
