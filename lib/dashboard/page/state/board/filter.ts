import type { Status } from "../../../../contracts/board/board.js";
import type { Card } from "../../../../contracts/board/explain.js";
import { COLUMNS } from "./columns.js";
import type { BoardState } from "./state.js";

/** Which cards are shown. Empty texts take everything. */
export interface Filter {
  readonly search: string;
  readonly tenant: string;
  /** A name, or the mark of tasks without an assignee. */
  readonly assignee: string;
}

/** No filter at all. */
export const EVERYTHING: Filter = { search: "", tenant: "", assignee: "" };
/** Stands for tasks without an assignee; no profile can be called so. */
export const NOBODY = " ";

/** Something is left out. */
export const isFiltered = ({ search, tenant, assignee }: Filter): boolean =>
  search.trim() !== "" || tenant !== "" || assignee !== "";

const texts = new WeakMap<Card, string>();

/** Everything that a search looks at, in one text. */
function textOf(card: Card): string {
  const known = texts.get(card);
  if (known !== undefined) return known;
  const parts = [card.id, card.title, card.body, card.result, card.latest_summary, card.assignee, card.tenant];
  const text = parts.join("\n").toLowerCase();
  texts.set(card, text);
  return text;
}

/** Takes the cards that have every word of the search, the tenant and the assignee. */
function matcher({ search, tenant, assignee }: Filter): (card: Card) => boolean {
  const wanted = search.toLowerCase().split(/\s+/).filter(Boolean);
  return (card) =>
    (tenant === "" || card.tenant === tenant) &&
    (assignee === "" || (assignee === NOBODY ? card.assignee === null : card.assignee === assignee)) &&
    wanted.every((word) => textOf(card).includes(word));
}

type Columns = BoardState["columns"];

/** The columns with the cards that the filter takes. Columns that stay the same are the same lists. */
export function filtered(
  { columns, cards }: Pick<BoardState, "columns" | "cards">,
  filter: Filter,
  before?: Columns,
): Columns {
  if (!isFiltered(filter)) return columns;
  const takes = matcher(filter);
  const out: Record<Status, readonly string[]> = { ...columns };
  for (const { name: status } of COLUMNS) {
    const taken = columns[status].filter((id) => {
      const card = cards.get(id);
      return card !== undefined && takes(card);
    });
    const last = before?.[status];
    out[status] = last !== undefined && sameIds(last, taken) ? last : taken;
  }
  return out;
}

const sameIds = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((id, at) => id === b[at]);
