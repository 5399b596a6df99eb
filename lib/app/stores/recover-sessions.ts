import type { Store } from "../../../storage/store.js";
import type { AppOptions } from "../../config/app-options.js";
import type { Stores } from "./stores.js";

/**
 * Open the session store and close the turns, shells and questions that an earlier owner left open; a process that only reads changes nothing. Turns
 * of board workers stay open: it is known later which workers live.
 */
export async function recoverSessions(options: AppOptions, stores: Stores): Promise<Store> {
  const store = await stores.sessions();
  if (options.kind === "readonly") return store;
  const { closeOpenTurns } = await import("../../chat/transcript/transcript-recovery.js");
  const first = async () =>
    (await import("../../tools/shell/left.js")).endLeftShells(options.spawner, options.home, options.log);
  const closed = await closeOpenTurns(store, options.clock, (turn) => turn.run_id !== null, first);
  await (await import("../../chat/questions/ledger.js")).closeLeftQuestions(store, options.clock);
  if (closed.length > 0) options.log.warning("turns were interrupted", { turns: closed.length });
  return store;
}
