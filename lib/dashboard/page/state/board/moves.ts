import type { Status } from "../../../../contracts/board/board.js";
import type { Card } from "../../../../contracts/board/explain.js";
import { findColumnTitle } from "./columns.js";

/** From which statuses a status write leads to each (board part, 14.5). A claim alone makes a task run. */
const FROM: Readonly<Record<Status, readonly Status[]>> = {
  triage: ["todo", "ready", "running", "blocked", "scheduled", "done"],
  todo: ["triage", "ready", "running", "blocked", "scheduled", "done"],
  ready: ["triage", "todo", "running", "blocked", "scheduled", "done"],
  running: [],
  blocked: ["todo", "ready", "running"],
  done: ["ready", "running", "blocked"],
  scheduled: ["todo", "ready", "running", "blocked"],
  archived: ["triage", "todo", "ready", "running", "blocked", "scheduled", "done"],
};

/** What decides where a card can go. */
type Movable = Pick<Card, "status" | "archived_from"> & { readonly id: string; readonly waits_for: readonly string[] };

/** Where an archived task goes back to. */
function restored({ archived_from: from, waits_for }: Movable): Status {
  if (from === "done" || from === "triage" || from === "blocked" || from === "scheduled") return from;
  return waits_for.length > 0 ? "todo" : "ready";
}

/** Why a card cannot be sent to a column; undefined when it can. */
export function explainRefusedMove(card: Movable, to: Status): string | undefined {
  if (card.status === to) return `It is already in ${findColumnTitle(to)}.`;
  if (to === "running") return "Tasks run only when claimed by a worker.";
  if (card.status === "archived") {
    const back = restored(card);
    return back === to ? undefined : `An archived task returns to ${findColumnTitle(back)}.`;
  }
  return FROM[to].includes(card.status)
    ? undefined
    : `Tasks cannot move from ${findColumnTitle(card.status)} to ${findColumnTitle(to)}.`;
}

/** What sending cards to a column comes to, before anything is sent. */
export interface MovePlan {
  readonly to: Status;
  readonly ids: readonly string[];
  readonly refused: readonly { readonly id: string; readonly why: string }[];
  /** How many workers it stops. */
  readonly stops: number;
}

/** Sort out which of the cards can go there. */
export function planMove(cards: readonly Movable[], to: Status): MovePlan {
  const refused = cards.flatMap((card) => {
    const why = explainRefusedMove(card, to);
    return why === undefined ? [] : [{ id: card.id, why }];
  });
  const not = new Set(refused.map(({ id }) => id));
  const going = cards.filter(({ id }) => !not.has(id));
  return {
    to,
    ids: going.map(({ id }) => id),
    refused,
    stops: going.filter(({ status }) => status === "running").length,
  };
}
