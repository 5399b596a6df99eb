import type { BoardEvent } from "../../../../contracts/board/board.js";
import type { BoardState } from "./state.js";

/** Cards that show something else after these events: those of the events, and those beside them that count or wait for them. */
export function cardsOf(state: BoardState, events: readonly BoardEvent[]): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const event of events) {
    const id = subject(event);
    if (id === undefined) continue;
    ids.add(id);
    if (reachesOthers(event)) for (const other of beside(state, id)) ids.add(other);
    for (const other of named(event)) ids.add(other);
  }
  return ids;
}

/** A deleted task is reported by an event of the board. */
const subject = ({ task_id, payload }: BoardEvent): string | undefined => {
  const told = payload["task_id"];
  return task_id ?? (typeof told === "string" ? told : undefined);
};

/** Others count it or wait for it: its status or its links have changed, or it is new or gone. */
const reachesOthers = ({ kind, payload }: BoardEvent): boolean =>
  "to" in payload ||
  kind === "created" ||
  kind === "deleted" ||
  kind === "edited" ||
  kind === "linked" ||
  kind === "unlinked";

function beside({ cards }: BoardState, id: string): readonly string[] {
  const card = cards.get(id);
  if (card === undefined) return [];
  const near = [...card.parents, ...card.children, ...(card.decomposed_from === null ? [] : [card.decomposed_from])];
  return near.filter((one) => cards.has(one));
}

function named({ payload }: BoardEvent): readonly string[] {
  const lists = [
    payload["parent"],
    payload["child"],
    payload["parents"],
    payload["child_ids"],
    payload["from_decompose_of"],
  ].flat();
  return lists.filter((one): one is string => typeof one === "string");
}

/** Events that were not seen yet. A frame may repeat some after a connection was lost. */
export const unseen = (cursor: number, events: readonly BoardEvent[]): readonly BoardEvent[] =>
  events.filter(({ id }) => id > cursor);
