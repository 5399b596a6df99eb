import type { StoredEvent } from "../../../storage/store.js";
import type { AttachedClient, Carrier } from "../../contracts/owner/door.js";

/** Durable events of the owner, in order; or the news that the events after the cursor are not there, and that those after `lastSeq` follow. */
export type LiveItem =
  | { readonly kind: "events"; readonly events: readonly StoredEvent[] }
  | { readonly kind: "reset"; readonly lastSeq: number };

/** What live services get of the owner's bus and door. */
export interface LivePort {
  /** Newest event of a store. @throws E_NOT_FOUND for one that was not written yet */
  lastSeq(store: string): Promise<number>;
  /** Events with `seq > after` as they become durable. Ends on abort and when the store is closed. @throws E_NOT_FOUND */
  follow(store: string, after: number, signal: AbortSignal): AsyncIterable<LiveItem>;
  /** Called with the name of each store that is opened from now on. The result forgets the listener. */
  onOpened(listener: (store: string) => void): () => void;
  /** A new client of the owner, that has the rights of a front end. */
  attach(carrier: Carrier): Promise<AttachedClient>;
}
