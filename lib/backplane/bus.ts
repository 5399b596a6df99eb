import type { Store, StoredEvent } from "../../storage/store.js";
import { AppError } from "../base/errors.js";
import type { WireEvent } from "../contracts/wire/wire.js";
import { type CursorItem, createStoreFeed, type StoreFeed } from "./feed.js";

/** What the bus needs of a store. */
export type EventSource = Pick<Store, "name" | "events" | "lastSeq" | "onEvents">;

/** An event that describes the present only. */
export type LiveDelta = Omit<WireEvent, "seq" | "store">;

/**
 * Events of the owner, in two qualities. Durable events live in the stores and are followed by cursor: nothing is dropped, and a slow
 * follower reads from the store instead of filling memory. Deltas are sent once to each listener.
 */
export interface Bus {
  /** Follow this store's events from now on. The returned function ends all its followers and forgets it. */
  addStore(source: EventSource): () => void;
  /** Names of the stores. */
  stores(): readonly string[];
  /** A store that was not used yet: `open` makes it one of the bus, or the name is unknown. */
  onMissing(open: (store: string) => Promise<void>): void;
  /** Newest durable seq. A store that was not used yet is opened. @throws E_NOT_FOUND unknown store */
  lastSeq(store: string): Promise<number>;
  /**
   * Events with `seq > after`, each exactly once and in order, then live ones; ends on abort and when the store is removed.
   *
   * @throws E_NOT_FOUND unknown store
   * @throws E_STATE the cursor lies ahead of the store
   */
  after(store: string, seq: number, signal: AbortSignal): AsyncIterable<StoredEvent>;
  /** The same in batches, with `reset` in place of events that were pruned and for a cursor that lies ahead. */
  follow(store: string, seq: number, signal: AbortSignal): AsyncIterable<CursorItem>;
  /** Tell the listeners of `topic`. Listeners must return at once; one that throws is a defect. */
  delta(topic: string, payload: LiveDelta): void;
  onDelta(topic: string, listener: (payload: LiveDelta) => void): () => void;
  /** Topics that begin with `prefix` are made while they have listeners: `begin` runs for the first one, what it gives after the last has gone. */
  makeTopics(prefix: string, begin: (topic: string) => () => void): void;
}

/** An empty bus. */
export function createBus(): Bus {
  const feeds = new Map<string, StoreFeed>();
  const topics = new Map<string, Topic>();
  const makers = new Map<string, (topic: string) => () => void>();
  let missing: (store: string) => Promise<void> = () => Promise.resolve();
  const feedOf = (store: string): StoreFeed => {
    const feed = feeds.get(store);
    if (!feed) throw new AppError("E_NOT_FOUND", `no open store named ${store}`, { store, stores: [...feeds.keys()] });
    return feed;
  };
  return {
    addStore: (source) => {
      const feed = createStoreFeed(source);
      feeds.set(source.name, feed);
      return () => {
        feed.close();
        if (feeds.get(source.name) === feed) feeds.delete(source.name);
      };
    },
    stores: () => [...feeds.keys()],
    onMissing: (open) => {
      missing = open;
    },
    lastSeq: async (store) => {
      if (!feeds.has(store)) await missing(store);
      return feedOf(store).lastSeq();
    },
    follow: (store, seq, signal) => feedOf(store).follow(seq, signal),
    after: (store, seq, signal) => flat(store, feedOf(store).follow(seq, signal), seq),
    delta: (topic, payload) => {
      for (const listener of [...(topics.get(topic)?.listeners ?? [])]) listener(payload);
    },
    onDelta: (topic, listener) => {
      const known = topics.get(topic);
      const mine: Topic = known ?? { listeners: new Set(), end: undefined };
      mine.listeners.add(listener);
      topics.set(topic, mine);
      if (known === undefined) mine.end = [...makers].find(([prefix]) => topic.startsWith(prefix))?.[1](topic);
      return () => {
        mine.listeners.delete(listener);
        if (mine.listeners.size > 0 || topics.get(topic) !== mine) return;
        topics.delete(topic);
        mine.end?.();
      };
    },
    makeTopics: (prefix, begin) => {
      makers.set(prefix, begin);
    },
  };
}

interface Topic {
  readonly listeners: Set<(payload: LiveDelta) => void>;
  end: (() => void) | undefined;
}

async function* flat(store: string, items: AsyncIterable<CursorItem>, after: number): AsyncGenerator<StoredEvent> {
  for await (const item of items) {
    if (item.kind === "events") yield* item.events;
    else
      throw new AppError("E_STATE", `event ${after} of ${store} is not a valid cursor: pruned, or in the future`, {
        store,
        last_seq: item.lastSeq,
      });
  }
}
