import { COLUMNS, type Column, type Columns, type TaskCard } from "./state.js";

/** Order within a column: by priority, then age; what is done or archived newest first. */
function compareCards(a: TaskCard, b: TaskCard): number {
  if (a.status === "done" || a.status === "archived") return b.endedAt - a.endedAt || b.made - a.made;
  return b.priority - a.priority || a.createdAt - b.createdAt || a.made - b.made;
}

/** Where a card stands in a column that is in order, or would stand. */
export function placeOf(column: readonly TaskCard[], card: TaskCard): number {
  let low = 0;
  let high = column.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = column[middle];
    if (other !== undefined && compareCards(other, card) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Columns with cards changed: each costs the copy of one column, never a sort. `before`: the cards as they were. */
export function replaced(
  columns: Columns,
  changes: readonly { readonly before: TaskCard | undefined; readonly after: TaskCard | undefined }[],
): Columns {
  const next: Record<Column, readonly TaskCard[]> = { ...columns };
  const copied = new Map<Column, TaskCard[]>();
  const copyOf = (column: Column): TaskCard[] => {
    const copy = copied.get(column) ?? [...columns[column]];
    copied.set(column, copy);
    next[column] = copy;
    return copy;
  };
  for (const { before, after } of changes) {
    if (before !== undefined) take(copyOf(before.status), before);
    if (after !== undefined) {
      const column = copyOf(after.status);
      column.splice(placeOf(column, after), 0, after);
    }
  }
  return next;
}

function take(column: TaskCard[], card: TaskCard): void {
  const at = placeOf(column, card);
  if (column[at]?.id === card.id) column.splice(at, 1);
}

/** Cards by column, sorted once. */
export function sorted(cards: Iterable<TaskCard>): Columns {
  const columns: Record<Column, TaskCard[]> = {
    triage: [],
    todo: [],
    ready: [],
    running: [],
    blocked: [],
    done: [],
    scheduled: [],
    archived: [],
  };
  for (const card of cards) columns[card.status].push(card);
  for (const column of COLUMNS) columns[column].sort(compareCards);
  return columns;
}

const ARCHIVED = "archived";

/** The columns that are shown: what is archived only where the filter says so. */
export const columnsOf = ({ filter }: { readonly filter: string }): readonly Column[] =>
  filter.toLowerCase().split(/\s+/).includes(ARCHIVED) ? COLUMNS : COLUMNS.filter((column) => column !== ARCHIVED);

/** What a filter lets through: every word stands somewhere on the card; `@name` is its assignee, `#name` its tenant. */
function filterOf(filter: string): ((card: TaskCard) => boolean) | undefined {
  const words = filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "" && word !== ARCHIVED);
  if (words.length === 0) return undefined;
  return (card) => words.every((word) => matches(card, word));
}

function matches({ id, title, assignee, tenant, note }: TaskCard, word: string): boolean {
  if (word.startsWith("@")) return (assignee ?? "-").toLowerCase().includes(word.slice(1));
  if (word.startsWith("#")) return (tenant ?? "").toLowerCase().includes(word.slice(1));
  return [id, title, note].some((text) => text.toLowerCase().includes(word));
}

/** Columns through a filter. Columns that are the same as before are not looked at again. */
export function filtered(
  columns: Columns,
  filter: string,
  before?: { readonly columns: Columns; readonly shown: Columns },
): Columns {
  const lets = filterOf(filter);
  if (lets === undefined) return columns;
  const next: Record<Column, readonly TaskCard[]> = { ...columns };
  for (const column of COLUMNS) {
    const same = before !== undefined && before.columns[column] === columns[column];
    next[column] = same ? before.shown[column] : columns[column].filter(lets);
  }
  return next;
}
