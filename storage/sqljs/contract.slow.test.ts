import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { realDisk } from "../../lib/base/fs/disk.js";
import { silentLog } from "../../lib/base/log/log.js";
import { systemClock } from "../../lib/base/time/clock.js";
import { storeContract } from "../contract/suite.js";
import type { Store } from "../store.js";
import { type OpenOptions, openStore } from "./store-open.js";

const options = { disk: realDisk, clock: systemClock, log: silentLog } as const;

for (const host of ["inline", "thread"] as const) {
  storeContract({
    name: `sqljs ${host}`,
    open: ({ path, migrations, readonly, rehearse }) => {
      const how: OpenOptions = { ...options, host, readonly, rehearse };
      return openStore({ name: "board:contract", kind: "board", path, migrations }, how);
    },
  });
}

// One store that stays open keeps the thread alive from case to case.
let anchor: Store | undefined;
let dir = "";

before(async () => {
  dir = mkdtempSync(join(tmpdir(), "anchor-"));
  const spec = { name: "state", kind: "state", path: join(dir, "state.db"), migrations: [] } as const;
  anchor = await openStore(spec, { ...options, host: "thread" });
});

after(async () => {
  await anchor?.close();
  rmSync(dir, { recursive: true });
});
