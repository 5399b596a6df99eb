import type { Service } from "../../base/service.js";
import type { EpochMs } from "../../base/units.js";
import type { Gateway } from "../../gateway/gateway.js";
import type { GatewayApi, GatewayState } from "../../proto/gateway-api.js";
import type { AdapterStatus } from "../../proto/gateway-platform.js";
import type { ChatTopics } from "./topics.js";

/** The gateway of an owner with what looks at its messages. */
export interface BuiltGateway {
  readonly gateway: Gateway;
  readonly router: Service;
  readonly topics: ChatTopics;
  /** Before it starts: what is too old is given up, and what is no longer needed is forgotten. */
  prepare(): Promise<void>;
}

/** The gateway in the life of its owner. */
export interface GatewayHost {
  /** Connect what is enabled, unless this process is not there for it. No library of a platform that is not enabled is loaded. */
  start(): Promise<void>;
  /** Let turns of chats end, as long as the settings say, and disconnect. Harmless twice. */
  stop(): Promise<void>;
  state(): GatewayState;
  startedAt(): EpochMs | undefined;
  statuses(): readonly AdapterStatus[];
  problems(): readonly string[];
  /** Inbox, outbox, adapters and router, also without a platform; undefined while this process does not run them. */
  built(): BuiltGateway | undefined;
}

/** The gateway of an app, and what commands see of it. */
export interface GatewayLife {
  readonly host: GatewayHost;
  readonly api: GatewayApi;
}
