/** Cards that something is done with together, and where a range begins. */
export interface Selection {
  readonly ids: ReadonlySet<string>;
  readonly anchor: string | undefined;
}

/** Nothing is selected. */
export const NO_SELECTION: Selection = { ids: new Set(), anchor: undefined };

/** With the card, or without it when it was in. */
export function toggleCard({ ids }: Selection, id: string): Selection {
  const next = new Set(ids);
  if (!next.delete(id)) next.add(id);
  return { ids: next, anchor: id };
}

/** With everything between the anchor and the card, when both stand in one column; else with the card alone. */
export function ranged(selection: Selection, id: string, column: readonly string[]): Selection {
  const from = selection.anchor === undefined ? -1 : column.indexOf(selection.anchor);
  const to = column.indexOf(id);
  if (from < 0 || to < 0) return { ids: new Set([...selection.ids, id]), anchor: id };
  const between = column.slice(Math.min(from, to), Math.max(from, to) + 1);
  return { ids: new Set([...selection.ids, ...between]), anchor: selection.anchor };
}

/** Without what is gone; the same selection when all of it exists. */
export function kept(selection: Selection, there: (id: string) => boolean): Selection {
  const ids = [...selection.ids].filter(there);
  if (ids.length === selection.ids.size) return selection;
  return ids.length === 0 ? NO_SELECTION : { ...selection, ids: new Set(ids) };
}
