import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Clock } from "../time/clock.js";
import type { Ms } from "../units.js";

/** The memory of the objects of one thread. */
export interface ObjectMemory {
  /** Calls `listener` after each collection of young objects, which is how the engine shows that somebody works. @returns stops that */
  onWork(listener: () => void): () => void;
  /** Bytes that are taken from the system. */
  held(): number;
  /** Collect everything that nobody uses. The thread stands still meanwhile: some 30 ms for 20 MB. */
  collect(): void;
}

/** Nothing was collected for so long: nobody works. */
const QUIET_MS: Ms = 5_000;
/** Less is not worth a collection. */
const GROWN_BYTES = 3 << 20;

/**
 * Give memory back, once, when work is over: the engine itself keeps what a busy moment took until the next one. Nothing happens while nobody
 * works, and nothing as long as somebody does.
 *
 * @returns ends it; harmless twice
 */
export function collectWhenQuiet(clock: Clock, memory: ObjectMemory): () => void {
  let least = 0;
  let worked = clock.mono();
  let cancel: (() => void) | undefined;
  const look = () => {
    cancel = undefined;
    const rest = worked + QUIET_MS - clock.mono();
    if (rest > 0) return arm(rest);
    if (memory.held() < least + GROWN_BYTES) return;
    memory.collect();
    least = memory.held();
  };
  const arm = (ms: Ms) => {
    cancel = clock.after(ms, look);
  };
  arm(QUIET_MS); // the start was work
  const unhook = memory.onWork(() => {
    worked = clock.mono();
    if (cancel === undefined) arm(QUIET_MS);
  });
  return () => {
    unhook();
    cancel?.();
    cancel = undefined;
  };
}

/** The engine's own way waits eight seconds after any full collection and then makes up to three more: with this it is out of the way for an hour. */
const NO_MORE_COLLECTIONS = "--gc-memory-reducer-start-delay-ms=3600000";

/** For who collects by `collectWhenQuiet` soon: a full collection that comes before it makes no others due. */
export function beforeQuiet(): void {
  setFlagsFromString(NO_MORE_COLLECTIONS);
}

/** That of the calling thread. */
export const objectMemory: ObjectMemory = {
  onWork: (listener) => {
    const observer = new PerformanceObserver((seen) => {
      if (seen.getEntries().some(isYoung)) listener();
    });
    beforeQuiet();
    observer.observe({ entryTypes: ["gc"] });
    return () => observer.disconnect();
  },
  held: () => {
    const { total_physical_size, external_memory } = getHeapStatistics();
    return total_physical_size + external_memory;
  },
  collect: collectAll,
};

const MINOR = 1;

function isYoung(entry: object): boolean {
  const detail = "detail" in entry ? entry.detail : undefined;
  return typeof detail === "object" && detail !== null && "kind" in detail && detail.kind === MINOR;
}

let exposed: (() => void) | undefined;

/** Collect everything in this thread, now. */
export function collectAll(): void {
  exposed ??= expose();
  exposed();
}

function expose(): () => void {
  setFlagsFromString("--expose-gc");
  const found: unknown = runInNewContext("gc");
  return typeof found === "function" ? () => void found() : () => undefined;
}
