import { type EpochMs, type Ms, toIso } from "../../base/units.js";
import type { AuthEntry, AuthProvider, AuthStatus } from "../../contracts/models/auth.js";
import { spanOf } from "../../contracts/models/pool.js";
import { plain } from "../render/plain.js";

/** Credentials of a provider in lines, the one in use marked. */
export function providerLines({ provider, name, entries, error }: AuthProvider, now: EpochMs): readonly string[] {
  const rows = entries.map((entry) => `${entry.current ? "->" : "  "} ${entryLine(entry, now)}`);
  return [
    name === provider ? provider : `${provider} (${name})`,
    ...rows,
    ...(error === null ? [] : [`   ${plain(error)}`]),
  ];
}

/** One credential in one line. */
export function entryLine(entry: AuthEntry, now: EpochMs): string {
  const { index, label, type, source, region, scope } = entry;
  const where = [region, scope === "shared" ? null : scope]
    .flatMap((word) => (word === null ? [] : [` ${word}`]))
    .join("");
  return `#${index} ${plain(label)} ${type} ${plain(source)}${where} ${statusOf(entry, now)}`;
}

function statusOf({ status, reason, reset_at, expires_at }: AuthEntry, now: EpochMs): string {
  if (status === "dead") return `must be replaced${reason === null ? "" : ` (${plain(reason)})`}`;
  if (status === "ok") return expires_at === null ? "ok" : `ok, ${untilOf(expires_at, now)}`;
  const left = reset_at === null ? "" : `, available in ${spanOf(Math.max(0, reset_at - now))}`;
  return `exhausted (${plain(reason ?? "unknown")})${left}`;
}

const DAY_MS: Ms = 86_400_000;

/** Local time, with its day where that is another one. */
export function formatLocalTime(at: EpochMs, now: EpochMs): string {
  const date = new Date(at);
  const time = new Date(at).toTimeString().slice(0, 5);
  const near = Math.abs(at - now) < DAY_MS && date.getDate() === new Date(now).getDate();
  const two = (n: number) => String(n).padStart(2, "0");
  return near ? time : `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${time}`;
}

const untilOf = (at: EpochMs, now: EpochMs): string =>
  at <= now ? "renewed on next use" : `until ${formatLocalTime(at, now)}`;

/** How a login stands, in lines. */
export function statusLines(status: AuthStatus, now: EpochMs): readonly string[] {
  const { provider, logged_in, account, region, expires_at, error } = status;
  const words = [
    `${provider}: ${logged_in ? "logged in" : "logged out"}`,
    ...(account === null ? [] : [`as ${plain(account)}`]),
    ...(region === null ? [] : [`region ${region}`]),
    ...(expires_at === null ? [] : [untilOf(expires_at, now)]),
  ];
  return [words.join(", "), ...(error === null ? [] : [`last error: ${plain(error)}`])];
}

/** How the credentials of a provider stand, in one line. */
export function summaryLine({ provider, entries, error }: AuthProvider, now: EpochMs): string {
  const login = entries.find((entry) => entry.type === "oauth" && entry.status !== "dead");
  const counts = (["ok", "exhausted", "dead"] as const).flatMap((status) => {
    const own = entries.filter((entry) => entry.status === status);
    const first = Math.min(...own.map((entry) => entry.reset_at ?? Number.POSITIVE_INFINITY));
    const left = Number.isFinite(first) ? ` ${spanOf(Math.max(0, first - now))}` : "";
    return own.length === 0 ? [] : [`${own.length} ${WORDS[status]}${left}`];
  });
  const until = login?.expires_at == null ? "" : `, ${untilOf(login.expires_at, now)}`;
  const region = login?.region == null ? "" : `, region ${login.region}`;
  const who = login === undefined ? "" : `logged in as ${plain(login.label)}${region}${until}; `;
  const over = login === undefined && error !== null ? `login required (${plain(error)}); ` : "";
  return `${provider}: ${who}${over}${counts.join(", ") || "no credential"}`;
}

const WORDS = { ok: "ok", exhausted: "cooling down", dead: "to be replaced" } as const;

const time = (at: EpochMs | null): string | null => (at === null ? null : toIso(at));

/** The same for machines: times as ISO text. */
export const entryData = (entry: AuthEntry) => ({
  ...entry,
  reset_at: time(entry.reset_at),
  expires_at: time(entry.expires_at),
});
export const statusData = (status: AuthStatus) => ({ ...status, expires_at: time(status.expires_at) });
