import type { Home } from "../../lib/base/home.js";
import type { Log } from "../../lib/base/log/log.js";
import type { Net } from "../../lib/base/net/net.js";
import type { Spawner } from "../../lib/base/process/spawn.js";
import type { Clock } from "../../lib/base/time/clock.js";
import type { Cages } from "../../lib/safety/cage/cages.js";
import type { McpLoginParts } from "./login/parts.js";

/** What the connections of one process are made with. */
export interface McpParts extends McpLoginParts {
  readonly home: Home;
  readonly clock: Clock;
  readonly spawner: Spawner;
  readonly net: Net;
  readonly log: Log;
  /** Environment of the owner: the few variables of it that a server gets. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  /** For entries that say `cage: true`. */
  readonly cages?: Pick<Cages, "choose"> | undefined;
  readonly redact: (text: string) => string;
}
