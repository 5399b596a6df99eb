import type { AppOptions } from "../config/app-options.js";
import { createRunWatch, type RunWatch } from "../rpc/runs/run-watch.js";
import { logEvents } from "./stores/log-events.js";
import type { Stores } from "./stores/stores.js";

/** What happens in every store shows on the runs that it is about, and in the log. */
export function watchStores({ clock, log }: AppOptions, stores: Stores): RunWatch {
  const runs = createRunWatch(clock, (error) => log.error("what works could not be told", { error: String(error) }));
  stores.onOpen((store) => store.onEvents((events) => runs.committed(store.name, events)));
  stores.onOpen((store) => logEvents(store, log));
  return runs;
}
