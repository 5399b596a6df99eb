/** One measured figure and what it has to hold. */
export interface Row {
  readonly name: string;
  readonly value: number;
  readonly unit: "x" | "ms" | "MB" | "%" | "/s" | "messages";
  /** At most (`<=`) or at least (`>=`) so much. Without one the row only informs. */
  readonly bound?: { readonly is: "<=" | ">="; readonly of: number };
  /** Absolute figures behind a ratio. */
  readonly note?: string;
}

export const holds = ({ value, bound }: Row): boolean => bound === undefined || (bound.is === "<=" ? value <= bound.of : value >= bound.of);

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const high = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? high : ((sorted[middle - 1] ?? high) + high) / 2;
}

/**
 * Run each case once per round, one after the other, so that a slow moment of the machine meets all of them.
 *
 * @returns medians by name; the first round only warms up
 */
export async function interleaved(
  rounds: number,
  cases: Readonly<Record<string, () => Promise<number>>>,
): Promise<ReadonlyMap<string, number>> {
  const times = new Map<string, number[]>(Object.keys(cases).map((name) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const [name, run] of Object.entries(cases)) {
      const ms = await run();
      if (round > 0) times.get(name)?.push(ms);
    }
  }
  return new Map([...times].map(([name, all]) => [name, median(all)]));
}

/** Slope of the least-squares line through the points. */
export function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (pick: (point: readonly [number, number]) => number) => points.reduce((sum, point) => sum + pick(point), 0) / points.length;
  const [mx, my] = [mean(([x]) => x), mean(([, y]) => y)];
  const over = points.reduce((sum, [x, y]) => sum + (x - mx) * (y - my), 0);
  return over / points.reduce((sum, [x]) => sum + (x - mx) ** 2, 0);
}

/** A table of rows as text, a mark beside each that does not hold. */
export function renderRows(rows: readonly Row[]): string {
  const width = Math.max(...rows.map(({ name }) => name.length));
  return rows
    .map((row) => {
      const value = `${row.value.toFixed(row.unit === "x" || row.unit === "%" ? 2 : 0)} ${row.unit}`.padStart(10);
      const bound = row.bound === undefined ? "" : `${row.bound.is} ${row.bound.of} ${row.unit}`;
      return `${holds(row) ? " " : "!"} ${row.name.padEnd(width)} ${value}  ${bound.padEnd(12)} ${row.note ?? ""}`.trimEnd();
    })
    .join("\n");
}
