import type { BoardEvent } from "../../../contracts/board/board.js";
import type { BoardView } from "../../../contracts/board/explain.js";
import { cardsOf } from "../state/board/events.js";
import { toLoadedBoard } from "../state/board/patch.js";
import type { BoardState } from "../state/board/state.js";
import type { Store } from "../state/store.js";

/** How much of a board is read. */
export interface Extent {
  readonly archived: boolean;
  /** Cards of each column. */
  readonly limit: number;
}

interface ReaderParts {
  readonly state: Store<BoardState>;
  ask(extent: Extent): Promise<BoardView>;
  /** A reading begins; the answer gives the events that it may have missed, by the newest that is in it. */
  mark(): (newest: number) => readonly BoardEvent[];
  refresh(ids: readonly string[]): Promise<void>;
  /** Milliseconds of this clock. */
  now(): number;
}

/** Reads the whole board, as much of it as was asked for last. Of several readings at once the last one counts, and all wait for it. */
export function boardReader(parts: ReaderParts, first: Extent): (more?: Partial<Extent>) => Promise<void> {
  let extent = first;
  let newest: Promise<void> | undefined;
  const read = async (counts: () => boolean): Promise<void> => {
    const missed = parts.mark();
    const view = await parts.ask(extent).catch((error: unknown) => {
      missed(0);
      throw error;
    });
    const late = missed(view.latest_event_id);
    if (!counts()) return newest;
    parts.state.update(({ cursor }) => {
      const fresh = toLoadedBoard(view, parts.now() / 1000);
      return { ...fresh, cursor: Math.max(fresh.cursor, cursor) };
    });
    if (late.length > 0) await parts.refresh([...cardsOf(parts.state.get(), late)]);
  };
  return (more = {}) => {
    extent = { ...extent, ...more };
    const mine: Promise<void> = read(() => newest === mine);
    newest = mine;
    return mine;
  };
}
