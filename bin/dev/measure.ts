/** At most (`<=`) or at least (`>=`) so much. One that scales was set in milliseconds or percent of the reference machine. */
export interface Bound {
  readonly is: "<=" | ">=";
  readonly of: number;
  readonly scales?: true;
}

/** `node -e 0` on the machine on which bounds of absolute time were set: the middle of 20 to 23 ms measured there. */
export const REFERENCE_START_MS = 21.5;

/** How many times slower than the reference machine this one is, by its bare start of Node: bounds of time are never made stricter. */
export const slowness = (startMs: number): number => Math.max(1, startMs / REFERENCE_START_MS);

/** One measured figure and what it has to hold. */
export interface Row {
  readonly name: string;
  readonly value: number;
  readonly unit: "x" | "ms" | "MB" | "%" | "/s" | "messages" | "processes" | "tokens" | "tasks" | "bytes";
  /** Without one the row only informs. */
  readonly bound?: Bound;
  /** Absolute figures behind a ratio. */
  readonly note?: string;
}

/** What a bound comes to on a machine so many times slower. */
const limitOf = ({ of, scales }: Bound, slower: number): number => (scales === true ? of * slower : of);

/** Whether a figure keeps its bound on a machine that is `slower` times slower than the reference (1: as fast). */
export function holds({ value, bound }: Row, slower = 1): boolean {
  if (bound === undefined) return true;
  const limit = limitOf(bound, slower);
  return bound.is === "<=" ? value <= limit : value >= limit;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const high = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? high : ((sorted[middle - 1] ?? high) + high) / 2;
}

/**
 * How many times as much as `others`: each figure against the other one of its round, and the middle of that. A machine whose speed changes within
 * a run changes both figures of a round, while the middles of each side alone may come from different moments.
 *
 * @param others As many as `values`, of the same rounds
 */
export function medianRatio(values: readonly number[], others: readonly number[]): number {
  return median(values.map((value, round) => value / (others[round] ?? Number.NaN)));
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
  return new Map([...(await inRounds(rounds, cases))].map(([name, all]) => [name, median(all)]));
}

/** As `interleaved`. @returns the figures of each round by name, without that which warms up */
export async function inRounds(
  rounds: number,
  cases: Readonly<Record<string, () => Promise<number>>>,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const times = new Map<string, number[]>(Object.keys(cases).map((name) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const [name, run] of Object.entries(cases)) {
      const ms = await run();
      if (round > 0) times.get(name)?.push(ms);
    }
  }
  return times;
}

/** Milliseconds of one case of `inRounds` against those of another, each in its round. */
export function compared(
  rounds: ReadonlyMap<string, readonly number[]>,
  which: string,
  other: string,
): Pick<Row, "value" | "unit" | "note"> {
  const own = rounds.get(which) ?? [];
  const floor = rounds.get(other) ?? [];
  return {
    value: medianRatio(own, floor),
    unit: "x",
    note: `${Math.round(median(own))} / ${Math.round(median(floor))} ms`,
  };
}

/** Slope of the least-squares line through the points. */
export function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (pick: (point: readonly [number, number]) => number) =>
    points.reduce((sum, point) => sum + pick(point), 0) / points.length;
  const mx = mean(([x]) => x);
  const my = mean(([, y]) => y);
  const over = points.reduce((sum, [x, y]) => sum + (x - mx) * (y - my), 0);
  return over / points.reduce((sum, [x]) => sum + (x - mx) ** 2, 0);
}

const digits = (limit: number): string => String(Math.round(limit * 100) / 100);

function boundText({ bound, unit }: Row, slower: number): string {
  if (bound === undefined) return "";
  const here = `${bound.is} ${digits(limitOf(bound, slower))} ${unit}`;
  return bound.scales === true && slower > 1 ? `${here} (${bound.of})` : here;
}

/** A table of rows as text, a mark beside each that does not hold; behind a bound that scales, what it is at the reference's speed. */
export function renderRows(rows: readonly Row[], slower = 1): string {
  const width = Math.max(...rows.map(({ name }) => name.length));
  return rows
    .map((row) => {
      const value = `${row.value.toFixed(row.unit === "x" || row.unit === "%" ? 2 : 0)} ${row.unit}`.padStart(10);
      const bound = boundText(row, slower).padEnd(slower > 1 ? 20 : 12);
      return `${holds(row, slower) ? " " : "!"} ${row.name.padEnd(width)} ${value}  ${bound} ${row.note ?? ""}`.trimEnd();
    })
    .join("\n");
}
