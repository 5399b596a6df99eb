import type { Store, StoredEvent } from "../../../storage/store.js";
import type { BoardSlug } from "../../base/units.js";
import type { WakeCause } from "./kernel.js";

/** Tells listeners, right after a commit, that the dispatcher has something to do. The durable events themselves are looked at. */
export interface Waker {
  /** Listen to a store; harmless twice. */
  watch(board: BoardSlug, store: Store): void;
  onWake(listener: (board: BoardSlug, cause: WakeCause) => void): () => void;
  /** Hears of each commit that wrote events, and of the events. */
  onCommit(listener: (board: BoardSlug, events: readonly StoredEvent[]) => void): () => void;
}

export function createWaker(): Waker {
  const watched = new WeakSet<Store>();
  const listeners = new Set<(board: BoardSlug, cause: WakeCause) => void>();
  const commits = new Set<(board: BoardSlug, events: readonly StoredEvent[]) => void>();
  const heard = (board: BoardSlug, events: readonly StoredEvent[]) => {
    const causes = new Set(events.flatMap(causesOf));
    for (const cause of causes) for (const listener of listeners) listener(board, cause);
    for (const listener of commits) listener(board, events);
  };
  return {
    watch: (board, store) => {
      if (watched.has(store)) return;
      watched.add(store);
      store.onEvents((events) => heard(board, events));
    },
    onCommit: (listener) => {
      commits.add(listener);
      return () => commits.delete(listener);
    },
    onWake: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

const endsRun = (event: StoredEvent) => event.payload["from"] === "running" && event.payload["to"] !== "running";

function causesOf(event: StoredEvent): WakeCause[] {
  const causes: WakeCause[] = [];
  if (event.payload["to"] === "ready") causes.push("ready");
  if (endsRun(event)) causes.push("closed");
  if (event.payload["to"] === "scheduled") causes.push("deadline");
  if (event.kind === "assigned" || event.kind === "edited") causes.push("assigned");
  if (event.kind === "board_resumed") causes.push("resumed");
  if (event.kind === "spawned") causes.push("bound");
  // A task that is no longer left to others, a cap that was raised.
  if (event.kind === "edited" || event.kind === "board_updated") causes.push("changed");
  return causes;
}
