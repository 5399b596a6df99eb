import type { EpochMs } from "../../base/units.js";
import type { ChatOrigin } from "../board/notify.js";
import type { ChatConversationsApi } from "./conversations.js";
import type { HandoffApi } from "./handoff.js";
import type { GatewayEnd, GatewayEnding, OwnerRole } from "./life.js";
import type { MeetingsApi } from "./meetings-api.js";
import type { MessagesApi } from "./messages.js";
import type { OutboxRow, OutboxState } from "./outbox.js";
import type { PairingApi } from "./pairing.js";
import type { AdapterState, AdapterStatus } from "./platform.js";
import type { WebhooksApi } from "./webhooks.js";

/** `stopped`: no process of this home runs it. `degraded`: platforms are set up and none is connected. `startup_failed`: it could not begin. */
export type GatewayState = "starting" | "running" | "degraded" | "draining" | "stopped" | "startup_failed";

/** One platform in `agent gateway status --json`. Instants are ISO 8601. */
export interface PlatformStatus {
  readonly state: AdapterState;
  readonly account: string;
  readonly error_code: string | null;
  readonly error_message: string | null;
  /** `host:port` where it listens for what the platform posts. */
  readonly listen: string | null;
  readonly updated_at: string;
  /** When it last received an event, ended a poll, and sent a message; null: never, or unknown. */
  readonly last_receive_at: string | null;
  readonly last_poll_at: string | null;
  readonly last_send_at: string | null;
}

/** Scheduled jobs in `agent gateway status --json`. */
export interface CronSummary {
  readonly jobs: number;
  readonly running: number;
  readonly last_tick_at: string | null;
  readonly tick_age_seconds: number | null;
  readonly next_run_at: string | null;
}

/** The unit of a service manager that runs the gateway. */
export interface ServiceState {
  readonly kind: "systemd" | "launchd";
  readonly installed: boolean;
  readonly active: boolean;
  /** Its file is not what would be written today. */
  readonly stale_unit: boolean;
}

export interface OutboxCounts {
  readonly pending: number;
  /** Pending rows that were tried before. */
  readonly retrying: number;
  readonly unknown: number;
  readonly failed: number;
}

/** What `agent gateway status` tells (gateway part, 3.4). */
export interface GatewayStatus {
  readonly profile: string;
  readonly home: string;
  readonly running: boolean;
  readonly role: OwnerRole | null;
  readonly pid: number | null;
  readonly started_at: string | null;
  readonly uptime_seconds: number | null;
  readonly version: string;
  /** Where none runs: what was recorded last, whose instant is `recorded_at`. */
  readonly state: GatewayState;
  readonly exit_reason: string | null;
  readonly recorded_at: string | null;
  readonly restart_requested: boolean;
  readonly active_turns: number;
  readonly event_loop_lag_ms: number | null;
  readonly platforms: Readonly<Record<string, PlatformStatus>>;
  readonly inbox: {
    readonly waiting: number;
    readonly running: number;
    readonly failed: number;
    readonly oldest_waiting_seconds: number | null;
  };
  readonly outbox: OutboxCounts & { readonly oldest_pending_seconds: number | null };
  readonly unknown: readonly OutboxEntry[];
  readonly cron: CronSummary;
  /** What keeps it from starting, or what is wrong with settings of platforms. */
  readonly problems: readonly string[];
}

/** A message that is not sent, as operators see it. */
export interface OutboxEntry {
  readonly id: string;
  readonly platform: string;
  readonly target: string;
  readonly kind: string;
  readonly state: OutboxState;
  readonly attempts: number;
  readonly error: string | null;
  readonly created_at: string;
  readonly age_seconds: number;
  /** First 60 characters; empty when the text is no longer kept. */
  readonly preview: string;
}

export interface OutboxFilter {
  readonly state?: OutboxState | undefined;
  readonly platform?: string | undefined;
}

/** The gateway as commands use it. */
export interface GatewayApi
  extends PairingApi,
    WebhooksApi,
    MessagesApi,
    MeetingsApi,
    HandoffApi,
    ChatConversationsApi {
  status(): Promise<GatewayStatus>;
  /** How the platforms of this process are connected; reads nothing. */
  adapters(): Promise<readonly AdapterStatus[]>;
  /** Rows that are not `sent`, the newest first. */
  outbox(filter: OutboxFilter): Promise<readonly OutboxEntry[]>;
  /** `/topic` of a direct chat, with the words behind it; returns the reply to the chat. */
  topic(origin: ChatOrigin | undefined, words: readonly string[], signal: AbortSignal): Promise<string>;
  /** @throws E_NOT_FOUND, E_STATE */
  retry(id: string): Promise<Pick<OutboxRow, "id">>;
  /** @throws E_NOT_FOUND, E_STATE */
  drop(id: string): Promise<Pick<OutboxRow, "id">>;
  /** End the gateway of this process, and the process where it is there for it alone. @returns who ends; undefined: none runs */
  end(end: GatewayEnd): Promise<GatewayEnding | undefined>;
  /** Run the gateway in this process, which stays anyway. Harmless while it runs. @throws E_STATE where it is there for something else */
  begin(): Promise<{ readonly pid: number }>;
  /** Restart it when this has been answered. @throws E_STATE where none runs */
  restart(asker?: ChatOrigin): Promise<void>;
  /** Disconnect a platform until it is resumed, also over restarts. @throws E_NOT_FOUND, E_STATE */
  pause(tag: string): Promise<void>;
  /** Connect a platform at once. @throws E_NOT_FOUND, E_STATE */
  resume(tag: string): Promise<void>;
}

/** When something happened, and how long ago. */
export const secondsSince = (at: EpochMs | null | undefined, now: EpochMs): number | null =>
  at === null || at === undefined ? null : Math.max(0, Math.round((now - at) / 1000));
