import type { Store, StoredEvent } from "../../../storage/store.js";
import { streamWithLinkedSignal } from "../../base/async/abort-any.js";
import type { BoardSlug } from "../../base/units.js";
import type { BoardEvent } from "../../contracts/board/board.js";
import type { Core } from "../core/core.js";
import { fromStored } from "./read.js";

const PAGE = 500;

/** Stored and new events of a board, in order, until the signal aborts or the board is removed. */
export async function* events(
  core: Core,
  board: BoardSlug,
  after: number,
  signal: AbortSignal,
): AsyncIterable<BoardEvent> {
  const stored: NonNullable<Core["events"]> = (slug, since, until) =>
    streamWithLinkedSignal([until, core.gone(slug)], (either) => fromStore(core, slug, since, either));
  const source = core.events ?? stored;
  for await (const event of source(board, after, signal)) yield fromStored(event);
}

/** How often a board that was never written is looked at; reading it must not make it. */
const LOOK_MS = 500;

async function* fromStore(
  core: Core,
  board: BoardSlug,
  after: number,
  signal: AbortSignal,
): AsyncIterable<StoredEvent> {
  const store = await written(core, board, signal);
  if (store === undefined) return;
  const wakeup = createBell(store, signal);
  let cursor = after;
  try {
    while (!signal.aborted) {
      const heard = wakeup.next();
      const page = await store.events(cursor, PAGE);
      for (const event of page) {
        if (signal.aborted) return;
        cursor = event.seq;
        yield event;
      }
      if (page.length === 0) await heard;
    }
  } finally {
    wakeup.close();
  }
}

/** The store of a board as soon as it has one; undefined when the signal aborts first. */
async function written(core: Core, board: BoardSlug, signal: AbortSignal): Promise<Store | undefined> {
  while (!signal.aborted) {
    const store = await core.reading(board);
    if (store !== undefined) return store;
    await new Promise<void>((resolve) => {
      const cancel = core.clock.after(LOOK_MS, resolve);
      signal.addEventListener("abort", () => [cancel(), resolve()], { once: true });
    });
  }
  return undefined;
}

/** Rings at every commit with events, and at abort. */
function createBell(store: Store, signal: AbortSignal) {
  const waiting = new Set<() => void>();
  const strike = () => {
    for (const wake of waiting) wake();
    waiting.clear();
  };
  const silence = store.onEvents(strike);
  signal.addEventListener("abort", strike, { once: true });
  return {
    /** Ask before looking at the store: what is committed in between rings. */
    next: () =>
      new Promise<void>((resolve) => {
        waiting.add(resolve);
        if (signal.aborted) strike();
      }),
    close: () => {
      silence();
      strike();
      signal.removeEventListener("abort", strike);
    },
  };
}

/** Stored events above a cursor; none on a board that was never written. */
export async function eventsAfter(
  core: Core,
  board: BoardSlug,
  after: number,
  limit: number,
): Promise<readonly BoardEvent[]> {
  const store = await core.reading(board);
  return store === undefined ? [] : (await store.events(after, limit)).map(fromStored);
}

/** Newest event id of a board; 0 without events. */
export async function lastEvent(core: Core, board: BoardSlug): Promise<number> {
  const store = await core.reading(board);
  return store === undefined ? 0 : store.lastSeq();
}
