import assert from "node:assert/strict";
import { test } from "node:test";
import { seeded } from "../../../fixtures/ports/random.js";
import { anyExpression, cronOracle, HARD_EXPRESSIONS, ZONES } from "../../../fixtures/sim/cron-oracle.js";
import { AppError } from "../../base/errors.js";
import { nextRun, nextRuns, parseSchedule, runsAfter } from "./schedule.js";

const seed = Number(process.env["AGENT_SEED"] ?? "1");
const short = process.env["AGENT_TEST_SHORT"] !== "";
const FROM = Date.parse("2026-01-01T00:00:00Z");
const TO = Date.parse("2030-01-01T00:00:00Z");
const TOTAL = short ? 70 : 500;
/** Every minute of four years is two million runs: one zone at a time has such expressions. */
const LOOKED_AT = 40_000;

const PIECES = [
  "*",
  "/",
  "-",
  ",",
  " ",
  "0",
  "7",
  "59",
  "60",
  "99999999",
  "MON",
  "feb",
  "@",
  "every",
  "m",
  "T",
  ":",
  "Z",
  "2026-02-29",
  "é",
  "\u0000",
  "\n",
  "L",
  "#",
  "?",
  "+02:00",
];
const FORMS = [...HARD_EXPRESSIONS, "30m", "every 2h", "@weekly", "2026-07-01T09:00", "2027-03-28T02:30:00+02:00"];

const random = seeded(seed);
const expressions = [...HARD_EXPRESSIONS];
while (expressions.length < TOTAL) expressions.push(anyExpression(random));

for (const [n, zone] of ZONES.entries()) {
  test(`four years in ${zone}: expressions run exactly in the minutes that a slow reading of the rules finds`, () => {
    const oracle = cronOracle(zone, FROM, TO);
    const mine = expressions.filter((_, at) => at % ZONES.length === n);
    for (const expr of mine) {
      const runs = oracle.runs(expr);
      const table = { schedule: { kind: "cron", expr }, timezone: zone, anchor: FROM } as const;
      const found = nextRuns(table, FROM, runs.length);
      assert.deepEqual(
        found.filter((at, i) => at !== runs[i]).slice(0, 3),
        [],
        `${expr} in ${zone}, AGENT_SEED=${seed}`,
      );
      assert.equal(found.length, runs.length, `${expr} in ${zone}, AGENT_SEED=${seed}`);
      const after = runsAfter(table, TO - 60_000).next().value;
      assert.ok(after === undefined || after >= TO, `${expr} in ${zone}: runs after the last are later`);
    }
  });
}

test("asked from any moment, the next run is the first of the slow reading that is later", () => {
  for (const zone of ZONES.filter((_, n) => n % 3 === seed % 3)) {
    const end = FROM + 400 * 86_400_000;
    const oracle = cronOracle(zone, FROM, end);
    for (const expr of HARD_EXPRESSIONS.filter((_, n) => n % 4 === seed % 4)) {
      const runs = oracle.runs(expr).slice(0, LOOKED_AT);
      const table = { schedule: { kind: "cron", expr }, timezone: zone, anchor: FROM } as const;
      for (let n = 0; n < 60; n++) {
        const at =
          random.pick(runs.length > 1 ? runs.slice(0, -1) : [FROM]) +
          random.pick([-60_000, -1, 0, 1, 59_999, 1_800_000]);
        const next = runs.find((run) => run > at);
        if (next !== undefined && at > FROM)
          assert.equal(nextRun(table, at), next, `${expr} in ${zone} after ${new Date(at).toISOString()}`);
      }
    }
  }
});

test("any text is a schedule that runs, or refused with the forms that there are", () => {
  let read = 0;
  for (let n = 0; n < (short ? 20_000 : 200_000); n++) {
    const text = random.chance(0.5) ? mutated(random.pick(FORMS)) : mixed();
    try {
      const schedule = parseSchedule(text, { now: FROM, timezone: "Europe/Berlin" });
      read += 1;
      const next = nextRun({ schedule, timezone: "Europe/Berlin", anchor: FROM }, FROM - 120_001);
      assert.ok(next !== undefined && Number.isSafeInteger(next), `${text} never runs`);
    } catch (error) {
      assert.ok(
        error instanceof AppError && error.code === "E_INVALID" && error.hint.includes("every 30m"),
        `${JSON.stringify(text)}: ${String(error)}`,
      );
    }
  }
  assert.ok(read > 50, "some mean something");
});

function mixed(): string {
  return Array.from({ length: 1 + random.below(9) }, () => random.pick(PIECES)).join(random.chance(0.5) ? " " : "");
}

/** One character or two replaced by something else. */
function mutated(text: string): string {
  const at = random.below(text.length);
  return text.slice(0, at) + random.pick(PIECES) + text.slice(at + random.below(3));
}
