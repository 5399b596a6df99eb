import { type Box, hasContent, type Row } from "./row.js";

/** What is looked for in a page; every part that is given has to match. */
export interface Wanted {
  readonly role?: string;
  readonly name?: string;
  readonly text?: string;
}

const CANDIDATES = 5;

const fold = (text: string): string => text.normalize("NFKC").toLowerCase();

/** Rows that match, those whose whole name or text is meant first. */
export function findRows(rows: readonly Row[], { role, name, text }: Wanted): readonly Row[] {
  const parts = { role: fold(role ?? ""), name: fold(name ?? ""), text: fold(text ?? "") };
  const matching = rows.filter(
    (row) =>
      hasContent(row) &&
      (parts.role === "" || fold(row.role) === parts.role) &&
      fold(row.name).includes(parts.name) &&
      (fold(row.text).includes(parts.text) || fold(row.name).includes(parts.text)),
  );
  const exact = (row: Row) =>
    (parts.name !== "" && fold(row.name) === parts.name) || (parts.text !== "" && fold(row.text) === parts.text);
  return [...matching.filter(exact), ...matching.filter((row) => !exact(row))];
}

/** Interactive rows, the nearest to a place first; without a place those at the top of what is shown. */
export function nearestRows(rows: readonly Row[], near: Box | undefined): readonly Row[] {
  const dialog = rows.findLastIndex(({ role }) => role === "dialog" || role === "alertdialog");
  const inDialog = new Set(dialog === -1 ? [] : indexesBelow(rows, dialog));
  return rows
    .map((row, index) => ({ row, index, far: distance(row.box, near) - (inDialog.has(index) ? FAR : 0) }))
    .filter(({ row }) => row.interactive)
    .toSorted((a, b) => a.far - b.far || a.index - b.index)
    .map(({ row }) => row);
}

const FAR = 1e7;

/** How far an element is from a place, in pixels; lines count more than columns, and what is above the view is far. */
function distance(box: Box | undefined, near: Box | undefined): number {
  if (box === undefined) return FAR / 2;
  if (near === undefined) return box.y + box.height <= 0 ? FAR / 4 - box.y : box.y;
  const down = gap(box.y, box.y + box.height, near.y, near.y + near.height);
  const across = gap(box.x, box.x + box.width, near.x, near.x + near.width);
  return down * 3 + across;
}

const gap = (from: number, to: number, otherFrom: number, otherTo: number): number =>
  Math.max(0, otherFrom - to, from - otherTo);

/** Indexes of everything within a row. */
function indexesBelow(rows: readonly Row[], top: number): readonly number[] {
  const depth = rows[top]?.depth ?? 0;
  const end = rows.findIndex((row, index) => index > top && row.depth <= depth);
  return Array.from({ length: (end === -1 ? rows.length : end) - top - 1 }, (_, index) => top + 1 + index);
}

/** At most five rows of the role with the names that are most like the one given. */
export function candidateRows(
  rows: readonly Row[],
  { role, name }: { readonly role: string; readonly name: string },
): readonly Row[] {
  const same = rows.filter((row) => row.ref !== undefined && row.role === role);
  const wanted = pairsOf(name);
  return same
    .map((row, index) => ({ row, index, like: likeness(wanted, pairsOf(row.name)) }))
    .toSorted((a, b) => b.like - a.like || a.index - b.index)
    .slice(0, CANDIDATES)
    .map(({ row }) => row);
}

/** Pairs of neighbouring letters: names that share many are like each other. */
function pairsOf(name: string): ReadonlySet<string> {
  const text = ` ${fold(name.slice(0, 200))} `;
  return new Set(Array.from({ length: Math.max(0, text.length - 1) }, (_, index) => text.slice(index, index + 2)));
}

function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const shared = [...a].filter((pair) => b.has(pair)).length;
  return (2 * shared) / Math.max(1, a.size + b.size);
}
