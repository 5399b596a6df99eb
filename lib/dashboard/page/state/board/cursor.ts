import type { Status } from "../../../../contracts/board/board.js";

/** One step of the cursor over the cards. */
export type CursorStep = "up" | "down" | "left" | "right" | "first" | "last";

interface Shown {
  readonly names: readonly Status[];
  readonly columns: Readonly<Record<Status, readonly string[]>>;
}

/** Where a card stands among what is shown. */
export function findCardSpot(
  { names, columns }: Shown,
  id: string | undefined,
): { column: number; row: number } | undefined {
  if (id === undefined) return undefined;
  for (const [column, name] of names.entries()) {
    const row = columns[name].indexOf(id);
    if (row >= 0) return { column, row };
  }
  return undefined;
}

/** The card that a step leads to. Without a card to go from it is the first one; at an edge the cursor stays. Empty columns are passed over. */
export function stepped(shown: Shown, from: string | undefined, step: CursorStep): string | undefined {
  const ids = (column: number): readonly string[] => columnAt(shown, column);
  const at = findCardSpot(shown, from);
  if (at === undefined) return ids(shown.names.findIndex((name) => shown.columns[name].length > 0))[0];
  if (step === "first") return ids(at.column)[0];
  if (step === "last") return ids(at.column).at(-1);
  if (step === "up" || step === "down") return ids(at.column)[at.row + (step === "up" ? -1 : 1)] ?? from;
  const by = step === "left" ? -1 : 1;
  for (let column = at.column + by; column >= 0 && column < shown.names.length; column += by) {
    const there = ids(column);
    if (there.length > 0) return there[Math.min(at.row, there.length - 1)];
  }
  return from;
}

/** The cursor after the columns have changed: where its card went, or, when that is gone, on the card that took its place. */
export function keptCursor(before: Shown, after: Shown, cursor: string | undefined): string | undefined {
  if (cursor === undefined || findCardSpot(after, cursor) !== undefined) return cursor;
  const place = findCardSpot(before, cursor);
  if (place === undefined) return cursor;
  const there = columnAt(after, place.column);
  return there[place.row] ?? there.at(-1);
}

function columnAt({ names, columns }: Shown, at: number): readonly string[] {
  const name = names[at];
  return name === undefined ? [] : columns[name];
}
