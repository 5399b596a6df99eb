import { AppError } from "../../base/errors.js";
import { momentText, type Zone, zoneNamed } from "../../base/time/zone.js";
import type { EpochMs, Ms } from "../../base/units.js";
import type { CatchUp, Schedule } from "../../contracts/gateway/cron.js";
import { BadExpression, parseFields, wallTimes } from "./cron-expression.js";

/** A schedule in its place: the zone of its wall times, and what its intervals are counted from. */
export interface Timetable {
  readonly schedule: Schedule;
  readonly timezone: string;
  readonly anchor: EpochMs;
}

const MINUTE: Ms = 60_000;
const HOUR: Ms = 60 * MINUTE;
const UNITS: Readonly<Record<string, number>> = { m: 1, h: 60, d: 1440 };
/** Longest time that may be said by its length: ten years. */
const LONGEST_MINUTES = 3650 * 1440;
/** A one-shot may lie so far in the past. */
const PAST: Ms = 120_000;

const SHORT: ReadonlyMap<string, string> = new Map([
  ["@hourly", "0 * * * *"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@weekly", "0 0 * * 0"],
  ["@monthly", "0 0 1 * *"],
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
]);

const FORMS = [
  "30m, 2h or 1d (once, after that time)",
  "every 30m, every 2h, every 1d",
  "five cron fields: minute hour day month weekday, e.g. 0 9 * * MON-FRI",
  "@hourly, @daily, @midnight, @weekly, @monthly, @yearly, @annually",
  "2026-07-01T09:00, with seconds and with Z or +hh:mm if need be (once)",
];

const DURATION = /^(\d{1,7})\s*([mhd])$/i;
const EVERY = /^every\s+(\d{1,7})\s*([mhd])$/i;
const MOMENT = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d))?(Z|[+-]\d\d:\d\d)?$/;

/** Read what a user wrote. @throws E_INVALID with every form that there is; also for a zone that does not exist and a date that never occurs */
export function parseSchedule(
  text: string,
  { now, timezone }: { readonly now: EpochMs; readonly timezone: string },
): Schedule {
  const zone = zoneNamed(timezone);
  const input = text.trim();
  const duration = DURATION.exec(input);
  if (duration) return { kind: "once", run_at: now + minutesOf(duration, input) * MINUTE };
  const every = EVERY.exec(input);
  if (every) return { kind: "interval", minutes: minutesOf(every, input) };
  const moment = MOMENT.exec(input);
  if (moment) return once(moment, input, { now, zone });
  refuseNearMiss(input);
  return cron(input, { now, zone });
}

/** Text for lists. */
export function scheduleDisplay({ schedule, timezone }: Timetable): string {
  if (schedule.kind === "once") return `once at ${momentText(schedule.run_at, timezone)}`;
  if (schedule.kind === "cron") return `${schedule.expr} (${timezone})`;
  const { minutes } = schedule;
  if (minutes % 1440 === 0) return `every ${minutes / 1440}d`;
  return minutes % 60 === 0 ? `every ${minutes / 60}h` : `every ${minutes}m`;
}

/** Every run later than `after`, in order; no end for most schedules. */
export function* runsAfter({ schedule, timezone, anchor }: Timetable, after: EpochMs): Generator<EpochMs> {
  if (schedule.kind === "once") {
    if (schedule.run_at > after) yield schedule.run_at;
  } else if (schedule.kind === "interval") {
    const every = schedule.minutes * MINUTE;
    const passed = Math.max(0, Math.floor((after - anchor) / every));
    for (let n = passed + 1; ; n++) yield anchor + n * every;
  } else {
    yield* cronRuns(schedule.expr, zoneNamed(timezone), after);
  }
}

/** The next `count` runs later than `after`; fewer when the schedule ends. */
export function nextRuns(table: Timetable, after: EpochMs, count: number): EpochMs[] {
  const found: EpochMs[] = [];
  if (count < 1) return found;
  for (const at of runsAfter(table, after)) if (found.push(at) >= count) break;
  return found;
}

/** The run after `after`. */
export function nextRun(table: Timetable, after: EpochMs): EpochMs | undefined {
  return nextRuns(table, after, 1)[0];
}

/** Time from one run to the next; undefined for a one-shot. */
function periodAt(table: Timetable, run: EpochMs): Ms | undefined {
  const next = table.schedule.kind === "once" ? undefined : nextRun(table, run);
  return next === undefined ? undefined : next - run;
}

/** How late a run may be and still counts as in time: half its period, from two minutes to two hours. */
export function graceAt(table: Timetable, run: EpochMs): Ms {
  return Math.min(2 * HOUR, Math.max(2 * MINUTE, (periodAt(table, run) ?? 0) / 2));
}

/** What happens to missed runs by default: made up for once, unless the job runs more often than every hour. */
export function defaultCatchUp(table: Timetable, now: EpochMs): CatchUp {
  const runs = nextRuns(table, now, 6);
  return runs.every((at, n) => n === 0 || at - (runs[n - 1] ?? 0) >= HOUR) ? "once" : "skip";
}

function* cronRuns(expr: string, zone: Zone, after: EpochMs): Generator<EpochMs> {
  const from = Math.floor(zone.wallOf(after) / MINUTE) * MINUTE;
  let last = after;
  for (const wall of wallTimes(parseFields(expr), from)) {
    const at = wall < from ? last : zone.instantOf(wall);
    if (at <= last) continue; // earlier that day, shown a second time, or left out together with the one before
    last = at;
    yield at;
  }
}

const UNKNOWN_NAME = /^@\S*$/;
const EVERY_WORD = /^every(?:\s+(.*))?$/is;
/** A number, perhaps signed or broken, and what stands in place of a unit. */
const AMOUNT = /^([+-]?\d+(?:[.,]\d+)?)\s*([a-z]*)$/i;

/** Name what is wrong with a text that was meant as a name or a length of time. @throws E_INVALID */
function refuseNearMiss(input: string): void {
  if (UNKNOWN_NAME.test(input)) {
    if (!SHORT.has(input.toLowerCase())) throw refused(input, `is unknown (known: ${[...SHORT.keys()].join(", ")})`);
    return;
  }
  const every = EVERY_WORD.exec(input);
  const length = every ? (every[1] ?? "") : input;
  const amount = AMOUNT.exec(length);
  if (amount) throw refused(input, amountProblem(amount));
  if (every)
    throw refused(
      input,
      length === ""
        ? "requires an interval after 'every'"
        : `requires an interval after 'every', not '${length.slice(0, 40)}'`,
    );
}

function amountProblem([, count = "", unit = ""]: RegExpExecArray): string {
  if (unit === "") return "requires a unit after the number: m, h or d";
  if (!Object.hasOwn(UNITS, unit.toLowerCase())) return `has the unknown unit '${unit.slice(0, 40)}' (known: m, h, d)`;
  return `requires a positive whole number of at most 7 digits, not '${count.slice(0, 40)}'`;
}

function minutesOf([, count = "", unit = ""]: RegExpExecArray, input: string): number {
  const minutes = Number(count) * (UNITS[unit.toLowerCase()] ?? 0);
  if (minutes < 1) throw refused(input, "is zero");
  if (minutes > LONGEST_MINUTES) throw refused(input, "is longer than ten years");
  return minutes;
}

function once(
  found: RegExpExecArray,
  input: string,
  { now, zone }: { readonly now: EpochMs; readonly zone: Zone },
): Schedule {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const wall = Date.UTC(year, month - 1, day, hour, minute, second);
  const real = new Date(wall).toISOString().slice(0, 19);
  if (real.slice(0, 16) !== input.slice(0, 16) || second > 59)
    throw refused(input, "is a date or time that does not exist");
  const run_at = found[7] === undefined ? zone.instantOf(wall) : wall - offsetOf(found[7], input);
  if (now - run_at > PAST) throw refused(input, `is in the past: the time is ${momentText(now, zone.name)}`);
  return { kind: "once", run_at };
}

function offsetOf(text: string, input: string): Ms {
  if (text === "Z") return 0;
  const hours = Number(text.slice(1, 3));
  const minutes = Number(text.slice(4));
  if (hours > 14 || minutes > 59) throw refused(input, "has an invalid offset");
  return (text.startsWith("-") ? -1 : 1) * (hours * 60 + minutes) * MINUTE;
}

function cron(input: string, { now, zone }: { readonly now: EpochMs; readonly zone: Zone }): Schedule {
  const expr = SHORT.get(input.toLowerCase()) ?? input.split(/\s+/).join(" ");
  try {
    const [first] = cronRuns(expr, zone, now);
    if (first === undefined) throw new BadExpression("is a date that never occurs");
  } catch (error) {
    if (!(error instanceof BadExpression)) throw error;
    throw refused(input, /\s|^@/.test(input) ? error.message : "is invalid", error);
  }
  return { kind: "cron", expr };
}

function refused(input: string, why: string, cause?: unknown): AppError {
  const shown = JSON.stringify(input.length > 100 ? `${input.slice(0, 100)}…` : input);
  return new AppError(
    "E_INVALID",
    `schedule ${shown} ${why}`,
    { schedule: input.slice(0, 200), hint: `forms: ${FORMS.join("; ")}` },
    cause,
  );
}
