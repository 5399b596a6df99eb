import type { createBus } from "../../backplane/bus.js";
import { type BoardSlug, toIso } from "../../base/units.js";
import type { AppOptions } from "../../config/app-options.js";
import { createRunWatch, type RunWatch } from "../../rpc/runs/run-watch.js";
import { logEvents } from "./log-events.js";
import type { Stores } from "./stores.js";

/** Show the events of every store on the runs that they are about, and in the log. */
export function watchStores({ clock, log }: AppOptions, stores: Stores): RunWatch {
  const runs = createRunWatch(clock, (error) => log.error("failed to publish run activity", { error: String(error) }));
  stores.onOpen((store) => store.onEvents((events) => runs.committed(store.name, events)));
  stores.onOpen((store) => logEvents(store, log));
  return runs;
}

/**
 * Pass the events of each store to the bus from its opening on. Front ends of a long-lived owner get messages in place of references to them.
 */
export function feedBus(options: AppOptions, stores: Stores, bus: ReturnType<typeof createBus>): void {
  const lost = (error: unknown) => options.log.error("session events were lost", { error: String(error) });
  bus.onMissing((name) => openNamed(stores, name));
  stores.onOpen(async (store) => {
    // A viewer of a board that was not written before learns by this that it exists now.
    if (store.name.startsWith("board:")) {
      const ends = bus.addStore(store);
      bus.delta("boards", { event: "board.opened", at: toIso(options.clock.now()), data: { store: store.name } });
      return ends;
    }
    if (store.name !== "sessions" || options.kind !== "long") return bus.addStore(store);
    return bus.addStore((await import("../../rpc/sessions/session-feed.js")).shownSessions(store, lost));
  });
}

/** A follower of a store that exists gets the same answer before its first use, as right after the start of an owner. */
async function openNamed(stores: Stores, name: string): Promise<void> {
  const slug = /^board:([a-z0-9][a-z0-9_-]{0,63})$/.exec(name)?.[1];
  if (name === "sessions") await stores.sessions();
  else if (slug !== undefined) await stores.board(slug as BoardSlug, false); // a slug by its form
}
