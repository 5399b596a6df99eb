import type { Store } from "../../storage/store.js";
import * as sessions from "../../storage/tables/sessions/records.js";
import { type Checkpoints, createCheckpoints } from "../checkpoints/checkpoints.js";
import type { AppOptions } from "../config/app-options.js";

/** The checkpoints of this owner. What they do is reported to the conversation that asked, when that is a stored one. */
export function buildCheckpoints(options: AppOptions, store: () => Promise<Store>): Checkpoints {
  const { home, config, clock, ids, disk, log, env } = options;
  return createCheckpoints({
    home,
    config,
    clock,
    ids,
    disk,
    env,
    log: log.child("checkpoints"),
    readonly: options.kind === "readonly",
    announce: async (session, kind, payload) => {
      const at = clock.now();
      const kept = await store();
      await kept.write("chat.tell", async (tx) => {
        if (await sessions.get(tx, session)) tx.emit({ kind, at, session, payload });
      });
    },
  });
}
