import type { Home } from "../base/home.js";
import type { Log } from "../base/log/log.js";
import type { Clock } from "../base/time/clock.js";
import type { Config } from "../contracts/config/config.js";
import type { McpConnector } from "../contracts/mcp/connection.js";
import type { AuxClient } from "../contracts/models/auxiliary.js";

/** What the servers of one process are made with. */
export interface McpPoolParts {
  readonly home: Home;
  readonly clock: Clock;
  readonly log: Log;
  readonly config: Config;
  /** Where `${VAR}` of entries is looked for. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly door: McpConnector;
  readonly redact: (text: string) => string;
  /** For requests of servers to a model; absent: they get none. */
  readonly aux?: AuxClient | undefined;
  /** The process only looks: what is known of the servers is read, and none is started by itself. */
  readonly looks?: true;
}
