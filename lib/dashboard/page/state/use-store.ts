import { useEffect, useReducer, useRef } from "preact/hooks";
import type { Store } from "./store.js";

/** What `pick` takes out of a store; the component is shown again when, and only when, that changes. `pick` gives the same thing for the same state. */
export function useStore<S, T>(store: Store<S>, pick: (state: S) => T): T {
  const [, again] = useReducer<number, undefined>((n) => n + 1, 0);
  const latest = useRef({ pick, shown: pick(store.get()) });
  latest.current = { pick, shown: pick(store.get()) };
  useEffect(() => {
    const look = (): void => {
      const { pick: newest, shown } = latest.current;
      if (!Object.is(newest(store.get()), shown)) again(undefined);
    };
    // What has changed between the first showing and this moment is seen too.
    look();
    return store.subscribe(look);
  }, [store]);
  return latest.current.shown;
}
