import type { InboxRow } from "../../contracts/board/platform-tag.js";
import type { Inbox } from "./inbox.js";

/** Rows that have to be looked at: those that the inbox reports, and from the store those that it did not report. */
export interface Arrivals {
  /** There are rows to be had, or may be. */
  readonly more: boolean;
  /** Look into the store the next time: at the start, after a failure, and once in a while. */
  again(): void;
  /**
   * Oldest first. What is worked on may be among them.
   *
   * @param free rows that can be worked on, beside those, `busy` of them, that are worked on already
   * @throws E_STORE; the next call tries again
   */
  next(free: number, busy: number): Promise<readonly InboxRow[]>;
  stop(): void;
}

/** Rows that came and wait to be fetched; above that they are read from the store. */
const FRESH = 1_000;

export function createArrivals(inbox: Pick<Inbox, "onArrival" | "received">, ring: () => void): Arrivals {
  let fresh: InboxRow[] = [];
  let unread = true;
  /** Rows up to here were read from the store, or came before that. */
  let readTo = 0;
  const unknown = (rows: readonly InboxRow[]) => rows.filter(({ seq }) => seq > readTo);
  const stop = inbox.onArrival((rows) => {
    if (fresh.length + rows.length > FRESH) unread = true;
    else fresh.push(...unknown(rows));
    ring();
  });
  const read = async (most: number): Promise<readonly InboxRow[]> => {
    unread = true;
    fresh = []; // they are durable: they are read
    const rows = await inbox.received(most);
    if (rows.length < most) unread = false;
    readTo = Math.max(readTo, rows.at(-1)?.seq ?? 0);
    fresh = unknown(fresh);
    return rows;
  };
  return {
    get more() {
      return unread || fresh.length > 0;
    },
    again: () => {
      unread = true;
    },
    next: async (free, busy) => (unread ? read(busy + free) : fresh.splice(0, free)),
    stop,
  };
}
