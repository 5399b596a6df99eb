import { systemClock } from "../../lib/base/clock.js";
import { realDisk } from "../../lib/base/disk.js";
import { silentLog } from "../../lib/base/log.js";
import { storeContract } from "../contract.js";
import { openStore } from "../open.js";

for (const host of ["inline", "thread"] as const) {
  storeContract({
    name: `sqljs ${host}`,
    open: ({ path, migrations, readonly, rehearse }) =>
      openStore(
        { name: "board:contract", kind: "board", path, migrations },
        { disk: realDisk, clock: systemClock, log: silentLog, host, readonly, rehearse },
      ),
  });
}
