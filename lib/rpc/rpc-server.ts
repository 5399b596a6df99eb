import { type Backplane, createBackplane } from "../backplane/server.js";
import { COMMANDS } from "../commands/index.gen.js";
import { WEB_PORT } from "../config/owner-keys.js";
import { runWith } from "./commands/command-services.js";
import type { OwnerServices } from "./commands/owner-services.js";
import { ownerMethods } from "./owner-methods.js";
import { requestKeys } from "./request-keys.js";

/** Open the owner's door: from here on clients are served. The caller holds the lock of the home. */
export async function openRpcServer(app: OwnerServices): Promise<Backplane> {
  const { home, version, clock, ids, log, kind, config } = app.options;
  const backplane = createBackplane({
    home,
    version,
    methods: ownerMethods(app, COMMANDS),
    run: runWith(app, COMMANDS),
    clock,
    ids,
    log: log.child("owner"),
    bus: app.bus,
    keys: requestKeys(() => app.stores.state(), clock),
    ...(kind === "long" ? { web: { port: config.get(WEB_PORT) } } : {}),
  });
  await backplane.start();
  return backplane;
}
