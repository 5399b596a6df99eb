import { sanitize } from "./sanitize.js";
import type { ChatItem, State, Waiting } from "./state.js";

type Data = Readonly<Record<string, unknown>>;

/** What waits in the conversation, and what was said to its turn. Other events change nothing. */
export function queueEvent(state: State, event: string, data: Data): State {
  if (event === "queue.changed") return queued(state, data);
  if (event === "steer.accepted") return noted(state, `You, to the running turn: ${text(data)} (read with the next tool result)`);
  if (event === "steer.delivered") return noted(state, "The turn has read it.");
  return state;
}

/** The conversation as its owner has it when this screen begins to look. */
export function viewed(state: State, view: Data): State {
  const { queue, turn_id: turn, phase, streamed } = view;
  const next = typeof queue === "object" && queue !== null ? queued(state, queue as Data) : state; // an object that is not null
  if (typeof turn !== "string") return next;
  const sofar = typeof streamed === "string" ? streamed : "";
  const told = sofar.length > state.streamed ? { streaming: sanitize(sofar), streamed: sofar.length } : {};
  const now = typeof phase === "string" && phase !== "waiting_model" ? phase : "thinking";
  return { ...next, ...told, turnSince: state.turnSince ?? state.now, phase: now };
}

/** Enter in an empty composer lets a queue go on that is paused. */
export const sendsNext = (state: State): boolean =>
  state.queuePaused && state.waiting.length > 0 && state.turnSince === undefined && state.connection === "connected";

function queued(state: State, data: Data): State {
  const rows: readonly unknown[] = Array.isArray(data["items"]) ? data["items"] : [];
  return { ...state, waiting: rows.flatMap(toWaiting), queuePaused: data["paused"] === true };
}

function toWaiting(row: unknown): Waiting[] {
  if (typeof row !== "object" || row === null) return [];
  const { id, text: told, kind } = row as Data; // an object that is not null
  return typeof id === "string" && typeof told === "string" ? [{ id, text: sanitize(told), kind: String(kind) }] : [];
}

function noted(state: State, told: string): State {
  const item: ChatItem = { kind: "notice", text: told, level: "info" };
  return { ...state, items: [...state.items, item] };
}

const text = (data: Data): string => (typeof data["text"] === "string" ? sanitize(data["text"]) : "");
