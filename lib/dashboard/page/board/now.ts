import { useEffect, useState } from "preact/hooks";
import { useBoardState } from "./board-context.js";

/** How often ages are shown again. */
const EVERY_MS = 20_000;

const clock = { listeners: new Set<() => void>(), timer: undefined as ReturnType<typeof setInterval> | undefined };

const tick = (): void => {
  for (const listener of clock.listeners) listener();
};

function listen(listener: () => void): () => void {
  clock.listeners.add(listener);
  clock.timer ??= setInterval(tick, EVERY_MS);
  return () => {
    clock.listeners.delete(listener);
    if (clock.listeners.size > 0) return;
    clearInterval(clock.timer);
    clock.timer = undefined;
  };
}

/** The owner's time in seconds; what uses it is shown again now and then. One timer serves all. */
export function useNow(): number {
  const ahead = useBoardState((state) => state.ahead);
  const [, again] = useState(0);
  useEffect(() => listen(() => again((n) => n + 1)), []);
  return Date.now() / 1000 + ahead;
}
