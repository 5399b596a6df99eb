import type { SessionId } from "../../base/units.js";
import type { ChatEvent } from "../../contracts/chat/chat.js";
import { segmentAfter } from "../../contracts/chat/compaction-lines.js";
import type { Hub } from "./hub.js";

const MAX_LIVE = 10_000; // events one follower may be behind before the lossy ones are merged away

/** Durable events of one session after a cursor, in order. */
export type ReadEvents = (session: SessionId, after: number) => Promise<readonly ChatEvent[]>;

export interface Followed {
  readonly hub: Hub;
  readonly read: ReadEvents;
  readonly session: SessionId;
  /** The segment in which the conversation of a session goes on now; itself where it does. */
  current?(session: SessionId): Promise<SessionId>;
}

/**
 * Events of a session: the durable ones after `after` exactly once and in order, with the live ones between them. Ends on abort. A follower
 * that falls behind loses live events, never durable ones. A conversation that goes on in another segment is followed there.
 */
export async function* followSession(
  followed: Followed,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<ChatEvent> {
  let place: Place | undefined = { session: followed.session, cursor: after };
  while (place !== undefined) place = yield* followSegment(followed, place, signal);
}

/** Durable events of a session after `after` that are stored by now, in order, those of the segments that it went on in as well. */
export async function* readStored(
  { read, session, current }: Omit<Followed, "hub">,
  after: number,
): AsyncGenerator<ChatEvent> {
  let segment = session;
  let cursor = after;
  for (;;) {
    const page = await read(segment, cursor);
    for (const event of page) {
      cursor = event.seq ?? cursor;
      yield event;
      segment = segmentAfter(event.event, event.data) ?? segment;
    }
    if (page.length > 0) continue;
    const now = (await current?.(segment)) ?? segment;
    if (now === segment) return;
    segment = now;
  }
}

interface Place {
  readonly session: SessionId;
  readonly cursor: number;
}

/** @returns where it continues; undefined when the listener has left */
async function* followSegment(
  { hub, read, current }: Followed,
  { session, cursor: after }: Place,
  signal: AbortSignal,
): AsyncGenerator<ChatEvent, Place | undefined> {
  const live = listen(hub, session, signal);
  let cursor = after;
  try {
    for (let now = session, page = await read(session, cursor); ; page = await read(session, cursor)) {
      for (const event of page) {
        cursor = event.seq ?? cursor;
        yield event;
        const next = segmentAfter(event.event, event.data);
        if (next !== undefined) return { session: next, cursor };
      }
      if (page.length > 0) continue;
      // It may have gone on before the cursor: then nothing tells of it any more. What tells of it now is read once more.
      if (now !== session) return { session: now, cursor };
      now = (await current?.(session)) ?? session;
      if (now === session) break;
    }
    while (!signal.aborted) {
      for (const event of live.take()) {
        if (event.seq !== undefined && event.seq <= cursor) continue;
        cursor = event.seq ?? cursor;
        yield event;
        const next = segmentAfter(event.event, event.data);
        if (next !== undefined) return { session: next, cursor };
      }
      await live.more();
    }
    return undefined;
  } finally {
    live.stop();
  }
}

interface Listening {
  take(): readonly ChatEvent[];
  /** Resolves when there is something to take, or the listener has left. */
  more(): Promise<void>;
  stop(): void;
}

function listen(hub: Hub, session: SessionId, signal: AbortSignal): Listening {
  let queue: ChatEvent[] = [];
  let wake: (() => void) | undefined;
  const stop = hub.follow(session, (event) => {
    queue.push(event);
    if (queue.length > MAX_LIVE) queue = queue.filter((one) => one.seq !== undefined);
    wake?.();
  });
  const onAbort = () => wake?.();
  signal.addEventListener("abort", onAbort, { once: true });
  return {
    take: () => {
      const batch = queue;
      queue = [];
      return batch;
    },
    more: async () => {
      if (queue.length > 0 || signal.aborted) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
      wake = undefined;
    },
    stop: () => {
      signal.removeEventListener("abort", onAbort);
      stop();
    },
  };
}
