import type { BoardEvent } from "../../../contracts/board/board.js";
import type { Frame } from "../net/live.js";
import { cardsOf, unseen } from "../state/board/events.js";
import type { BoardState } from "../state/board/state.js";
import type { Store } from "../state/store.js";

export interface PageFeed {
  /** Take one frame of the stream. */
  frame(told: Frame): Promise<void>;
  /** A reading of the whole board begins; the answer gives the events that it may have missed, by the newest event that is in it. */
  mark(): (newest: number) => readonly BoardEvent[];
  /** Receive the events as they arrive, until the answer is called. */
  listen(listener: (events: readonly BoardEvent[]) => void): () => void;
}

interface FeedParts {
  readonly state: Store<BoardState>;
  refresh(ids: readonly string[]): Promise<void>;
  reload(): Promise<void>;
}

/** What the stream of a board's events does to the page: the cards that they touch are read again, once each. */
export function createPageFeed({ state, refresh, reload }: FeedParts): PageFeed {
  const listeners = new Set<(events: readonly BoardEvent[]) => void>();
  const recent = new Set<BoardEvent[]>();

  const heard = async (events: readonly BoardEvent[], cursor: number): Promise<void> => {
    const fresh = unseen(state.get().cursor, events);
    state.update((now) => (now.cursor < cursor ? { ...now, cursor } : now));
    if (fresh.length === 0) return;
    for (const list of recent) list.push(...fresh);
    const read = refresh([...cardsOf(state.get(), fresh)]);
    for (const listener of listeners) listener(fresh);
    await read;
  };
  return {
    async frame(told) {
      const cursor = Number(told["cursor"]);
      // The frames of the live stream carry events as the owner stores them.
      if (Array.isArray(told["events"])) return heard(told["events"] as readonly BoardEvent[], cursor);
      if (told["type"] === "hello" && cursor >= state.get().cursor) return refresh([]);
      // Events in between are gone, or the store was put back and tells less than this page has seen.
      state.update((now) => ({ ...now, cursor }));
      return reload();
    },
    mark() {
      const list: BoardEvent[] = [];
      recent.add(list);
      return (newest) => {
        recent.delete(list);
        return unseen(newest, list);
      };
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
