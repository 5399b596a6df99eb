import type { Store, StoredEvent } from "../../storage/store.js";
import { streamWithLinkedSignal } from "../base/async/abort-any.js";

type Source = Pick<Store, "name" | "events" | "lastSeq" | "onEvents">;

/** What a follower gets: the next events, or the news that its cursor is useless and that it continues after `lastSeq`. */
export type CursorItem =
  | { readonly kind: "events"; readonly events: readonly StoredEvent[] }
  | { readonly kind: "reset"; readonly lastSeq: number };

/** The durable events of one store, for any number of followers. */
export interface StoreFeed {
  lastSeq(): Promise<number>;
  follow(after: number, signal: AbortSignal): AsyncGenerator<CursorItem>;
  /** End every follower. */
  close(): void;
}

/** Events read from the store at once. */
const PAGE = 256;
/** Live events that wait for one follower; above, it reads from the store by cursor again. */
const LIVE_MAX = 1024;

interface Follower {
  live: StoredEvent[];
  /** Live events were dropped, so the store must be read. */
  behind: boolean;
  wake: () => void;
}

/** One listener on the store, however many follow; none without followers: giving events their shown form takes time of their maker. */
export function createStoreFeed(source: Source): StoreFeed {
  const followers = new Set<Follower>();
  const control = new AbortController();
  let unlisten: (() => void) | undefined;
  const hear = (events: readonly StoredEvent[]) => {
    for (const follower of followers) offer(follower, events);
  };
  const join = (follower: Follower) => {
    followers.add(follower);
    if (!control.signal.aborted) unlisten ??= source.onEvents(hear);
    return () => {
      followers.delete(follower);
      if (followers.size === 0) silence();
    };
  };
  const silence = () => {
    unlisten?.();
    unlisten = undefined;
  };
  return {
    lastSeq: () => source.lastSeq(),
    follow: (after, signal) =>
      streamWithLinkedSignal([signal, control.signal], (either) => follow({ source, join, signal: either }, after)),
    close: () => {
      silence();
      control.abort();
    },
  };
}

function offer(follower: Follower, events: readonly StoredEvent[]): void {
  if (!follower.behind && follower.live.length + events.length <= LIVE_MAX) follower.live.push(...events);
  else {
    follower.live = [];
    follower.behind = true;
  }
  follower.wake();
}

interface Following {
  readonly source: Source;
  /** @returns what ends it */
  readonly join: (follower: Follower) => () => void;
  readonly signal: AbortSignal;
}

async function* follow(own: Following, after: number): AsyncGenerator<CursorItem> {
  // The listener comes before the first read: what becomes durable in between is in one of the two, and the cursor drops what is in both.
  const follower: Follower = { live: [], behind: true, wake: () => undefined };
  const leave = own.join(follower);
  try {
    let cursor = after;
    const usable = await checkCursor(own.source, cursor);
    if (usable !== undefined) {
      cursor = usable;
      yield { kind: "reset", lastSeq: cursor };
    }
    while (!own.signal.aborted) {
      const events = await next(own, follower, cursor);
      const last = events.at(-1);
      if (!last) continue;
      cursor = last.seq;
      yield { kind: "events", events };
    }
  } finally {
    leave();
  }
}

/** The seq to continue after, when `cursor` is useless: it lies ahead, or the events after it were pruned. */
async function checkCursor(source: Source, cursor: number): Promise<number | undefined> {
  const last = await source.lastSeq();
  if (cursor === last) return undefined;
  if (cursor > last) return last;
  const oldest = (await source.events(0, 1)).at(0)?.seq;
  return oldest === undefined || oldest > cursor + 1 ? last : undefined;
}

/** The next events after `cursor`, from memory when nothing was dropped, else from the store; empty when there may be more later. */
async function next(own: Following, follower: Follower, cursor: number): Promise<readonly StoredEvent[]> {
  if (follower.behind || hasGap(follower, cursor)) {
    follower.behind = false;
    follower.live = [];
    const page = await own.source.events(cursor, PAGE);
    if (page.length === PAGE) follower.behind = true;
    return page;
  }
  if (follower.live.length === 0) {
    await woken(follower, own.signal);
    return []; // what woke it may lie behind a gap
  }
  return follower.live.splice(0, PAGE).filter((event) => event.seq > cursor);
}

/** The source did not tell of a commit, so the store is asked: seq has no gaps among live events. */
function hasGap(follower: Follower, cursor: number): boolean {
  const first = follower.live.find((event) => event.seq > cursor);
  return first !== undefined && first.seq !== cursor + 1;
}

function woken(follower: Follower, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      signal.removeEventListener("abort", done);
      follower.wake = () => undefined;
      resolve();
    };
    follower.wake = done;
    signal.addEventListener("abort", done, { once: true });
    if (signal.aborted) done();
  });
}
