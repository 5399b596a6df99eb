import assert from "node:assert/strict";
import { test } from "node:test";
import { seeded } from "../../../fixtures/ports/random.js";
import { anyExpression, cronOracle, HARD_EXPRESSIONS } from "../../../fixtures/sim/cron-oracle.js";
import { AppError } from "../../base/errors.js";
import { momentText } from "../../base/time/zone.js";
import { defaultCatchUp, graceAt, nextRuns, parseSchedule, scheduleDisplay } from "./schedule.js";

const NOW = Date.parse("2026-03-10T12:00:00Z");
const BERLIN = "Europe/Berlin";
const YEAR = 366 * 86_400_000;

const accepted: readonly { text: string; zone?: string; now?: string; runs: readonly string[]; shown: string }[] = [
  { text: "30m", runs: ["2026-03-10T12:30:00.000Z"], shown: "once at 2026-03-10 12:30 UTC (UTC+00:00)" },
  { text: "2h", runs: ["2026-03-10T14:00:00.000Z"], shown: "once at 2026-03-10 14:00 UTC (UTC+00:00)" },
  { text: "1d", runs: ["2026-03-11T12:00:00.000Z"], shown: "once at 2026-03-11 12:00 UTC (UTC+00:00)" },
  {
    text: "every 30m",
    runs: ["2026-03-10T12:30:00.000Z", "2026-03-10T13:00:00.000Z", "2026-03-10T13:30:00.000Z"],
    shown: "every 30m",
  },
  {
    text: "every 120m",
    runs: ["2026-03-10T14:00:00.000Z", "2026-03-10T16:00:00.000Z", "2026-03-10T18:00:00.000Z"],
    shown: "every 2h",
  },
  {
    text: "0 9 * * MON-FRI",
    zone: BERLIN,
    now: "2026-03-27T12:00:00Z",
    runs: ["2026-03-30T07:00:00.000Z", "2026-03-31T07:00:00.000Z", "2026-04-01T07:00:00.000Z"],
    shown: "0 9 * * MON-FRI (Europe/Berlin)",
  },
  {
    text: "@daily",
    zone: "europe/berlin",
    runs: ["2026-03-10T23:00:00.000Z", "2026-03-11T23:00:00.000Z", "2026-03-12T23:00:00.000Z"],
    shown: "0 0 * * * (europe/berlin)",
  },
  {
    text: "@yearly",
    runs: ["2027-01-01T00:00:00.000Z", "2028-01-01T00:00:00.000Z", "2029-01-01T00:00:00.000Z"],
    shown: "0 0 1 1 * (UTC)",
  },
  {
    text: "0 0 29 2 *",
    runs: ["2028-02-29T00:00:00.000Z", "2032-02-29T00:00:00.000Z", "2036-02-29T00:00:00.000Z"],
    shown: "0 0 29 2 * (UTC)",
  },
  {
    text: "2026-07-01T09:00",
    zone: BERLIN,
    runs: ["2026-07-01T07:00:00.000Z"],
    shown: "once at 2026-07-01 09:00 Europe/Berlin (UTC+02:00)",
  },
  {
    text: "2026-07-01T09:00:05Z",
    runs: ["2026-07-01T09:00:05.000Z"],
    shown: "once at 2026-07-01 09:00:05 UTC (UTC+00:00)",
  },
  {
    text: "2026-07-01T09:00-03:30",
    runs: ["2026-07-01T12:30:00.000Z"],
    shown: "once at 2026-07-01 12:30 UTC (UTC+00:00)",
  },
  // A time that clocks skip, and one that they show twice.
  {
    text: "2026-03-29T02:30",
    zone: BERLIN,
    runs: ["2026-03-29T01:00:00.000Z"],
    shown: "once at 2026-03-29 03:00 Europe/Berlin (UTC+02:00)",
  },
  {
    text: "2026-10-25T02:30",
    zone: BERLIN,
    runs: ["2026-10-25T00:30:00.000Z"],
    shown: "once at 2026-10-25 02:30 Europe/Berlin (UTC+02:00)",
  },
  { text: "2026-03-10T11:58:00Z", runs: [], shown: "once at 2026-03-10 11:58 UTC (UTC+00:00)" },
];

for (const { text, zone = "UTC", now, runs, shown } of accepted) {
  test(`the schedule ${text} in ${zone}${now ? `, on ${now}` : ""}, runs when it says`, () => {
    const at = now === undefined ? NOW : Date.parse(now);
    const table = { schedule: parseSchedule(text, { now: at, timezone: zone }), timezone: zone, anchor: at };
    const iso = nextRuns(table, at, 3).map((run) => new Date(run).toISOString());
    assert.deepEqual({ iso, shown: scheduleDisplay(table) }, { iso: [...runs], shown });
  });
}

const refused: readonly { text: string; why: RegExp }[] = [
  ...["", "soon", "30", "m", "30 s", "every", "every day", "@reboot", "0 9 * *", "0 0 9 * * MON", "* * * * * *"].map(
    (text) => ({
      text,
      why: /./,
    }),
  ),
  { text: "@reboot", why: /"@reboot" is unknown \(known: @hourly, @daily/ },
  { text: "every -5m", why: /requires a positive whole number of at most 7 digits, not '-5'$/ },
  { text: "every 90s", why: /has the unknown unit 's' \(known: m, h, d\)$/ },
  { text: "every 1.5h", why: /not '1\.5'$/ },
  { text: "every day", why: /requires an interval after 'every', not 'day'$/ },
  { text: "every", why: /requires an interval after 'every'$/ },
  { text: "45", why: /requires a unit after the number: m, h or d$/ },
  { text: "every 5 constructor", why: /has the unknown unit 'constructor'/ },
  { text: "90 sec", why: /has the unknown unit 'sec'/ },
  { text: "0 0 0 9 * *", why: /has 6 fields instead of five/ },
  { text: "0 0 31 2 *", why: /is a date that never occurs/ },
  { text: "0 0 30 FEB *", why: /never occurs/ },
  { text: "0 0 31 4,6,9,11 *", why: /never occurs/ },
  { text: "60 * * * *", why: /"60" in its minute \(0 to 59\)/ },
  { text: "* 24 * * *", why: /"24" in its hour/ },
  { text: "* * 0 * *", why: /"0" in its day of the month/ },
  { text: "* * * 13 *", why: /"13" in its month/ },
  { text: "* * * * 8", why: /"8" in its weekday/ },
  { text: "* * * * MONDAY", why: /"MONDAY" in its weekday/ },
  { text: "*/0 * * * *", why: /a step of 0/ },
  { text: "*/90 * * * *", why: /a step of 90 in its minute/ },
  { text: "30-10 * * * *", why: /whose end is before its start/ },
  { text: "* * L * *", why: /"L" in its day of the month/ },
  { text: "* * 15W * *", why: /"15W"/ },
  { text: "* * * * MON#2", why: /"MON#2"/ },
  { text: "1, * * * *", why: /""/ },
  { text: "*-5 * * * *", why: /"\*-5"/ },
  { text: "0m", why: /is zero/ },
  { text: "every 0h", why: /is zero/ },
  { text: "9999d", why: /longer than ten years/ },
  { text: "2026-02-30T09:00", why: /does not exist/ },
  { text: "2026-13-01T09:00", why: /does not exist/ },
  { text: "2026-07-01T24:00", why: /does not exist/ },
  { text: "2026-07-01T09:00:60", why: /does not exist/ },
  { text: "2026-07-01T09:00+15:00", why: /an invalid offset/ },
  { text: "2026-07-01 09:00", why: /fields instead of five/ },
  { text: "2026-03-10T11:57:59Z", why: /is in the past: the time is 2026-03-10 12:00 UTC/ },
  { text: "constructor", why: /is invalid$/ },
  { text: "x".repeat(5000), why: /^schedule "x{100}…" is invalid$/ },
];

for (const { text, why } of refused) {
  test(`the schedule ${JSON.stringify(text.slice(0, 40))} is refused, with the forms that there are`, () => {
    assert.throws(
      () => parseSchedule(text, { now: NOW, timezone: "UTC" }),
      (error: unknown) =>
        error instanceof AppError &&
        error.code === "E_INVALID" &&
        why.test(error.message) &&
        /every 30m.*@hourly.*T09:00/.test(error.hint),
    );
  });
}

for (const timezone of ["Europe/Berlinn", "", "+01:00", "local"]) {
  test(`the zone ${JSON.stringify(timezone)} is an error`, () => {
    assert.throws(() => parseSchedule("@daily", { now: NOW, timezone }), /unknown time zone/);
  });
}

const lateness = [
  { text: "* * * * *", grace: 120_000, catchUp: "skip" },
  { text: "*/30 * * * *", grace: 15 * 60_000, catchUp: "skip" },
  { text: "0 * * * *", grace: 30 * 60_000, catchUp: "once" },
  { text: "@daily", grace: 2 * 3_600_000, catchUp: "once" },
  { text: "every 59m", grace: 59 * 30_000, catchUp: "skip" },
  { text: "2h", grace: 120_000, catchUp: "once" },
] as const;

for (const { text, grace, catchUp } of lateness) {
  test(`${text}: may be ${grace / 1000} s late, and what was missed is ${catchUp === "once" ? "made up for once" : "skipped"}`, () => {
    const table = { schedule: parseSchedule(text, { now: NOW, timezone: "UTC" }), timezone: "UTC", anchor: NOW };
    assert.deepEqual([graceAt(table, nextRuns(table, NOW, 1)[0] ?? 0), defaultCatchUp(table, NOW)], [grace, catchUp]);
  });
}

test("an interval is real time: a clock change moves what clocks show", () => {
  const anchor = Date.parse("2026-03-28T02:30:00Z");
  const table = { schedule: { kind: "interval", minutes: 1440 } as const, timezone: BERLIN, anchor };
  assert.deepEqual(
    nextRuns(table, anchor, 2).map((at) => momentText(at, BERLIN)),
    ["2026-03-29 04:30 Europe/Berlin (UTC+02:00)", "2026-03-30 04:30 Europe/Berlin (UTC+02:00)"],
  );
});

const samples = [
  { zone: "Europe/Berlin", offset: 0 },
  { zone: "Australia/Lord_Howe", offset: 1 },
  { zone: "America/Santiago", offset: 2 },
];

for (const { zone, offset } of samples) {
  test(`a year in ${zone}: expressions run exactly in the minutes that a slow reading of the rules finds`, () => {
    const from = Date.parse("2027-01-01T00:00:00Z");
    const oracle = cronOracle(zone, from, from + YEAR);
    const random = seeded(offset);
    const chosen = [
      ...HARD_EXPRESSIONS.filter((_, n) => n % samples.length === offset),
      ...Array.from({ length: 4 }, () => anyExpression(random)),
    ];
    for (const expr of chosen) {
      const runs = oracle.runs(expr);
      const table = { schedule: { kind: "cron", expr }, timezone: zone, anchor: from } as const;
      assert.deepEqual(nextRuns(table, from, runs.length), runs, `${expr} in ${zone}`);
    }
  });
}
