import { silentLog } from "../../lib/base/log/log.js";
import { systemClock } from "../../lib/base/time/clock.js";
import { storeContract } from "../contract/suite.js";
import { openFileStore } from "./open.js";

for (const host of ["inline", "thread"] as const) {
  storeContract({
    name: `file ${host}`,
    open: async ({ path, migrations, readonly, rehearse }) => {
      const store = openFileStore(
        { name: "board:contract", kind: "board", path, migrations },
        { clock: systemClock, log: silentLog, host, readonly, rehearse },
      );
      try {
        await store.ready();
        return store;
      } catch (error) {
        await store.close();
        throw error;
      }
    },
  });
}
