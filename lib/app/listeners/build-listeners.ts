import type { AppOptions } from "../../config/app-options.js";
import { createListeners, type Listeners } from "./listeners.js";

/** The listeners of this owner. One that cannot be opened with the owner is reported in the log. */
export function buildListeners({ clock, log }: AppOptions): Listeners {
  return createListeners({
    clock,
    told: (kind, why) => log.child(kind).error("failed to open the listener", { reason: why }),
  });
}
