import type { SessionId } from "../base/units.js";
import type { ChatEvent } from "../proto/chat.js";
import type { Hub } from "./hub.js";

const MAX_LIVE = 10_000; // events one follower may be behind before the lossy ones are merged away

/** Durable events of one session after a cursor, in order. */
export type ReadEvents = (session: SessionId, after: number) => Promise<readonly ChatEvent[]>;

export interface Followed {
  readonly hub: Hub;
  readonly read: ReadEvents;
  readonly session: SessionId;
}

/**
 * Events of a session: the durable ones after `after` exactly once and in order, with the live ones between them. Ends on abort. A follower
 * that falls behind loses live events, never durable ones.
 */
export async function* followSession({ hub, read, session }: Followed, after: number, signal: AbortSignal): AsyncGenerator<ChatEvent> {
  let queue: ChatEvent[] = [];
  let wake: (() => void) | undefined;
  const stop = hub.follow(session, (event) => {
    queue.push(event);
    if (queue.length > MAX_LIVE) queue = queue.filter((one) => one.seq !== undefined);
    wake?.();
  });
  const onAbort = () => wake?.();
  signal.addEventListener("abort", onAbort, { once: true });
  let cursor = after;
  const isNew = (event: ChatEvent) => event.seq === undefined || event.seq > cursor;
  try {
    for (let page = await read(session, cursor); page.length > 0; page = await read(session, cursor)) {
      for (const event of page) {
        cursor = event.seq ?? cursor;
        yield event;
      }
    }
    while (!signal.aborted) {
      const batch = queue;
      queue = [];
      for (const event of batch.filter(isNew)) {
        cursor = event.seq ?? cursor;
        yield event;
      }
      if (queue.length > 0 || signal.aborted) continue;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
      wake = undefined;
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
    stop();
  }
}
