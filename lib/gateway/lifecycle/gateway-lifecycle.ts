import type { EpochMs, Ms } from "../../base/units.js";
import type { ChatOrigin } from "../../contracts/board/notify.js";
import type { Inbound, PlatformTag } from "../../contracts/board/platform-tag.js";
import type { GatewayApi, GatewayState } from "../../contracts/gateway/api.js";
import type { HandoffApi } from "../../contracts/gateway/handoff.js";
import type { GatewayEnd } from "../../contracts/gateway/life.js";
import type { SourceStatus } from "../../contracts/gateway/listen.js";
import type { AdapterStatus } from "../../contracts/gateway/platform.js";
import type { PlatformEntry } from "../adapter/define-platform.js";
import type { ChatTopics } from "../conversations/chat-topics.js";
import type { Gateway } from "../router/gateway.js";
import type { Router } from "../router/router.js";
import type { WebhookServer } from "../webhooks/webhook-server.js";

/** The gateway of an owner with what looks at its messages. */
export interface BuiltGateway {
  /** What the operator should know, a sentence each. */
  readonly problems: () => readonly string[];
  readonly gateway: Gateway;
  readonly router: Router;
  readonly topics: ChatTopics;
  /** What other systems post. */
  readonly webhooks: WebhookServer;
  /** Conversations of the terminal that go on in chats. */
  readonly handoff: HandoffApi;
  /** Create the adapter of a platform again, as the settings are now; undefined: it is no longer wanted. */
  change(tag: PlatformTag, entry: PlatformEntry | undefined): Promise<void>;
  /** Before it starts: what is too old is given up, and what is no longer needed is forgotten. */
  prepare(): Promise<void>;
}

/** What the messages of a gateway learn of its life. */
export interface LifeListeners {
  /** An adapter was given up. */
  readonly fatal: (status: AdapterStatus) => void;
  /** A message waits for its turn. */
  readonly admitted: (event: Inbound) => Promise<void>;
}

/** The gateway in the life of its owner. */
export interface GatewayHost {
  /** Connect what is enabled, unless this process is not there for it. No library of a platform that is not enabled is loaded. */
  start(): Promise<void>;
  /** The same on request: also where it was stopped before. Harmless while it runs. */
  begin(): Promise<void>;
  /** Let turns of chats end, as long as the settings say, and disconnect. Harmless twice; the first reason counts. */
  stop(end?: GatewayEnd): Promise<void>;
  /** A stop that waits does so no longer. */
  hurry(): void;
  /** Restart as soon as what asks for it has been answered. @throws E_STATE where no gateway runs */
  restart(asker: ChatOrigin | undefined): Promise<void>;
  state(): GatewayState;
  restartRequested(): boolean;
  startedAt(): EpochMs | undefined;
  statuses(): readonly AdapterStatus[];
  /** Listeners that belong to no platform, as far as they are wanted. */
  sources(): readonly SourceStatus[];
  problems(): readonly string[];
  /** Longest recent delay of what is due in this process. */
  lagMs(): Ms | undefined;
  /** Inbox, outbox, adapters and router, also without a platform; undefined while this process does not run them. */
  built(): BuiltGateway | undefined;
}

/** The gateway of an app, and what commands see of it. */
export interface GatewayLife {
  readonly host: GatewayHost;
  readonly api: GatewayApi;
}
