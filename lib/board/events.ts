import type { Store, StoredEvent } from "../../storage/store.js";
import type { BoardSlug } from "../base/units.js";
import type { BoardEvent } from "../proto/board.js";
import type { Core } from "./core.js";
import { fromStored } from "./read.js";

const PAGE = 500;

/** Stored and new events of a board, in order, until the signal aborts. */
export async function* events(core: Core, board: BoardSlug, after: number, signal: AbortSignal): AsyncIterable<BoardEvent> {
  const source = core.events ?? ((slug, since, until) => fromStore(core, slug, since, until));
  for await (const event of source(board, after, signal)) yield fromStored(event);
}

async function* fromStore(core: Core, board: BoardSlug, after: number, signal: AbortSignal): AsyncIterable<StoredEvent> {
  const store = await core.making(board);
  const bell = createBell(store, signal);
  let cursor = after;
  try {
    while (!signal.aborted) {
      const heard = bell.next();
      const page = await store.events(cursor, PAGE);
      for (const event of page) {
        if (signal.aborted) return;
        cursor = event.seq;
        yield event;
      }
      if (page.length === 0) await heard;
    }
  } finally {
    bell.close();
  }
}

/** Rings at every commit with events, and at abort. */
function createBell(store: Store, signal: AbortSignal) {
  let ring = () => undefined as void;
  let next = new Promise<void>((resolve) => {
    ring = resolve;
  });
  const strike = () => {
    ring();
    next = new Promise<void>((resolve) => {
      ring = resolve;
    });
  };
  const silence = store.onEvents(strike);
  signal.addEventListener("abort", strike, { once: true });
  return {
    next: () => next,
    close: () => {
      silence();
      signal.removeEventListener("abort", strike);
    },
  };
}

/** Stored events above a cursor; none on a board that was never written. */
export async function eventsAfter(core: Core, board: BoardSlug, after: number, limit: number): Promise<readonly BoardEvent[]> {
  const store = await core.reading(board);
  return store === undefined ? [] : (await store.events(after, limit)).map(fromStored);
}

/** Newest event id of a board; 0 when there is none. */
export async function lastEvent(core: Core, board: BoardSlug): Promise<number> {
  const store = await core.reading(board);
  return store === undefined ? 0 : store.lastSeq();
}
