import type { EpochMs } from "../../base/units.js";
import type { Outbox } from "../../gateway/outbox.js";
import type { GatewayApi, GatewayState } from "../../proto/gateway-api.js";
import type { AdapterStatus } from "../../proto/gateway-platform.js";

/** The gateway in the life of its owner. */
export interface GatewayHost {
  /** Connect what is enabled, unless this process is not there for it. Without a platform nothing is loaded. */
  start(): Promise<void>;
  /** Let turns of chats end, as long as the settings say, and disconnect. Harmless twice. */
  stop(): Promise<void>;
  state(): GatewayState;
  startedAt(): EpochMs | undefined;
  statuses(): readonly AdapterStatus[];
  problems(): readonly string[];
  /** Undefined while it does not run, or has nothing to do. */
  outbox(): Outbox | undefined;
}

/** The gateway of an app, and what commands see of it. */
export interface GatewayLife {
  readonly host: GatewayHost;
  readonly api: GatewayApi;
}
