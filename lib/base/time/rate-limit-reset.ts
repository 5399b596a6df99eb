import { isRecord, jsonOf } from "../json/record.js";
import type { EpochMs, Ms } from "../units.js";
import { retryAfterMs } from "./retry-after.js";

/** A limit that a provider tells is believed between these (proxy part, 5.2). */
const LEAST_MS: Ms = 1_000;
const MOST_MS: Ms = 7 * 24 * 3_600_000;

/** When the provider says that a limit is over, in ms from `now`; undefined when it says nothing that can be read. */
export function parseRateLimitResetMs(
  headers: Readonly<Record<string, string>>,
  body: string,
  now: EpochMs,
): Ms | undefined {
  const told = retryAfterMs(headers, now) ?? fromHeaders(headers, now) ?? fromBody(jsonOf(body), now) ?? fromText(body);
  return told === undefined ? undefined : Math.min(Math.max(told, LEAST_MS), MOST_MS);
}

/** The nearest of `x-ratelimit-reset`, `x-ratelimit-reset-requests` and the like that belongs to a used-up limit. */
function fromHeaders(headers: Readonly<Record<string, string>>, now: EpochMs): Ms | undefined {
  const found = Object.entries(headers).flatMap(([name, value]) => {
    if (!name.startsWith("x-ratelimit-reset")) return [];
    const left = headers[name.replace("reset", "remaining")];
    if (left !== undefined && Number(left) > 0) return []; // this one is not used up
    const wait = instant(value, now) ?? span(value);
    return wait === undefined ? [] : [wait];
  });
  return found.length === 0 ? undefined : Math.max(...found);
}

const RESET_NAMES = ["resets_at", "reset_at", "resetsAt", "resetAt", "reset_time", "resetTime", "reset"];
const SPAN_NAMES = ["quotaResetDelay", "resets_in_seconds", "retry_after", "retryAfter", "retryDelay"];

function fromBody(value: unknown, now: EpochMs, depth = 0): Ms | undefined {
  if (depth > 5) return undefined;
  if (Array.isArray(value))
    return value.map((item) => fromBody(item, now, depth + 1)).find((wait) => wait !== undefined);
  if (!isRecord(value)) return undefined;
  for (const name of RESET_NAMES) {
    const wait = instant(value[name], now);
    if (wait !== undefined) return wait;
  }
  for (const name of SPAN_NAMES) {
    const given = value[name];
    const wait = typeof given === "number" ? given * 1000 : typeof given === "string" ? span(given) : undefined;
    if (wait !== undefined) return wait;
  }
  return fromBody(Object.values(value), now, depth + 1);
}

/** Epoch seconds, epoch milliseconds or an ISO time. */
function instant(value: unknown, now: EpochMs): Ms | undefined {
  const number =
    typeof value === "number"
      ? value
      : typeof value === "string" && /^\d{9,13}(\.\d+)?$/.test(value)
        ? Number(value)
        : undefined;
  if (number !== undefined) return number > 1e11 ? number - now : number > 1e8 ? number * 1000 - now : undefined;
  if (typeof value !== "string" || !/^\d{4}-\d\d-\d\dT/.test(value)) return undefined;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : at - now;
}

const UNITS: Readonly<Record<string, Ms>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `30`, `1.5s`, `2h 3m`, `6m0s`: numbers without a unit are seconds. */
function span(text: string): Ms | undefined {
  const plain = text.trim();
  if (/^\d{1,8}(\.\d+)?$/.test(plain)) return Number(plain) * 1000;
  let total = 0;
  const rest = plain.replace(
    /(\d{1,8}(?:\.\d{1,9})?)\s?(ms|[smhd])[a-z]{0,8}[ ,]{0,2}/gi,
    (_all, n: string, unit: string) => {
      total += Number(n) * (UNITS[unit.toLowerCase()] ?? 0);
      return "";
    },
  );
  return rest.trim() === "" && total > 0 ? total : undefined;
}

/** "retry after 20 s", "try again in 1m2s", "resets in 2h 5m". */
function fromText(body: string): Ms | undefined {
  const said =
    /(?:retry after|try again in|resets? in|reset after)\s{1,3}((?:\d{1,8}(?:\.\d{1,9})?\s?[a-z]{0,8}[ ,]{0,2}){1,4})/i.exec(
      body.slice(0, 4_000),
    )?.[1];
  if (said === undefined) return undefined;
  const times =
    /^(?:\d+(?:\.\d+)?\s?(?:ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hours?|d|days?)?[ ,]*)+/i.exec(
      said,
    )?.[0];
  return times === undefined ? undefined : span(times.trim());
}
