import { hasContent, type Row } from "./row.js";

export interface ChangedRow {
  readonly before: Row;
  readonly after: Row;
}

/** What a page says now that it did not say before, and the other way round. */
export interface Difference {
  readonly added: readonly Row[];
  readonly removed: readonly Row[];
  readonly changed: readonly ChangedRow[];
  /** Hardly anything of the page of before is left: it is another page. */
  readonly replaced: boolean;
}

/** Share of the elements of before that a page keeps at least, as long as it is the same page. */
const KEPT_SHARE = 0.1;

/** Compare two snapshots of a page. Elements are the same by their ref, texts by their place and words. */
export function compareRows(before: readonly Row[], after: readonly Row[]): Difference {
  const old = keyed(before);
  const added: Placed[] = [];
  const changed: ChangedRow[] = [];
  let kept = 0;
  for (const [key, placed] of keyed(after)) {
    const was = old.get(key)?.row;
    old.delete(key);
    if (was === undefined) added.push(placed);
    else {
      kept += 1;
      if (stateOf(was) !== stateOf(placed.row)) changed.push({ before: was, after: placed.row });
    }
  }
  const total = kept + old.size;
  const replaced = total > 0 && kept < total * KEPT_SHARE;
  return { ...paired(added, [...old.values()], changed), replaced };
}

interface Placed {
  readonly row: Row;
  /** Parent and role. */
  readonly place: string;
}

/** Rows that say something, each under what it is the same by. */
function keyed(rows: readonly Row[]): Map<string, Placed> {
  const found = new Map<string, Placed>();
  const counts = new Map<string, number>();
  for (const row of rows) {
    if (!hasContent(row)) continue;
    const place = `${rows[row.parent]?.ref ?? ""} ${row.role}`;
    const base = row.ref ?? `${place} ${row.name} ${row.text}`;
    const count = counts.get(base) ?? 0;
    counts.set(base, count + 1);
    found.set(`${base} ${count}`, { row, place });
  }
  return found;
}

/** What may change of an element. Where the focus is does not count: every click moves it. */
const stateOf = ({ text, states }: Row): string => `${states.filter((state) => state !== "active").join()}\0${text}`;

/** An element that says something else under the same parent and role, in the order of the page, has changed: it did not come and go. */
function paired(
  added: readonly Placed[],
  removed: readonly Placed[],
  changed: readonly ChangedRow[],
): Omit<Difference, "replaced"> {
  const before = grouped(removed);
  const taken = new Set<Row>();
  const pairs: ChangedRow[] = [];
  for (const [place, rows] of grouped(added)) {
    const old = before.get(place) ?? [];
    if (old.length !== rows.length) continue;
    for (const [index, row] of rows.entries()) {
      const was = old[index];
      if (was === undefined) continue;
      pairs.push({ before: was, after: row });
      taken.add(row);
      taken.add(was);
    }
  }
  const rest = (rows: readonly Placed[]) => rows.map(({ row }) => row).filter((row) => !taken.has(row));
  return { added: rest(added), removed: rest(removed), changed: [...changed, ...pairs] };
}

function grouped(rows: readonly Placed[]): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const { row, place } of rows) {
    const group = groups.get(place);
    if (group === undefined) groups.set(place, [row]);
    else group.push(row);
  }
  return groups;
}
