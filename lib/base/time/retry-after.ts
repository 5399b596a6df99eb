import type { EpochMs, Ms } from "../units.js";

/** `Retry-After` (seconds or a date) or `retry-after-ms`, in ms from `now`; undefined when it is missing or unreadable. */
export function retryAfterMs(headers: Readonly<Record<string, string>>, now: EpochMs): Ms | undefined {
  const exact = Number(headers["retry-after-ms"] ?? "");
  if (headers["retry-after-ms"] && Number.isFinite(exact)) return Math.max(0, exact);
  const text = headers["retry-after"]?.trim() ?? "";
  if (text === "") return undefined;
  const seconds = Number(text);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
