import { PLATFORM_TAGS } from "../../contracts/board/platform-tag.js";
import type { OutboxEntry, PlatformStatus } from "../../contracts/gateway/api.js";
import type { GatewayDepth, GatewaySeen } from "../../contracts/gateway/control.js";
import { count } from "../render/change-summary.js";

const ERROR_CHARS = 100;

/** `agent gateway status` for people. */
export function renderGatewayStatus(status: GatewaySeen, full: boolean): string {
  const tags = Object.entries(status.platforms);
  const none = platformsOf(status).length === 0;
  const { inbox, outbox, cron } = status;
  return [
    ...stateLines(status),
    ...serviceLines(status),
    ...tags.map(([tag, one]) => platformLine(tag, one, full)),
    ...(status.running && none ? ["no platform configured; agent gateway setup configures one"] : []),
    ...status.problems.map((problem) => `problem: ${problem}`),
    `inbox: ${inbox.waiting} waiting${since(inbox.oldest_waiting_seconds)}, ${inbox.running} running, ${inbox.failed} failed`,
    `outbox: ${outbox.pending} pending${since(outbox.oldest_pending_seconds)}, ${outbox.retrying} retrying, ${outbox.unknown} unknown, ${outbox.failed} failed`,
    ...status.unknown.map((one) => `unknown: ${unknownLine(one)}`),
    `cron: ${count(cron.jobs, "job")}, ${cron.running} running, ${cron.tick_age_seconds === null ? "no pass yet" : `last pass ${cron.tick_age_seconds} s ago`}${cron.next_run_at === null ? "" : `, next run ${cron.next_run_at}`}`,
    ...(status.deep === undefined ? [] : depthLines(status.deep)),
  ].join("\n");
}

/** A message that may or may not have arrived, with what an operator may do about it. */
const unknownLine = ({ id, target, kind, age_seconds, preview }: OutboxEntry): string =>
  `${id}  ${kind} to ${target}, ${age_seconds} s ago: ${preview} (agent gateway outbox retry or drop)`;

/** Platforms alone: other listeners are not chats. */
const platformsOf = ({ platforms }: GatewaySeen): readonly PlatformStatus[] =>
  Object.entries(platforms).flatMap(([tag, one]) => (PLATFORM_TAGS.some((known) => known === tag) ? [one] : []));

/** One platform and how it is. */
export function platformLine(tag: string, one: PlatformStatus, full = false): string {
  const error = one.error_code === null ? "" : `: ${one.error_code}, ${shortened(one.error_message ?? "", full)}`;
  const received = one.last_receive_at === null ? "" : `, last message in ${one.last_receive_at}`;
  const listens = one.listen === null ? "" : `, listens on ${one.listen}`;
  return `${tag}: ${one.state} (${one.account}) since ${one.updated_at}${listens}${received}${error}`;
}

function stateLines({
  running,
  state,
  role,
  pid,
  uptime_seconds,
  active_turns,
  ...status
}: GatewaySeen): readonly string[] {
  if (!running) {
    const last = status.recorded_at === null ? "" : `; it ended ${status.recorded_at}: ${status.exit_reason}`;
    return [
      `gateway: ${state === "startup_failed" ? "failed to start" : "not running"}${last} (agent gateway start starts it)`,
    ];
  }
  const restarts = status.restart_requested ? ", restarts" : "";
  const lag = status.event_loop_lag_ms ?? 0;
  return [
    `gateway: ${state}${restarts}, in the ${role} process ${pid}, ${uptime_seconds ?? 0} s, ${active_turns} turns`,
    ...(lag > SLOW_MS ? [`problem: the process was unresponsive for ${lag} ms within the last minute`] : []),
  ];
}

const SLOW_MS = 5000;

function serviceLines({ service }: GatewaySeen): readonly string[] {
  if (service === null) return [];
  if (!service.installed) return ["service: not installed (agent gateway install installs one)"];
  const stale = service.stale_unit ? ", stale unit: agent gateway install --force updates it" : "";
  return [`service: ${service.kind}, ${service.active ? "active" : "not active"}${stale}`];
}

function depthLines({ unit_drift, base_addresses, packages, log }: GatewayDepth): readonly string[] {
  return [
    ...unit_drift.map((line) => `unit: ${line}`),
    ...Object.entries(base_addresses).map(([name, address]) => `address: ${name}=${address}`),
    ...Object.entries(packages).map(([name, version]) => `package: ${name} ${version ?? "is not installed"}`),
    ...log.map((line) => `log: ${line}`),
  ];
}

/** `agent gateway status --all` for people: one row for each profile. */
export function statusRows(
  found: readonly (GatewaySeen | { readonly profile: string; readonly error: string })[],
): string {
  return found
    .map((one) => {
      if ("error" in one) return `${one.profile}  cannot be read: ${one.error}`;
      const platforms = platformsOf(one);
      const connected = platforms.filter(({ state }) => state === "connected").length;
      const process = one.running ? `pid ${one.pid}  ${one.uptime_seconds} s` : "not running";
      return `${one.profile}  ${one.state}  ${process}  ${connected}/${platforms.length} connected  ${one.outbox.pending} pending  ${one.outbox.unknown} unknown${troubleOf(one)}`;
    })
    .join("\n");
}

/** What keeps platforms of a profile from working, in a word each; `agent -p PROFILE gateway status` says more. */
function troubleOf({ platforms, problems, service }: GatewaySeen): string {
  const faults = Object.entries(platforms).flatMap(([tag, { error_code: code }]) =>
    code === null ? [] : [`${tag} ${code}`],
  );
  const more = [
    ...faults,
    ...(problems.length === 0 ? [] : [`${problems.length} problem(s)`]),
    ...(service?.stale_unit === true ? ["stale unit"] : []),
  ];
  return more.length === 0 ? "" : `  ${more.join(", ")}`;
}

const since = (seconds: number | null): string => (seconds === null ? "" : ` (the oldest for ${seconds} s)`);

const shortened = (text: string, full: boolean): string =>
  full || text.length <= ERROR_CHARS ? text : `${text.slice(0, ERROR_CHARS)}…`;

/** One message that is not sent. */
export function outboxLine({ id, state, kind, target, attempts, created_at, error, preview }: OutboxEntry): string {
  const why = error === null ? "" : ` [${error}]`;
  return `${id}  ${state}  ${kind} to ${target}  ${created_at}  ${attempts} attempt(s)${why}  ${preview}`;
}
