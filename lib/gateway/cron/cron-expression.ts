import type { WallMs } from "../../base/time/zone.js";
import type { Ms } from "../../base/units.js";

/** Five fields as lists of numbers in order. Undefined: the field restricts nothing. */
export interface CronFields {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: readonly number[] | undefined;
  readonly months: readonly number[];
  /** 0 is Sunday. */
  readonly weekdays: readonly number[] | undefined;
}

/** What is wrong with an expression, in words that go on after its text. */
export class BadExpression extends Error {}

interface Field {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const WEEKDAYS = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];
const FIELDS = {
  minute: { name: "minute", min: 0, max: 59 },
  hour: { name: "hour", min: 0, max: 23 },
  day: { name: "day of the month", min: 1, max: 31 },
  month: { name: "month", min: 1, max: 12, names: MONTHS },
  weekday: { name: "weekday", min: 0, max: 6, names: WEEKDAYS },
} as const satisfies Record<string, Field>;

const ANY = /^[*?](\/1)?$/;
const PART = /^([*?]|[a-z0-9]+)(?:-([a-z0-9]+))?(?:\/(\d{1,4}))?$/i;
/** The longest time between two days that fit: from one 29 February to the next, over a century year that is not a leap year. */
const RAREST_DAYS = 8 * 366;
const DAY: Ms = 86_400_000;
const HOUR: Ms = 3_600_000;
const MINUTE: Ms = 60_000;

/** Read five fields. @throws BadExpression */
export function parseFields(expr: string): CronFields {
  const words = expr.trim().split(/\s+/);
  const [minute = "", hour = "", day = "", month = "", weekday = ""] = words;
  if (words.length !== 5) throw new BadExpression(`has ${words.length} fields instead of five`);
  return {
    minutes: numbersOf(minute, FIELDS.minute),
    hours: numbersOf(hour, FIELDS.hour),
    days: ANY.test(day) ? undefined : numbersOf(day, FIELDS.day),
    months: numbersOf(month, FIELDS.month),
    weekdays: ANY.test(weekday) ? undefined : numbersOf(weekday, FIELDS.weekday),
  };
}

/** Every wall time that the fields mean, from the day of `from` on, in order. Ends where no later day fits. */
export function* wallTimes(fields: CronFields, from: WallMs): Generator<WallMs> {
  let day = Math.floor(from / DAY) * DAY;
  for (let unfit = 0; unfit <= RAREST_DAYS; day += DAY) {
    unfit = fits(fields, new Date(day)) ? 0 : unfit + 1;
    if (unfit > 0) continue;
    for (const hour of fields.hours) for (const minute of fields.minutes) yield day + hour * HOUR + minute * MINUTE;
  }
}

/** Day and weekday both restricted: either is enough. */
function fits({ days, months, weekdays }: CronFields, date: Date): boolean {
  if (!months.includes(date.getUTCMonth() + 1)) return false;
  const byDay = days?.includes(date.getUTCDate());
  const byWeekday = weekdays?.includes(date.getUTCDay());
  return byDay === undefined || byWeekday === undefined ? (byDay ?? byWeekday ?? true) : byDay || byWeekday;
}

function numbersOf(text: string, field: Field): readonly number[] {
  const found = new Set<number>();
  for (const part of text.split(","))
    for (const n of partOf(part, field)) found.add(field.name === "weekday" ? n % 7 : n);
  return [...found].sort((a, b) => a - b);
}

function partOf(part: string, field: Field): number[] {
  const [, from = "", to, by] = PART.exec(part) ?? [];
  if (from === "") throw new BadExpression(`has ${JSON.stringify(part)} as its ${field.name}`);
  const any = from === "*" || from === "?";
  if (any && to !== undefined) throw new BadExpression(`has ${JSON.stringify(part)} as its ${field.name}`);
  const first = any ? field.min : numberOf(from, field);
  const last = lastOf({ any, first, to, by }, field);
  const step = by === undefined ? 1 : Number(by);
  if (step < 1 || step > field.max)
    throw new BadExpression(`has a step of ${step} in its ${field.name} (1 to ${field.max})`);
  if (last < first)
    throw new BadExpression(`has the range ${part} in its ${field.name}, whose end is before its start`);
  const found: number[] = [];
  for (let n = first; n <= last; n += step) found.push(n);
  return found;
}

/** A range to Sunday ends with the week: SUN is 7 there. */
function lastOf(
  {
    any,
    first,
    to,
    by,
  }: {
    readonly any: boolean;
    readonly first: number;
    readonly to: string | undefined;
    readonly by: string | undefined;
  },
  field: Field,
): number {
  if (to === undefined) return any ? field.max : by === undefined ? first : Math.max(first, field.max);
  const last = numberOf(to, field);
  return field.name === "weekday" && last === 0 && first > 0 ? 7 : last;
}

function numberOf(text: string, field: Field): number {
  const named = field.names?.indexOf(text.toUpperCase()) ?? -1;
  if (named >= 0) return named + field.min;
  const n = /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  const max = field.name === "weekday" ? 7 : field.max;
  if (n >= field.min && n <= max) return n;
  throw new BadExpression(`has ${JSON.stringify(text)} in its ${field.name} (${field.min} to ${max})`);
}
