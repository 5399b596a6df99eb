import { AppError, toAppError, toWireError } from "../base/errors.js";
import type { Log } from "../base/log/log.js";
import { type Subscribed, subscribeSchema, topicsSchema, unsubscribeSchema } from "../contracts/wire/wire.js";
import type { Bus, LiveDelta } from "./bus.js";
import type { Connection } from "./connection.js";
import { createPendingDeltas } from "./deltas.js";
import type { CursorItem } from "./feed.js";
import { parseParams } from "./params.js";
import { inBatches } from "./wire-events.js";

/** What one client follows. */
export interface Following {
  /** `events.subscribe`, `events.unsubscribe`, `topics.follow`, `topics.unfollow`. */
  call(id: number, method: string, params: unknown): Promise<unknown>;
  /** The answer to request `id` has been sent: the subscription that it announced begins. */
  answered(id: number): void;
  close(): void;
}

/** Subscriptions of one client. */
const SUBSCRIPTIONS_MAX = 64;
const TOPICS_MAX = 256;
/** Events of one message. Well below the largest message, so that a slow client is served in small portions. */
const BATCH_BYTES = 256 << 10;

interface Own {
  readonly bus: Bus;
  readonly connection: Connection;
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly subs: Map<number, AbortController>;
  readonly starting: Map<number, () => void>;
  lastSub: number;
}

/** Nothing followed yet. Events and deltas wait here for a slow client, never anywhere else. */
export function createFollowing(bus: Bus, connection: Connection, signal: AbortSignal, log: Log): Following {
  const own: Own = { bus, connection, signal, log, subs: new Map(), starting: new Map(), lastSub: 0 };
  const topics = createTopics(bus, connection);
  const calls: Record<string, (params: unknown, id: number) => Promise<unknown>> = {
    "events.subscribe": (params, id) => subscribe(own, params, id),
    "events.unsubscribe": async (params) => unsubscribe(own, params),
    "topics.follow": async (params) => topics.follow(parseParams(topicsSchema, params).topics),
    "topics.unfollow": async (params) => topics.unfollow(parseParams(topicsSchema, params).topics),
  };
  return {
    call: async (id, method, params) => await calls[method]?.(params, id),
    answered: (id) => {
      const begin = own.starting.get(id);
      own.starting.delete(id);
      begin?.();
    },
    close: () => {
      topics.close();
      for (const control of own.subs.values()) control.abort();
      own.subs.clear();
      own.starting.clear();
    },
  };
}

async function subscribe(own: Own, params: unknown, id: number): Promise<Subscribed> {
  const { store, after_seq } = parseParams(subscribeSchema, params);
  if (own.subs.size >= SUBSCRIPTIONS_MAX)
    throw new AppError("E_BUSY", `too many subscriptions of this client (limit ${SUBSCRIPTIONS_MAX})`, {
      bound: SUBSCRIPTIONS_MAX,
    });
  const last = await own.bus.lastSeq(store);
  const after = after_seq ?? last;
  own.lastSub += 1;
  const sub = own.lastSub;
  const control = new AbortController();
  if (own.signal.aborted) control.abort();
  own.subs.set(sub, control);
  // The answer must leave first: before it the client does not know the number.
  own.starting.set(id, () => {
    pump(own, sub, own.bus.follow(store, after, control.signal), control.signal).catch((error: unknown) => {
      own.log.error("subscription failed", { store, error: toAppError(error).message });
      own.connection.destroy();
    });
  });
  return { sub, after_seq: after };
}

async function pump(own: Own, sub: number, items: AsyncIterable<CursorItem>, signal: AbortSignal): Promise<void> {
  try {
    for await (const item of items) {
      if (signal.aborted) break;
      if (item.kind === "reset") own.connection.send(JSON.stringify({ sub, reset: { last_seq: item.lastSeq } }));
      else await sendEvents(own, sub, item, signal);
    }
    if (!signal.aborted) ended(own, sub, new AppError("E_NOT_FOUND", "the store is closed"));
  } catch (error) {
    ended(own, sub, error);
  } finally {
    own.subs.delete(sub);
  }
}

async function sendEvents(
  own: Own,
  sub: number,
  item: Extract<CursorItem, { kind: "events" }>,
  signal: AbortSignal,
): Promise<void> {
  for (const batch of inBatches(item.events, BATCH_BYTES)) {
    await own.connection.room();
    if (signal.aborted) return;
    own.connection.send(`{"sub":${sub},"events":${batch}}`);
  }
}

function ended(own: Own, sub: number, error: unknown): void {
  own.connection.send(JSON.stringify({ sub, ended: toWireError(error) }));
}

function unsubscribe(own: Own, params: unknown): { ok: boolean } {
  const { sub } = parseParams(unsubscribeSchema, params);
  const control = own.subs.get(sub);
  control?.abort();
  own.subs.delete(sub);
  return { ok: control !== undefined };
}

/** Deltas go straight to a client with room; a slow one gets the newest when it has room again. */
function createTopics(bus: Bus, connection: Connection) {
  const followed = new Map<string, () => void>();
  const pending = createPendingDeltas();
  const send = (topic: string, delta: LiveDelta) => connection.send(JSON.stringify({ topic, ...delta }));
  const told = (topic: string, delta: LiveDelta) => {
    if (connection.hasRoom()) send(topic, delta);
    else pending.add(topic, delta);
  };
  connection.onRoom(() => {
    for (const { topic, delta } of pending.take()) send(topic, delta);
  });
  return {
    follow: (topics: readonly string[]) => {
      const added = topics.filter((topic) => !followed.has(topic));
      if (followed.size + added.length > TOPICS_MAX)
        throw new AppError("E_BUSY", `too many topics of this client (limit ${followed.size})`, { bound: TOPICS_MAX });
      for (const topic of added)
        followed.set(
          topic,
          bus.onDelta(topic, (delta) => told(topic, delta)),
        );
      return { ok: true };
    },
    unfollow: (topics: readonly string[]) => {
      for (const topic of topics) {
        followed.get(topic)?.();
        followed.delete(topic);
      }
      return { ok: true };
    },
    close: () => {
      for (const unlisten of followed.values()) unlisten();
      followed.clear();
      pending.take();
    },
  };
}
