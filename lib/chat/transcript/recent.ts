import type { Store } from "../../../storage/store.js";
import type { MessageRecord } from "../../contracts/chat/chat.js";

/** Messages that are kept of each store, and the longest content among them in characters: half a megabyte in all. */
const KEPT = 16;
const LONGEST = 32_000;

const byStore = new WeakMap<Store, Map<number, MessageRecord>>();

/**
 * Keep what was just stored until its events are shown: they hold references, and reading the messages again would go through the store while
 * the turn wants to write its next one there. Only a help; a reader that does not find a message here reads it.
 */
export function keepRecent(store: Store, messages: readonly MessageRecord[]): void {
  const kept = byStore.get(store) ?? new Map<number, MessageRecord>();
  byStore.set(store, kept);
  for (const message of messages) if (message.content.length <= LONGEST) kept.set(message.id, message);
  for (const id of kept.keys()) {
    if (kept.size <= KEPT) return;
    kept.delete(id);
  }
}

/** A message as it was stored a moment ago. */
export function recentMessage(store: Store, id: number): MessageRecord | undefined {
  return byStore.get(store)?.get(id);
}
