import type { Store } from "../../../storage/store.js";
import { getValue, setValue } from "../../../storage/tables/state/state-values.js";
import type { TickSummary } from "../../contracts/gateway/cron.js";

/** What is known of the newest look at the schedules, also after a restart. */
export interface Heartbeat {
  write(summary: TickSummary): Promise<void>;
  read(): Promise<TickSummary | undefined>;
}

const KEY = "cron.heartbeat";

export function createCronHeartbeat(store: Store): Heartbeat {
  return {
    write: (summary) =>
      store.write("cron.heartbeat", (tx) => setValue(tx, KEY, JSON.stringify(summary), summary.last_tick_at)),
    read: async () => {
      const text = await store.read((q) => getValue(q, KEY));
      return text === undefined ? undefined : JSON.parse(text);
    },
  };
}
