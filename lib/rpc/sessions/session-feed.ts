import type { Store, StoredEvent } from "../../../storage/store.js";
import type { EventSource } from "../../backplane/bus.js";
import { hydrate, hydrateFresh } from "../../chat/transcript/transcript-events.js";

/** The events of the session store as front ends get them: references to messages are the messages (core part, 1.4). */
export function shownSessions(store: Store, onError: (error: unknown) => void): EventSource {
  const shown = async (events: readonly StoredEvent[], read: typeof hydrate): Promise<StoredEvent[]> => {
    const bySeq = new Map((await read(store, events)).map((event) => [event.seq, event.data]));
    return events.map((event) => ({ ...event, payload: bySeq.get(event.seq) ?? event.payload }));
  };
  return {
    name: store.name,
    lastSeq: () => store.lastSeq(),
    events: async (after, limit) => shown(await store.events(after, limit), hydrate),
    onEvents: (listener) => {
      let tail: Promise<void> = Promise.resolve();
      return store.onEvents((events) => {
        tail = tail.then(async () => listener(await shown(events, hydrateFresh))).catch(onError);
      });
    },
  };
}
