import * as z from "zod";
import type { EpochMs } from "../../base/units.js";
import { CONFIG_VERSION } from "../../contracts/config/config.js";
import { defineEndpoint, type Endpoint } from "../../http/endpoint.js";
import type { DashboardParts } from "../core/parts.js";

/** How long a session counts as active after its last event. */
const ACTIVE_MS = 300_000;
/** Sessions that are looked at for it: they are listed from the newest activity on. */
const LOOKED_AT = 200;

const listener = z.object({
  kind: z.string(),
  serves: z.string(),
  url: z.string(),
  since: z.number(),
  held_by: z.string(),
});

const status = z.object({
  version: z.string(),
  release_date: z.string().nullable(),
  config_version: z.int(),
  latest_config_version: z.int(),
  can_update: z.boolean(),
  gateway_running: z.boolean(),
  gateway_state: z.string(),
  gateway_platforms: z.record(
    z.string(),
    z.object({ state: z.string(), error_code: z.string().nullable(), updated_at: z.string() }),
  ),
  gateway_exit_reason: z.string().nullable().describe("for callers with the token"),
  gateway_updated_at: z.string().nullable(),
  active_sessions: z.int().describe("not ended, and active within the last five minutes"),
  auth_required: z.literal(true),
  auth_providers: z.array(z.string()),
  home: z.string().optional(),
  config_path: z.string().optional(),
  env_path: z.string().optional(),
  owner_pid: z.int().optional(),
  open_turns: z.int().optional().describe("turns in progress"),
  listeners: z.array(listener).optional(),
});

/** What is public about this owner, and more for a holder of the token. */
export const STATUS_ENDPOINT: Endpoint<DashboardParts> = defineEndpoint({
  method: "GET",
  path: "/api/status",
  summary: "Read the status. Paths, process and listeners require the token.",
  tag: "status",
  access: "public",
  answer: status,
  run: async ({ known }, parts: DashboardParts) => ({
    json: { ...(await describeOpenly(parts, known)), ...(known ? await describeFully(parts) : {}) },
  }),
});

async function describeOpenly(parts: DashboardParts, known: boolean) {
  const { version, chat, clock, config, access } = parts;
  const found = config.raw("_config_version");
  return {
    version,
    release_date: null,
    config_version: typeof found === "number" ? found : CONFIG_VERSION,
    latest_config_version: CONFIG_VERSION,
    can_update: false,
    ...(await describeGateway(parts, known)),
    active_sessions: await activeSessions(chat, clock.now()),
    auth_required: true,
    auth_providers: access.providers().map(({ name }) => name),
  };
}

/** Accounts, addresses and messages of platforms stay out: strangers may ask. */
async function describeGateway({ gateway }: DashboardParts, known: boolean) {
  const { running, state, started_at, recorded_at, exit_reason, platforms } = await gateway();
  const shown = Object.entries(platforms).map(([name, one]) => {
    const { error_code, updated_at } = one;
    return [name, { state: one.state, error_code, updated_at }] as const;
  });
  return {
    gateway_running: running,
    gateway_state: state,
    gateway_platforms: Object.fromEntries(shown),
    gateway_exit_reason: known ? exit_reason : null,
    gateway_updated_at: running ? started_at : recorded_at,
  };
}

async function activeSessions(chat: DashboardParts["chat"], now: EpochMs): Promise<number> {
  const sessions = await chat.list({ limit: LOOKED_AT });
  return sessions.filter((one) => one.ended_at === null && now - one.last_active_at < ACTIVE_MS).length;
}

async function describeFully({ home, owner, listeners }: DashboardParts) {
  const { pid, open_turns } = await owner.status();
  const all = await listeners();
  return {
    home: home.dir,
    config_path: home.config,
    env_path: home.env,
    owner_pid: pid,
    open_turns,
    listeners: all.map(({ kind, serves, url, since, heldBy }) => ({ kind, serves, url, since, held_by: heldBy })),
  };
}
