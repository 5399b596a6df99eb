import type { GatewayStatus, OutboxEntry } from "../../proto/gateway-api.js";

const ERROR_CHARS = 100;

/** `agent gateway status` for people. */
export function statusText(status: GatewayStatus, full: boolean): string {
  const { state, role, pid, uptime_seconds, inbox, outbox } = status;
  const tags = Object.entries(status.platforms);
  return [
    status.running
      ? `gateway: ${state}, in the ${role} process ${pid}, ${uptime_seconds} s`
      : "gateway: not running (agent gateway run starts it)",
    ...tags.map(([tag, one]) => {
      const error = one.error_code === null ? "" : `: ${one.error_code}, ${shortened(one.error_message ?? "", full)}`;
      return `${tag}: ${one.state} (${one.account}) since ${one.updated_at}${error}`;
    }),
    ...(status.running && tags.length === 0 ? ["no platform is set up: agent help gateway"] : []),
    ...status.problems.map((problem) => `problem: ${problem}`),
    `inbox: ${inbox.waiting} waiting${since(inbox.oldest_waiting_seconds)}, ${inbox.running} running, ${inbox.failed} failed`,
    `outbox: ${outbox.pending} pending${since(outbox.oldest_pending_seconds)}, ${outbox.retrying} retrying, ${outbox.unknown} unknown, ${outbox.failed} failed`,
    ...status.unknown.map((one) => `unknown: ${outboxLine(one)}`),
  ].join("\n");
}

const since = (seconds: number | null): string => (seconds === null ? "" : ` (the oldest for ${seconds} s)`);

const shortened = (text: string, full: boolean): string => (full || text.length <= ERROR_CHARS ? text : `${text.slice(0, ERROR_CHARS)}…`);

/** One message that is not sent. */
export function outboxLine({ id, state, kind, target, attempts, created_at, error, preview }: OutboxEntry): string {
  const why = error === null ? "" : ` [${error}]`;
  return `${id}  ${state}  ${kind} to ${target}  ${created_at}  ${attempts} attempt(s)${why}  ${preview}`;
}
