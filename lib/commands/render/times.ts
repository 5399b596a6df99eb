import { AppError } from "../../base/errors.js";
import type { UnixSeconds } from "../../base/units.js";

const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

/**
 * A length of time: whole seconds, or a number with s, m, h or d (`1.5h` is 5400).
 *
 * @throws E_USAGE `malformed duration`
 */
export function parseDuration(given: string): number {
  const found = /^(\d+(?:\.\d+)?)([smhd])?$/.exec(given.trim());
  const [, number = "", unit] = found ?? [];
  const factor = unit === undefined ? 1 : SECONDS[unit as keyof typeof SECONDS]; // the pattern allows only these letters
  const seconds = Number(number) * factor;
  const whole = unit !== undefined || /^\d+$/.test(number);
  if (found === null || !whole || !(seconds > 0) || !Number.isSafeInteger(Math.round(seconds))) {
    throw new AppError(
      "E_USAGE",
      `invalid duration '${given}' (seconds, or a number with s, m, h or d, e.g. 90, 15m, 1.5h)`,
    );
  }
  return Math.max(1, Math.round(seconds));
}

interface Wall {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

const ISO = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?)?(Z|[+-]\d{2}:?\d{2})?$/;

/**
 * An instant in the future: ISO 8601 (without a zone it is the caller's local time), `+<duration>`, or `HH:MM` (its next occurrence).
 *
 * @param zone IANA name of the caller's zone; undefined means the system's
 * @throws E_USAGE malformed or in the past
 */
export function parseTime(given: string, now: UnixSeconds, zone: string | undefined): UnixSeconds {
  const at = instantOf(given.trim(), now, zone);
  if (at === undefined) {
    throw new AppError("E_USAGE", `invalid time '${given}' (ISO 8601 as 2026-01-31T09:00, +2h, or 09:00)`);
  }
  if (at <= now) throw new AppError("E_USAGE", `the time '${given}' is in the past`);
  return at;
}

function instantOf(given: string, now: UnixSeconds, zone: string | undefined): UnixSeconds | undefined {
  if (given.startsWith("+")) return now + parseDuration(given.slice(1));
  const clock = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(given);
  if (clock) return nextClock(Number(clock[1]), Number(clock[2]), now, zone);
  const iso = ISO.exec(given);
  if (!iso) return undefined;
  const [, year, month, day, hour = "0", minute = "0", second = "0", offset] = iso;
  const wall = {
    year: Number(year),
    month: Number(month),
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
  };
  if (!exists(wall)) return undefined;
  return offset === undefined ? fromWall(wall, zone) : utcOf(wall) - offsetSeconds(offset);
}

function nextClock(hour: number, minute: number, now: UnixSeconds, zone: string | undefined): UnixSeconds {
  const today = wallOf(now, zone);
  const at = fromWall({ ...today, hour, minute, second: 0 }, zone);
  if (at > now) return at;
  const tomorrow = new Date(Date.UTC(today.year, today.month - 1, today.day + 1));
  const date = { year: tomorrow.getUTCFullYear(), month: tomorrow.getUTCMonth() + 1, day: tomorrow.getUTCDate() };
  return fromWall({ ...date, hour, minute, second: 0 }, zone);
}

const utcOf = (wall: Wall): UnixSeconds =>
  Date.UTC(wall.year, wall.month - 1, wall.day, wall.hour, wall.minute, wall.second) / 1000;

function exists(wall: Wall): boolean {
  const back = new Date(utcOf(wall) * 1000);
  return (
    back.getUTCMonth() + 1 === wall.month &&
    back.getUTCDate() === wall.day &&
    wall.hour < 24 &&
    wall.minute < 60 &&
    wall.second < 60
  );
}

function offsetSeconds(text: string): number {
  if (text === "Z") return 0;
  const digits = text.replace(":", "");
  const size = Number(digits.slice(1, 3)) * 3600 + Number(digits.slice(3, 5)) * 60;
  return text.startsWith("-") ? -size : size;
}

/** The instant at which clocks of the zone show `wall`; a time that the zone skips is moved on by the gap. */
function fromWall(wall: Wall, zone: string | undefined): UnixSeconds {
  const wanted = utcOf(wall);
  let at = wanted;
  for (let round = 0; round < 3; round++) at += wanted - utcOf(wallOf(at, zone));
  return at;
}

function wallOf(at: UnixSeconds, zone: string | undefined): Wall {
  const format = formatFor(zone);
  const parts = Object.fromEntries(format.formatToParts(at * 1000).map((part) => [part.type, Number(part.value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return { year, month, day, hour, minute, second };
}

function formatFor(zone: string | undefined): Intl.DateTimeFormat {
  const numeric = {
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  } as const;
  const options = { ...numeric, hourCycle: "h23", calendar: "gregory", numberingSystem: "latn" } as const;
  try {
    return new Intl.DateTimeFormat(
      "en-US",
      zone === undefined || zone === "" ? options : { ...options, timeZone: zone },
    );
  } catch {
    /* ok to lose: TZ may hold a form that only the C library knows; the system's zone is the next best. */
    return new Intl.DateTimeFormat("en-US", options);
  }
}

/** `YYYY-MM-DD HH:MM` in UTC. */
export const stamp = (at: UnixSeconds): string => new Date(at * 1000).toISOString().slice(0, 16).replace("T", " ");

/** A length in the two largest units that matter: `42s`, `3m 5s`, `2h 10m`, `3d 4h`. */
export function formatElapsed(seconds: number): string {
  const s = Math.max(0, Math.round(seconds));
  if (s < 60) return `${s}s`;
  if (s < 3600) return `${Math.floor(s / 60)}m ${s % 60}s`;
  if (s < 86_400) return `${Math.floor(s / 3600)}h ${Math.floor((s % 3600) / 60)}m`;
  return `${Math.floor(s / 86_400)}d ${Math.floor((s % 86_400) / 3600)}h`;
}
