import type { Query, Store, Tx } from "../../../storage/store.js";
import * as lineage from "../../../storage/tables/sessions/lineage.js";
import type { EpochMs, SessionId } from "../../base/units.js";
import type { QueueItem, QueueState } from "../../contracts/chat/queue.js";
import { EMPTY_QUEUE, first, parseQueue, removeQueueItem, requireQueueItem } from "./queue.js";

const QUEUE = "queue";
/** Record of words for the running turn that no tool result has taken yet. */
export const STEER = "steer";

/** Where the queue of a conversation is kept, and the session under which its changes are reported. */
export interface QueuePlace {
  readonly root: SessionId;
  readonly session: SessionId;
  readonly at: EpochMs;
}

export const readQueue = (store: Store, root: SessionId): Promise<QueueState> => store.read((q) => queueIn(q, root));

const queueIn = async (q: Query, root: SessionId): Promise<QueueState> => parseQueue(await lineage.get(q, root, QUEUE));

/** What waits in any lineage and holds these words, which JSON writes as they are. */
export const waitingWith = (store: Store, words: string): Promise<readonly string[]> =>
  store.read(async (q) => {
    const queues = await lineage.holding(q, QUEUE, words);
    const steered = await lineage.holding(q, STEER, words);
    return [
      ...queues.flatMap((json) => parseQueue(json).items.map(({ text }) => text)),
      ...steered.map((json) => String(JSON.parse(json))),
    ];
  });

/** Change the queue in one transaction and tell it. `change` may run twice. @returns the queue as it is then */
export function changeQueue(
  store: Store,
  place: QueuePlace,
  change: (state: QueueState) => QueueState,
): Promise<QueueState> {
  return store.write("chat.queue", (tx) => changeIn(tx, place, change));
}

async function changeIn(tx: Tx, place: QueuePlace, change: (state: QueueState) => QueueState): Promise<QueueState> {
  const before = await queueIn(tx, place.root);
  const next = change(before);
  if (next === before) return before;
  await keep(tx, place, next);
  return next;
}

async function keep(tx: Tx, { root, session, at }: QueuePlace, state: QueueState): Promise<void> {
  if (state.items.length === 0 && !state.paused) await lineage.remove(tx, root, QUEUE);
  else await lineage.set(tx, { root, name: QUEUE, json: JSON.stringify(state) }, at);
  tx.emit({ kind: "queue.changed", at, session, payload: { ...state } });
}

/** The turn that an item becomes begins: it leaves the queue with the commit that stores its message. @throws E_NOT_FOUND */
export async function takeItem(tx: Tx, place: QueuePlace, item: string): Promise<void> {
  const before = await queueIn(tx, place.root);
  const left = removeQueueItem(before, item);
  await keep(tx, place, left.items.length === 0 ? EMPTY_QUEUE : left);
}

/** Words for the running turn are durable until a tool result takes them. */
export function keepSteer(
  store: Store,
  place: QueuePlace,
  said: { readonly all: string; readonly added: string },
): Promise<void> {
  return store.write("chat.steer", async (tx) => {
    await lineage.set(tx, { root: place.root, name: STEER, json: JSON.stringify(said.all) }, place.at);
    tx.emit({ kind: "steer.accepted", at: place.at, session: place.session, payload: { text: said.added } });
  });
}

/** An item of the queue becomes words for the running turn. `all`: with those that wait already. */
export function steerItem(store: Store, place: QueuePlace, item: string, all: string): Promise<QueueItem> {
  return store.write("chat.steer", async (tx) => {
    const before = await queueIn(tx, place.root);
    const found = requireQueueItem(before, item);
    await keep(tx, place, removeQueueItem(before, item));
    await lineage.set(tx, { root: place.root, name: STEER, json: JSON.stringify(all) }, place.at);
    tx.emit({ kind: "steer.accepted", at: place.at, session: place.session, payload: { text: found.text } });
    return found;
  });
}

/** Words that no tool result took come first in the queue. */
export function returnSteer(
  store: Store,
  place: QueuePlace,
  words: { readonly id: string; readonly text: string },
): Promise<void> {
  return store.write("chat.steer", (tx) => returnIn(tx, place, words));
}

async function returnIn(
  tx: Tx,
  place: QueuePlace,
  { id, text }: { readonly id: string; readonly text: string },
): Promise<void> {
  await lineage.remove(tx, place.root, STEER);
  await keep(tx, place, first(await queueIn(tx, place.root), steered(id, text, place.at)));
}

const steered = (id: string, text: string, at: EpochMs): QueueItem => ({
  id,
  text,
  attachments: [],
  source: "steer",
  by: "user",
  created_at: at,
  kind: "message" as const,
});

/** A turn was cut off by the end of its owner: words that it did not take come first in the queue (core part, 2.6). */
export async function recoverSteer(tx: Tx, place: QueuePlace, id: string): Promise<void> {
  const json = await lineage.get(tx, place.root, STEER);
  if (json !== undefined) await returnIn(tx, place, { id, text: String(JSON.parse(json)) }); // written by this file
}
