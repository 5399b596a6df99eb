import type { Log } from "../lib/base/log/log.js";
import type { StoredEvent } from "./store.js";

type Listener = (events: readonly StoredEvent[]) => void;

/** Listeners of a store. One that throws is logged and does not keep the others from hearing. */
export function notifier(
  name: string,
  log: Log,
): { add(listener: Listener): () => void; tell(events: readonly StoredEvent[]): void } {
  const listeners = new Set<{ readonly hear: Listener }>();
  return {
    add: (listener) => {
      const entry = { hear: listener };
      listeners.add(entry);
      return () => {
        listeners.delete(entry);
      };
    },
    tell: (events) => {
      for (const { hear } of [...listeners]) {
        try {
          hear(events);
        } catch (error) {
          log.error("a listener failed", { store: name, why: error instanceof Error ? error.message : String(error) });
        }
      }
    },
  };
}
