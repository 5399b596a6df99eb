import type { Store } from "../../../storage/store.js";
import { countInbox, lastReceived } from "../../../storage/tables/gateway/inbox.js";
import { countSends, lastSent, sendsNotSent } from "../../../storage/tables/gateway/outbox.js";
import { type EpochMs, toIso } from "../../base/units.js";
import type { AppOptions } from "../../config/app-options.js";
import {
  type CronSummary,
  type GatewayStatus,
  type OutboxEntry,
  type PlatformStatus,
  secondsSince,
} from "../../contracts/gateway/api.js";
import type { LastState } from "../../contracts/gateway/life.js";
import type { SourceStatus } from "../../contracts/gateway/listen.js";
import type { OutboxRow } from "../../contracts/gateway/outbox.js";
import type { AdapterStatus } from "../../contracts/gateway/platform.js";
import type { GatewayHost } from "../../gateway/lifecycle/gateway-lifecycle.js";
import { createRecords } from "../../gateway/lifecycle/lifecycle-records.js";
import { roleOf } from "../../gateway/lifecycle/owner-role.js";
import type { GatewayApp } from "./gateway-app.js";
import { readStartFailure } from "./start-failure.js";

const LISTED = 500;
const PREVIEW = 60;

const isoOf = (at: EpochMs | null | undefined): string | null => (at === null || at === undefined ? null : toIso(at));

/** What is known of the gateway of a home. `store` undefined: nothing was ever stored. */
export async function readGatewayStatus(
  app: GatewayApp,
  host: GatewayHost,
  store: Store | undefined,
): Promise<GatewayStatus> {
  const { options } = app;
  const now = options.clock.now();
  return {
    ...(await processOf(app, host, store)),
    platforms: Object.fromEntries(
      await Promise.all([
        ...host.statuses().map(async (one) => [one.tag, await platformOf(one, store)] as const),
        ...host.sources().map(async (one) => [one.name, await sourceOf(one, store)] as const),
      ]),
    ),
    ...(await messagesOf(store, now)),
    cron: await cronOf(app, store),
    problems: [...host.problems(), ...app.stores.problems()],
  };
}

type OfProcess = Omit<GatewayStatus, "platforms" | "inbox" | "outbox" | "unknown" | "cron" | "problems">;

async function processOf(
  { options, chats }: GatewayApp,
  host: GatewayHost,
  store: Store | undefined,
): Promise<OfProcess> {
  const { home, version, clock } = options;
  const state = host.state();
  const running = state !== "stopped";
  const started = host.startedAt();
  const last = running ? undefined : await lastOf(options, store);
  return {
    profile: home.profile,
    home: home.dir,
    running,
    version,
    state: last?.state === "startup_failed" ? "startup_failed" : state,
    exit_reason: last === undefined ? null : (last.reason ?? `exited unexpectedly; last state: ${last.state}`),
    recorded_at: isoOf(last?.at),
    restart_requested: host.restartRequested(),
    role: running ? roleOf(options) : null,
    pid: running ? process.pid : null,
    started_at: running ? isoOf(started) : null,
    uptime_seconds: running ? secondsSince(started, clock.now()) : null,
    active_turns: running ? ((await chats.peek())?.openTurns() ?? 0) : 0,
    event_loop_lag_ms: host.lagMs() ?? null,
  };
}

/** The newest of what its store recorded and of what a start that failed left beside it. */
async function lastOf({ home, clock }: AppOptions, store: Store | undefined): Promise<LastState | undefined> {
  const recorded = store === undefined ? undefined : await createRecords(store, clock).last();
  const failure = readStartFailure(home);
  if (failure === undefined || failure.at < (recorded?.at ?? 0)) return recorded;
  return { state: "startup_failed", at: failure.at, pid: failure.pid, reason: failure.error.message };
}

async function platformOf(one: AdapterStatus, store: Store | undefined): Promise<PlatformStatus> {
  const { tag, state, account, error_code, error_message, listen } = one;
  const [received, sent] = (await store?.read((q) => Promise.all([lastReceived(q, tag), lastSent(q, tag)]))) ?? [];
  return {
    state,
    account,
    error_code,
    error_message,
    listen,
    updated_at: toIso(one.updated_at),
    last_receive_at: isoOf(received),
    last_poll_at: isoOf(one.polled_at),
    last_send_at: isoOf(sent),
  };
}

async function sourceOf(
  { name, listen, fault, since }: SourceStatus,
  store: Store | undefined,
): Promise<PlatformStatus> {
  return {
    state: listen === undefined ? "retrying" : "connected",
    account: name,
    listen: listen ?? null,
    updated_at: toIso(since),
    error_code: fault?.code ?? null,
    error_message: fault?.message ?? null,
    last_poll_at: null,
    last_send_at: null,
    last_receive_at: isoOf(await store?.read((q) => lastReceived(q, name))),
  };
}

async function messagesOf(
  store: Store | undefined,
  now: EpochMs,
): Promise<Pick<GatewayStatus, "inbox" | "outbox" | "unknown">> {
  const counted = await store?.read((q) =>
    Promise.all([countInbox(q), countSends(q), sendsNotSent(q, { state: "unknown" }, LISTED)]),
  );
  const [inbox, sends, unknown] = counted ?? [[], [], []];
  const inState = (...names: string[]) => inbox.filter((row) => names.includes(row.state));
  const sum = (rows: readonly { count: number }[]) => rows.reduce((all, { count }) => all + count, 0);
  const oldest = (rows: readonly { oldest: number }[]) =>
    rows.length === 0 ? null : secondsSince(Math.min(...rows.map((row) => row.oldest)), now);
  const open = sends.filter((row) => row.state === "pending" || row.state === "sending");
  return {
    inbox: {
      waiting: sum(inState("received", "waiting")),
      running: sum(inState("running")),
      failed: sum(inState("failed")),
      oldest_waiting_seconds: oldest(inState("received", "waiting")),
    },
    outbox: {
      pending: sum(open.filter((row) => row.retried === 0)),
      retrying: sum(open.filter((row) => row.retried === 1)),
      unknown: sum(sends.filter((row) => row.state === "unknown")),
      failed: sum(sends.filter((row) => row.state === "failed")),
      oldest_pending_seconds: oldest(open),
    },
    unknown: unknown.map((row) => toOutboxEntry(row, now)),
  };
}

const NO_JOBS: CronSummary = { jobs: 0, running: 0, last_tick_at: null, tick_age_seconds: null, next_run_at: null };

async function cronOf({ cron }: GatewayApp, store: Store | undefined): Promise<CronSummary> {
  if (store === undefined) return NO_JOBS;
  const { jobs, working, last, age_seconds, next_run_at } = await cron.status();
  return {
    jobs,
    running: working,
    tick_age_seconds: age_seconds,
    last_tick_at: isoOf(last?.last_tick_at),
    next_run_at: isoOf(next_run_at),
  };
}

/** A message that is not sent, as operators see it. */
export function toOutboxEntry(row: OutboxRow, now: EpochMs): OutboxEntry {
  const { id, platform, chat_id, thread_id, kind, state, attempts, error, created_at, payload } = row;
  const text: unknown = payload === null || kind === "pairing" ? "" : JSON.parse(payload).text; // a code is shown to its user alone
  const target = [platform, chat_id, ...(thread_id === null ? [] : [thread_id])].join(":");
  const preview = typeof text === "string" ? [...text.replaceAll(/\s+/g, " ")].slice(0, PREVIEW).join("") : "";
  return {
    id,
    platform,
    target,
    kind,
    state,
    attempts,
    error,
    created_at: toIso(created_at),
    age_seconds: secondsSince(created_at, now) ?? 0,
    preview,
  };
}
