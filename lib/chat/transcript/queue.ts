import { AppError } from "../../base/errors.js";
import { LIMITS } from "../../base/limits.js";
import type { QueueItem, QueueKind, QueueState } from "../../contracts/chat/queue.js";

/** Rules of the queue of a lineage (core part, 9.2). Pure: each takes a state and gives the next. */

export const EMPTY_QUEUE: QueueState = { items: [], paused: false };

/** Messages of people go first, then news of what ended in the background, then the next step of a goal. */
const RANK: Readonly<Record<QueueKind, number>> = { message: 0, process_notice: 1, continuation: 2 };

/** The queue as it was stored. What another version wrote otherwise is as good as none. */
export function parseQueue(json: string | undefined): QueueState {
  if (json === undefined) return EMPTY_QUEUE;
  const value = JSON.parse(json) as Partial<QueueState> | null; // written by this folder
  return Array.isArray(value?.items) ? { items: value.items, paused: value.paused === true } : EMPTY_QUEUE;
}

/** Behind the items of its kind. A full queue takes news of the background into its last one. @throws E_BUSY */
export function addQueueItem(state: QueueState, item: QueueItem): QueueState {
  const { items } = state;
  if (items.length < LIMITS.queueItems) return { ...state, items: placed(items, item) };
  const last = items.findLast((one) => one.kind === "process_notice");
  if (item.kind !== "process_notice" || last === undefined)
    throw new AppError("E_BUSY", `the queue is full: ${LIMITS.queueItems} messages are waiting`, {
      bound: LIMITS.queueItems,
      hint: "wait until one is sent, or remove one with /queue rm N",
    });
  return editQueueItem(state, last.id, `${last.text}\n\n${item.text}`);
}

/** In front of everything, whatever its kind: it runs next. A full queue takes it too, so that it is not lost. */
export const first = (state: QueueState, item: QueueItem): QueueState => ({
  ...state,
  items: [item, ...state.items.filter((one) => one.id !== item.id)],
});

function placed(items: readonly QueueItem[], item: QueueItem): readonly QueueItem[] {
  const at = items.findLastIndex((one) => RANK[one.kind] <= RANK[item.kind]) + 1;
  return [...items.slice(0, at), item, ...items.slice(at)];
}

/** @throws E_NOT_FOUND */
export function requireQueueItem(state: QueueState, id: string): QueueItem {
  const found = state.items.find((one) => one.id === id);
  if (found) return found;
  throw new AppError("E_NOT_FOUND", "this message is no longer in the queue", {
    item: id,
    hint: "it has started, or was removed",
  });
}

export function editQueueItem(state: QueueState, id: string, text: string): QueueState {
  const item = requireQueueItem(state, id);
  return { ...state, items: state.items.map((one) => (one.id === id ? { ...item, text } : one)) };
}

export function removeQueueItem(state: QueueState, id: string): QueueState {
  requireQueueItem(state, id);
  return { ...state, items: state.items.filter((one) => one.id !== id) };
}

/** Before another item, or to the end; as far as the order of kinds lets it go. */
export function moveQueueItem(state: QueueState, id: string, before: string | undefined): QueueState {
  const item = requireQueueItem(state, id);
  if (before === id) return state;
  const rest = state.items.filter((one) => one.id !== id);
  const wanted = before === undefined ? rest.length : rest.indexOf(requireQueueItem(state, before));
  const low = rest.findLastIndex((one) => RANK[one.kind] < RANK[item.kind]) + 1;
  const higher = rest.findIndex((one) => RANK[one.kind] > RANK[item.kind]);
  const at = Math.min(Math.max(wanted, low), higher < 0 ? rest.length : Math.max(higher, low));
  return { ...state, items: [...rest.slice(0, at), item, ...rest.slice(at)] };
}

/** Without the next steps of a goal that rests or is gone. */
export const withoutContinuations = (state: QueueState): QueueState =>
  state.items.some((one) => one.kind === "continuation")
    ? { ...state, items: state.items.filter((one) => one.kind !== "continuation") }
    : state;

export const paused = (state: QueueState, value: boolean): QueueState =>
  state.paused === value ? state : { ...state, paused: value };
