import type { BoardState } from "./state.js";

/** A row of a column: a card, or the name above those of one profile. `at`: how many cards stand before it. */
export type ColumnRow =
  | { readonly card: string; readonly at: number }
  | { readonly lane: string; readonly count: number };

/** The cards one below the other. */
export const plainRows = (ids: readonly string[]): readonly ColumnRow[] => ids.map((card, at) => ({ card, at }));

/** The cards under the names of who works them. */
export function laneRows(ids: readonly string[], cards: BoardState["cards"]): readonly ColumnRow[] {
  const lanes = new Map<string, string[]>();
  for (const id of ids) {
    const name = cards.get(id)?.assignee ?? "nobody";
    lanes.set(name, [...(lanes.get(name) ?? []), id]);
  }
  let at = 0;
  return [...lanes]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .flatMap(([lane, mine]): ColumnRow[] => [
      { lane, count: mine.length },
      ...mine.map((card) => ({ card, at: at++ })),
    ]);
}
