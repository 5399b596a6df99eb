import { useEffect, useMemo } from "preact/hooks";
import type { LogFilter } from "../../../contracts/ui/log-lines.js";
import { randomName } from "../net/random.js";
import { useServices } from "../services.js";
import { createStore } from "../state/store.js";
import { useStore } from "../state/use-store.js";
import { heardLine, NO_TAIL, type Tail, withOlderLines } from "./tail.js";

interface Tailed {
  readonly tail: Tail;
  readOlder(): Promise<void>;
}

const PAGE = 500;

/** The end of a log, followed as long as the component is shown. Undefined: nothing is followed. */
export function useTail(filter: LogFilter | undefined): Tailed {
  const { rpc } = useServices();
  const key = filter === undefined ? undefined : JSON.stringify(filter);
  const store = useMemo(() => createStore(NO_TAIL), [key]);
  useEffect(() => {
    if (key === undefined) return;
    // A topic of its own: it begins with the newest lines for this listener alone.
    const topic = `logs:${JSON.stringify({ who: randomName(), ...JSON.parse(key) })}`;
    return rpc.follow({
      topics: [topic],
      begin: () => undefined,
      heard: ({ event, data }) => store.update((now) => heardLine(now, event, data)),
    });
  }, [rpc, store, key]);
  return {
    tail: useStore(store, (now) => now),
    readOlder: async () => {
      const { before } = store.get();
      if (before === null || filter === undefined) return;
      const page = await rpc.call<Readonly<Record<string, unknown>>>("log.page", { filter, before, lines: PAGE });
      store.update((now) => withOlderLines(now, page));
    },
  };
}
