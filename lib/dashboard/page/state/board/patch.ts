import type { Status } from "../../../../contracts/board/board.js";
import type { BoardView, Card } from "../../../../contracts/board/explain.js";
import { compareCards, everyColumn } from "./columns.js";
import type { BoardState } from "./state.js";

/** The board as it was read from the beginning. `nowSeconds`: this clock's time. */
export function toLoadedBoard(view: BoardView, nowSeconds: number): BoardState {
  const cards = new Map(view.columns.flatMap(({ tasks }) => tasks.map((card) => [card.id as string, card] as const)));
  const columns = everyColumn<readonly string[]>([]);
  return {
    phase: "ready",
    problem: undefined,
    board: view.board,
    cards,
    columns: {
      ...columns,
      ...Object.fromEntries(view.columns.map(({ name, tasks }) => [name, tasks.map(({ id }) => id)])),
    },
    totals: { ...everyColumn(0), ...totalsOf(view) },
    tenants: view.tenants,
    assignees: view.assignees,
    paused: view.paused,
    cursor: view.latest_event_id,
    ahead: view.now - nowSeconds,
  };
}

/** Cards that were asked for again. What was asked for and did not come is gone. The cursor is the stream's. */
export function refreshed(state: BoardState, view: BoardView, asked: readonly string[]): BoardState {
  const came = view.columns.flatMap(({ tasks }) => tasks);
  const there = new Set<string>(came.map(({ id }) => id));
  const next = withCards(
    state,
    came,
    asked.filter((id) => !there.has(id)),
  );
  return {
    ...next,
    totals: { ...next.totals, ...totalsOf(view) },
    tenants: sameList(next.tenants, view.tenants),
    assignees: sameList(next.assignees, view.assignees),
    paused: view.paused,
  };
}

const totalsOf = ({ columns }: BoardView) => Object.fromEntries(columns.map(({ name, total }) => [name, total]));

const sameList = (before: readonly string[], after: readonly string[]): readonly string[] =>
  before.length === after.length && before.every((one, at) => one === after[at]) ? before : after;

/** Cards replaced or added, others taken away. A card older than the one that is there changes nothing. */
export function withCards(state: BoardState, changed: readonly Card[], gone: readonly string[] = []): BoardState {
  const cards = new Map<string, Card>(state.cards);
  const touched = new Set<Status>();
  const moved = new Set<string>();
  for (const card of changed) {
    const before = cards.get(card.id);
    if (before !== undefined && before.version > card.version) continue;
    cards.set(card.id, card);
    if (before !== undefined && samePlace(before, card)) continue;
    moved.add(card.id);
    touched.add(card.status);
    if (before !== undefined) touched.add(before.status);
  }
  for (const id of gone) {
    const before = cards.get(id);
    if (before === undefined) continue;
    cards.delete(id);
    moved.add(id);
    touched.add(before.status);
  }
  return {
    ...state,
    cards,
    columns: touched.size === 0 ? state.columns : placed(state.columns, { cards, moved, touched }),
  };
}

const samePlace = (a: Card, b: Card): boolean => a.status === b.status && compareCards(a, b) === 0;

interface Moves {
  readonly cards: ReadonlyMap<string, Card>;
  readonly moved: ReadonlySet<string>;
  readonly touched: ReadonlySet<Status>;
}

/** Only the columns that something entered or left are built again. */
function placed(columns: BoardState["columns"], { cards, moved, touched }: Moves): BoardState["columns"] {
  const next: Record<Status, readonly string[]> = { ...columns };
  for (const name of touched) {
    const entering = [...moved].flatMap((id) => cards.get(id) ?? []).filter((card) => card.status === name);
    const staying = columns[name].filter((id) => !moved.has(id));
    next[name] = merged(staying, entering.toSorted(compareCards), cards);
  }
  return next;
}

/** Both lists are in order; so is the answer. */
function merged(
  staying: readonly string[],
  entering: readonly Card[],
  cards: ReadonlyMap<string, Card>,
): readonly string[] {
  if (entering.length === 0) return staying;
  const out: string[] = [];
  let at = 0;
  for (const id of staying) {
    const card = cards.get(id);
    for (let next = entering[at]; next && card && compareCards(next, card) < 0; next = entering[at]) {
      out.push(next.id);
      at += 1;
    }
    out.push(id);
  }
  return [...out, ...entering.slice(at).map(({ id }) => id)];
}
