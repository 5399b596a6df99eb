import { logEvents } from "./logs/events.js";
import type { AppOptions } from "./options.js";
import { createRunWatch, type RunWatch } from "./runs/watch.js";
import type { Stores } from "./stores.js";

/** What happens in every store shows on the runs that it is about, and in the log. */
export function watchStores({ clock, log }: AppOptions, stores: Stores): RunWatch {
  const runs = createRunWatch(clock, (error) => log.error("what works could not be told", { error: String(error) }));
  stores.onOpen((store) => store.onEvents((events) => runs.committed(store.name, events)));
  stores.onOpen((store) => logEvents(store, log));
  return runs;
}
