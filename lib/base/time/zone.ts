import { AppError } from "../errors.js";
import type { EpochMs, Ms } from "../units.js";

/** A time as a clock on the wall shows it, as if that clock stood in UTC: `Date.UTC` of its fields. */
export type WallMs = number;

/** Wall times of one time zone. */
export interface Zone {
  /** As the time zone database has it. */
  readonly name: string;
  wallOf(at: EpochMs): WallMs;
  /**
   * When a clock there shows `wall`: at the first of two times when it is set back, and when it is set past `wall`, the first minute after that.
   */
  instantOf(wall: WallMs): EpochMs;
}

const MINUTE: Ms = 60_000;
const HOUR: Ms = 60 * MINUTE;
/** No zone is further from UTC, so any time with a given wall time lies within. */
const REACH: Ms = 15 * HOUR;
/** Offsets are looked up at steps of this width; no zone changes its clock twice within one. */
const STEP: Ms = 96 * HOUR;
const KEPT_STEPS = 1024;
const KEPT_ZONES = 64;

const zones = new Map<string, Zone>();

/** Zone by its name of the time zone database, without regard to case. @throws E_INVALID for an unknown one */
export function zoneNamed(name: string): Zone {
  const known = zones.get(name);
  if (known !== undefined) return known;
  const zone = createZone(name);
  if (zones.size >= KEPT_ZONES) zones.clear();
  zones.set(name, zone);
  return zone;
}

/** Zone that the system has been set to. */
export function systemZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** A moment as clocks of the zone show it: `2026-07-01 09:00 Europe/Berlin (UTC+02:00)`; seconds only where there are some. */
export function momentText(at: EpochMs, timezone: string): string {
  const zone = zoneNamed(timezone);
  const shown = new Date(zone.wallOf(at)).toISOString();
  const offset = Math.round((zone.wallOf(at) - at) / MINUTE);
  const two = (n: number) => String(n).padStart(2, "0");
  const size = Math.abs(offset);
  const from = `UTC${offset < 0 ? "-" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
  const time = shown.slice(11, at % MINUTE === 0 ? 16 : 19);
  return `${shown.slice(0, 10)} ${time} ${zone.name} (${from})`;
}

function createZone(given: string): Zone {
  const format = formatOf(given);
  const resolved = format.resolvedOptions().timeZone;
  const offsetAt = offsets(format);
  return {
    name: resolved.toLowerCase() === given.toLowerCase() ? resolved : given,
    wallOf: (at) => at + offsetAt(at),
    instantOf: (wall) => {
      const before = offsetAt(wall - REACH);
      const after = offsetAt(wall + REACH);
      const shown = [before, after].map((offset) => wall - offset).filter((at) => at + offsetAt(at) === wall);
      return shown.length > 0 ? Math.min(...shown) : changeBetween(offsetAt, wall - REACH, wall + REACH);
    },
  };
}

function formatOf(name: string): Intl.DateTimeFormat {
  const fields = {
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  } as const;
  try {
    if (!/^[a-z]/i.test(name)) throw new RangeError("an offset is not a time zone");
    return new Intl.DateTimeFormat("en-US", {
      ...fields,
      hourCycle: "h23",
      timeZone: name,
      calendar: "gregory",
      numberingSystem: "latn",
    });
  } catch (error) {
    const hint = "use a name of the time zone database, e.g. Europe/Berlin or UTC";
    throw new AppError("E_INVALID", `unknown time zone ${JSON.stringify(name)}`, { timezone: name, hint }, error);
  }
}

/** Offsets from UTC, each step looked up once. */
function offsets(format: Intl.DateTimeFormat): (at: EpochMs) => Ms {
  const steps = new Map<number, { readonly first: Ms; readonly change: EpochMs; readonly then: Ms }>();
  const ask = (at: EpochMs) => offsetOf(format, at);
  return (at) => {
    const n = Math.floor(at / STEP);
    let step = steps.get(n);
    if (step === undefined) {
      const from = n * STEP;
      const to = (n + 1) * STEP;
      const first = ask(from);
      const then = ask(to);
      step = { first, then, change: first === then ? to : changeBetween(ask, from, to) };
      if (steps.size >= KEPT_STEPS) steps.clear();
      steps.set(n, step);
    }
    return at < step.change ? step.first : step.then;
  };
}

function offsetOf(format: Intl.DateTimeFormat, at: EpochMs): Ms {
  const second = Math.floor(at / 1000) * 1000;
  const part: Record<string, number> = {};
  for (const { type, value } of format.formatToParts(second)) part[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second: s = 0 } = part;
  return Date.UTC(year, month - 1, day, hour, minute, s) - second;
}

/** First minute with the offset of `to`. */
function changeBetween(offsetAt: (at: EpochMs) => Ms, from: EpochMs, to: EpochMs): EpochMs {
  const wanted = offsetAt(to);
  let low = Math.floor(from / MINUTE);
  let high = Math.ceil(to / MINUTE);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(middle * MINUTE) === wanted) high = middle;
    else low = middle;
  }
  return high * MINUTE;
}
