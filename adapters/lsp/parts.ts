import type { Ids } from "../../lib/base/ids.js";
import type { Log } from "../../lib/base/log/log.js";
import type { Spawner } from "../../lib/base/process/spawn.js";
import type { Clock } from "../../lib/base/time/clock.js";
import type { Config } from "../../lib/contracts/config/config.js";
import type { Cages } from "../../lib/safety/cage/cages.js";

/** What the language servers of a process are built on. */
export interface LanguageServerParts {
  /** `AGENT_HOME`. */
  readonly home: string;
  readonly config: Config;
  readonly spawner: Spawner;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** For servers whose entry says `cage: true`. */
  readonly cages?: Pick<Cages, "choose"> | undefined;
}
