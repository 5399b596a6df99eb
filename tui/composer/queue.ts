import type { Data } from "../data.js";
import { sanitize } from "../sanitize.js";
import type { State, Updated } from "../state.js";
import type { QueueState, Waiting } from "./state.js";

/** Enter in an empty composer lets a queue go on that is paused. */
export const sendsNext = ({ queue, session, connection }: State): boolean =>
  queue.paused && queue.waiting.length > 0 && session.turnSince === undefined && connection === "connected";

/** The queue of the conversation as its owner tells it. */
export function queued(queue: QueueState, data: Data): QueueState {
  const rows: readonly unknown[] = Array.isArray(data["items"]) ? data["items"] : [];
  return { ...queue, waiting: rows.flatMap(toWaiting), paused: data["paused"] === true };
}

function toWaiting(row: unknown): Waiting[] {
  if (typeof row !== "object" || row === null) return [];
  const { id, text: told, kind } = row as Data; // an object that is not null
  return typeof id === "string" && typeof told === "string" ? [{ id, text: sanitize(told), kind: String(kind) }] : [];
}

/** Messages go one after the other: the next one when the owner has the first. */
export function sendFirst(state: State): Updated {
  const { queue, session, connection } = state;
  const first = queue.local[0];
  const can = first !== undefined && session.id !== undefined && connection === "connected" && !queue.sending;
  return can ? [{ ...state, queue: { ...queue, sending: true } }, [{ do: "submit", text: first }]] : [state, []];
}

/** A message that was refused stays, and is sent before the next one. */
export function sent(state: State, ok: boolean): Updated {
  const { queue } = state;
  if (!ok) return [{ ...state, queue: { ...queue, sending: false } }, []];
  return sendFirst({ ...state, queue: { ...queue, sending: false, local: queue.local.slice(1) } });
}
