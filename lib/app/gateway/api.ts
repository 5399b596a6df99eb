import type { Store } from "../../../storage/store.js";
import { countInbox } from "../../../storage/tables/gateway-inbox.js";
import { countSends, sendsNotSent } from "../../../storage/tables/gateway-outbox.js";
import { exists } from "../../base/home-files.js";
import { toIso } from "../../base/units.js";
import { createOutbox, type Outbox } from "../../gateway/outbox.js";
import { createPairing, type Pairing } from "../../gateway/pairing.js";
import { type GatewayApi, type GatewayStatus, type OutboxEntry, secondsSince } from "../../proto/gateway-api.js";
import type { OutboxRow } from "../../proto/gateway-outbox.js";
import type { App } from "../app.js";
import type { GatewayHost } from "./life.js";
import { rulesOf } from "./rules.js";

const LISTED = 500;
const PREVIEW = 60;

/** The gateway as commands use it. What it tells of messages is read from the store, also where no gateway runs. */
export function createGatewayApi(app: App, host: GatewayHost, stopOwner: () => void): GatewayApi {
  const { options, stores } = app;
  const there = async (): Promise<Store | undefined> =>
    options.kind === "readonly" && !exists(options.home.state) ? undefined : stores.state();
  const outbox = async (): Promise<Outbox> =>
    host.built()?.gateway.outbox ?? createOutbox({ ...options, store: await stores.state(), rules: rulesOf(options) });
  const pairing = async (): Promise<Pairing> => createPairing({ ...options, store: await stores.state() });
  return {
    pairings: async () => ((await there()) === undefined ? { paired: [], pending: [], locked: [] } : (await pairing()).pairings()),
    approvePairing: async (platform, code) => (await pairing()).approvePairing(platform, code),
    revokePairing: async (platform, user) => (await pairing()).revokePairing(platform, user),
    clearPending: async () => (await pairing()).clearPending(),
    status: async () => statusOf(app, host, await there()),
    outbox: async ({ state, platform }) => {
      const rows = (await (await there())?.read((q) => sendsNotSent(q, state, LISTED))) ?? [];
      return rows.filter((row) => platform === undefined || row.platform === platform).map(entryOf);
    },
    topic: async (origin, words, signal) =>
      (await host.built()?.topics.command(origin, words, signal)) ?? "Topics are there in direct chats of a running gateway.",
    retry: async (id) => {
      await (await outbox()).retry(id);
      return { id };
    },
    drop: async (id) => {
      await (await outbox()).drop(id);
      return { id };
    },
    stop: async () => {
      if (host.state() === "stopped") return undefined;
      const stays = options.workspace === true;
      if (stays) await host.stop();
      else stopOwner();
      return { pid: process.pid, stays };
    },
  };
}

async function statusOf({ options }: App, host: GatewayHost, store: Store | undefined): Promise<GatewayStatus> {
  const { home, version, clock } = options;
  const now = clock.now();
  const state = host.state();
  const running = state !== "stopped";
  const started = host.startedAt();
  const inbox = (await store?.read(countInbox)) ?? [];
  const sends = (await store?.read(countSends)) ?? [];
  const unknown = (await store?.read((q) => sendsNotSent(q, "unknown", LISTED))) ?? [];
  const inState = (...names: string[]) => inbox.filter((row) => names.includes(row.state));
  const sum = (rows: readonly { count: number }[]) => rows.reduce((all, { count }) => all + count, 0);
  const oldest = (rows: readonly { oldest: number }[]) =>
    rows.length === 0 ? null : secondsSince(Math.min(...rows.map((row) => row.oldest)), now);
  const open = sends.filter((row) => row.state === "pending" || row.state === "sending");
  return {
    ...{ profile: home.profile, home: home.dir, running, version, state },
    role: running ? roleOf(options) : null,
    pid: running ? process.pid : null,
    started_at: running && started !== undefined ? toIso(started) : null,
    uptime_seconds: running ? secondsSince(started, now) : null,
    platforms: Object.fromEntries(
      host
        .statuses()
        .map(({ tag, updated_at, state: at, account, error_code, error_message, listen }) => [
          tag,
          { state: at, account, error_code, error_message, listen, updated_at: toIso(updated_at) },
        ]),
    ),
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
    unknown: unknown.map(entryOf),
    problems: host.problems(),
  };
}

function roleOf({ workspace, gateway }: App["options"]): GatewayStatus["role"] {
  if (workspace === true) return "workspace";
  return gateway === true ? "gateway" : "headless";
}

function entryOf(row: OutboxRow): OutboxEntry {
  const { id, platform, chat_id, thread_id, kind, state, attempts, error, created_at, payload } = row;
  const text: unknown = payload === null || kind === "pairing" ? "" : JSON.parse(payload).text; // a code is shown to its user alone
  const target = [platform, chat_id, ...(thread_id === null ? [] : [thread_id])].join(":");
  const preview = typeof text === "string" ? [...text.replaceAll(/\s+/g, " ")].slice(0, PREVIEW).join("") : "";
  return { ...{ id, platform, target, kind, state, attempts, error, created_at: toIso(created_at), preview } };
}
