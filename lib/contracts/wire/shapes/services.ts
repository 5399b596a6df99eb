import * as z from "zod";
import type { Check } from "../../check.js";
import type { CronSummary, GatewayStatus, OutboxEntry, PlatformStatus } from "../../gateway/api.js";
import type { GatewayEnding } from "../../gateway/life.js";
import type {
  BrokenServer,
  InstallOutcome,
  LanguageServerStatus,
  LiveServer,
  ServerState,
} from "../../owner/language-servers.js";
import type { OpenListener } from "../../owner/listeners.js";
import type { StoppedWorkers, UnderWay } from "../../owner/owner.js";
import type { ProxyAdapterStatus, ProxyListenerStatus, ProxyStatus } from "../../owner/proxy.js";
import { epochMs } from "./values.js";

/** Schema of `UnderWay`. */
export const underWayShape = z
  .object({
    turns: z.array(z.string()),
    children: z.array(z.string()),
    processes: z.array(z.string()),
    workers: z.array(z.string()),
  })
  .meta({ id: "UnderWay" }) satisfies z.ZodType<UnderWay>;

/** Schema of `StoppedWorkers`. */
export const stoppedWorkersShape = z
  .object({ stopped: z.array(z.string()), kept: z.array(z.object({ task: z.string(), why: z.string() })) })
  .meta({ id: "StoppedWorkers" }) satisfies z.ZodType<StoppedWorkers>;

const platformStatusShape = z
  .object({
    state: z.enum(["connecting", "connected", "retrying", "fatal", "paused", "disconnected"]),
    account: z.string(),
    error_code: z.string().nullable(),
    error_message: z.string().nullable(),
    listen: z.string().nullable(),
    updated_at: z.string(),
    last_receive_at: z.string().nullable(),
    last_poll_at: z.string().nullable(),
    last_send_at: z.string().nullable(),
  })
  .meta({ id: "PlatformStatus" }) satisfies z.ZodType<PlatformStatus>;

/** Schema of `OutboxEntry`. */
export const outboxEntryShape = z
  .object({
    id: z.string(),
    platform: z.string(),
    target: z.string(),
    kind: z.string(),
    state: z.enum(["unknown", "pending", "sending", "sent", "failed", "dropped"]),
    attempts: z.number(),
    error: z.string().nullable(),
    created_at: z.string(),
    age_seconds: z.number(),
    preview: z.string(),
  })
  .meta({ id: "OutboxEntry" }) satisfies z.ZodType<OutboxEntry>;

const cronSummaryShape = z
  .object({
    jobs: z.number(),
    running: z.number(),
    last_tick_at: z.string().nullable(),
    tick_age_seconds: z.number().nullable(),
    next_run_at: z.string().nullable(),
  })
  .meta({ id: "CronSummary" }) satisfies z.ZodType<CronSummary>;

/** Schema of `GatewayStatus`. */
export const gatewayStatusShape = z
  .object({
    profile: z.string(),
    home: z.string(),
    running: z.boolean(),
    role: z.enum(["command", "gateway", "headless", "workspace"]).nullable(),
    pid: z.number().nullable(),
    started_at: z.string().nullable(),
    uptime_seconds: z.number().nullable(),
    version: z.string(),
    state: z.enum(["running", "stopped", "starting", "degraded", "draining", "startup_failed"]),
    exit_reason: z.string().nullable(),
    recorded_at: z.string().nullable(),
    restart_requested: z.boolean(),
    active_turns: z.number(),
    event_loop_lag_ms: z.number().nullable(),
    platforms: z.record(z.string(), platformStatusShape),
    inbox: z.object({
      waiting: z.number(),
      running: z.number(),
      failed: z.number(),
      oldest_waiting_seconds: z.number().nullable(),
    }),
    outbox: z.object({
      pending: z.number(),
      retrying: z.number(),
      unknown: z.number(),
      failed: z.number(),
      oldest_pending_seconds: z.number().nullable(),
    }),
    unknown: z.array(outboxEntryShape),
    cron: cronSummaryShape,
    problems: z.array(z.string()),
  })
  .meta({ id: "GatewayStatus" }) satisfies z.ZodType<GatewayStatus>;

/** Schema of `GatewayEnding`. */
export const endingShape = z
  .object({
    pid: z.number(),
    start: z.string(),
    role: z.enum(["command", "gateway", "headless", "workspace"]),
    stays: z.boolean(),
  })
  .meta({ id: "Ending" }) satisfies z.ZodType<GatewayEnding>;

/** Schema of `Check`. */
export const checkShape = z
  .object({
    name: z.string(),
    status: z.enum(["ok", "warn", "fail"]),
    detail: z.string(),
    fix: z.string().exactOptional(),
  })
  .meta({ id: "Check" }) satisfies z.ZodType<Check>;

/** Schema of `InstallOutcome`. */
export const installOutcomeShape = z
  .object({ id: z.string(), ok: z.boolean(), message: z.string() })
  .meta({ id: "InstallOutcome" }) satisfies z.ZodType<InstallOutcome>;

/** Schema of `ServerState`. */
export const serverStateShape = z
  .object({
    id: z.string(),
    extensions: z.array(z.string()),
    state: z.enum(["missing", "installed", "manual-only"]),
    disabled: z.boolean(),
    program: z.string().exactOptional(),
    install: z.string(),
    note: z.string().exactOptional(),
  })
  .meta({ id: "ServerState" }) satisfies z.ZodType<ServerState>;

const liveServerShape = z
  .object({
    server: z.string(),
    root: z.string(),
    pid: z.number(),
    state: z.enum(["ready", "starting"]),
    open_files: z.number(),
    idle_seconds: z.number(),
  })
  .meta({ id: "LiveServer" }) satisfies z.ZodType<LiveServer>;

const brokenServerShape = z
  .object({ server: z.string(), root: z.string(), reason: z.string() })
  .meta({ id: "BrokenServer" }) satisfies z.ZodType<BrokenServer>;

/** Schema of `LanguageServerStatus`. */
export const languageServerStatusShape = z
  .object({
    enabled: z.boolean(),
    wait_mode: z.string(),
    install_strategy: z.string(),
    clients: z.array(liveServerShape),
    broken: z.array(brokenServerShape),
    installing: z.array(z.string()),
    servers: z.array(serverStateShape),
  })
  .meta({ id: "LanguageServerStatus" }) satisfies z.ZodType<LanguageServerStatus>;

/** Schema of `OpenListener`. */
export const openListenerShape = z
  .object({
    kind: z.enum(["proxy", "dashboard"]),
    serves: z.string(),
    host: z.string(),
    port: z.number(),
    url: z.string(),
    since: epochMs,
    heldBy: z.enum(["command", "owner"]),
  })
  .meta({ id: "OpenListener" }) satisfies z.ZodType<OpenListener>;

const proxyListenerStatusShape = z
  .object({
    url: z.string(),
    provider: z.string(),
    host: z.string(),
    port: z.number(),
    since: z.string(),
    active: z.number(),
    total: z.number(),
    errors: z.number(),
  })
  .meta({ id: "ProxyListenerStatus" }) satisfies z.ZodType<ProxyListenerStatus>;

const proxyAdapterStatusShape = z
  .object({
    name: z.string(),
    display_name: z.string(),
    authenticated: z.boolean(),
    expires_at: z.string().nullable(),
    error: z.string().nullable(),
  })
  .meta({ id: "ProxyAdapterStatus" }) satisfies z.ZodType<ProxyAdapterStatus>;

/** Schema of `ProxyStatus`. */
export const proxyStatusShape = z
  .object({
    listeners: z.array(proxyListenerStatusShape),
    adapters: z.array(proxyAdapterStatusShape),
    autostart_error: z.string().exactOptional(),
  })
  .meta({ id: "ProxyStatus" }) satisfies z.ZodType<ProxyStatus>;
