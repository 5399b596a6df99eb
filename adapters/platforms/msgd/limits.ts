import type { Clock } from "../../../lib/base/time/clock.js";
import type { Ms } from "../../../lib/base/units.js";

type Headers = Readonly<Record<string, string>>;

/**
 * What the platform said about how often it may be asked. The library would wait itself, by the system's clock and past the end of a send: so it is
 * asked here first, and a call that has to wait is refused with the time, which its row then waits.
 */
export interface Limits {
  /** How long a call has to wait; 0: it may be made. */
  wait(call: string): Ms;
  /** Learn from an answer. @param retryMs what a 429 said */
  learn(call: string, headers: Headers, retryMs?: { readonly ms: Ms; readonly global: boolean }): void;
}

const BUCKETS = 2000;

/** @param call method, route and what the platform counts by: channel, guild or webhook */
export function createLimits({ mono }: Pick<Clock, "mono">): Limits {
  /** Bucket of a call, where the platform named one. */
  const names = new Map<string, string>();
  const until = new Map<string, number>();
  let all = 0;
  const bound = (map: Map<string, unknown>) => {
    const [oldest] = map.keys();
    if (map.size > BUCKETS && oldest !== undefined) map.delete(oldest);
  };
  return {
    wait: (call) => {
      const now = mono();
      const key = names.get(call) ?? call;
      const end = Math.max(all, until.get(key) ?? 0);
      if (end > now) return Math.ceil(end - now);
      until.delete(key);
      return 0;
    },
    learn: (call, headers, retry) => {
      const now = mono();
      const bucket = headers["x-ratelimit-bucket"];
      const major = call.slice(call.indexOf(" ") + 1).replace(/^(\/\w+\/[^/]+).*/, "$1");
      const key = bucket === undefined ? call : `${bucket} ${major}`;
      if (bucket !== undefined) names.set(call, key);
      const rest = Number(headers["x-ratelimit-reset-after"] ?? 0) * 1000;
      if (headers["x-ratelimit-remaining"] === "0" && rest > 0) until.set(key, now + rest);
      if (retry?.global === true) all = now + retry.ms;
      else if (retry !== undefined) until.set(key, now + retry.ms);
      bound(names);
      bound(until);
    },
  };
}
