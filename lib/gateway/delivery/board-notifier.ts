import type { Notifier } from "../../contracts/board/notifier.js";

/** How the board's ledger reaches chats: through the gateway of this process, while one runs. */
export interface BoardNotifier {
  readonly notifier: Notifier;
  /** A gateway runs from now on. The returned function ends that. */
  attach(gateway: Notifier): () => void;
}

/** Nothing of the gateway is loaded before one is there; until then everything waits. */
export function createBoardNotifier(): BoardNotifier {
  const listeners = new Set<() => void>();
  const tell = () => {
    for (const listener of listeners) listener();
  };
  let live: Notifier | undefined;
  return {
    notifier: {
      reach: (route) => live?.reach(route),
      hand: async (notice, signal) =>
        (await live?.hand(notice, signal)) ?? { result: "failed", error: "no gateway runs" },
      recall: async (key) => (await live?.recall(key)) ?? { result: "unknown", error: "no gateway runs" },
      onChange: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    attach: (gateway) => {
      live = gateway;
      const unwatch = gateway.onChange(tell);
      tell();
      return () => {
        unwatch();
        if (live === gateway) live = undefined;
      };
    },
  };
}
