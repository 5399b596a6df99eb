import assert from "node:assert/strict";
import { test } from "node:test";
import { cronWorld } from "../../fixtures/sim/cron-world.js";
import { runLine } from "../../fixtures/sim/run-line.js";
import type { CronApi } from "../contracts/gateway/cron.js";

async function setup() {
  const world = await cronWorld();
  const status = {
    running: true,
    last: null,
    age_seconds: null,
    stalled: false,
    jobs: 1,
    enabled: 1,
    working: 0,
    next_run_at: null,
  };
  const cron: CronApi = { ...world.jobs, status: async () => status, tick: () => world.ticker.tick() };
  return { world, run: (...argv: string[]) => runLine(["cron", ...argv], { cron }) };
}

test("GW-132: what is created tells its next three runs in its zone; what can never be is refused and leaves nothing", async () => {
  const { run } = await setup();
  const made = await run("create", "0 9 * * MON-FRI", "look", "--tz", "Europe/Berlin");
  assert.equal(made.code, 0);
  assert.deepEqual(made.out.match(/2026-01-0\d 09:00 Europe\/Berlin \(UTC\+01:00\)/g), [
    "2026-01-01 09:00 Europe/Berlin (UTC+01:00)",
    "2026-01-02 09:00 Europe/Berlin (UTC+01:00)",
    "2026-01-05 09:00 Europe/Berlin (UTC+01:00)",
  ]);
  assert.equal((await run("create", "@daily", "look", "--json")).code, 0);
  for (const schedule of ["0 0 9 * * MON", "0 0 31 2 *"]) {
    const refused = await run("create", schedule, "look");
    assert.deepEqual([refused.code, refused.out], [1, ""]);
    assert.match(refused.err, /forms: 30m, 2h or 1d/);
  }
  assert.equal(JSON.parse((await run("list", "--json")).out).length, 2);
});

test("a job is shown, changed, paused, resumed and removed by its name", async () => {
  const { run } = await setup();
  await run("create", "every 2h", "look", "--name", "watch", "--repeat", "3");
  assert.match(
    (await run("show", "watch")).out,
    /repeat +0 of 3[\s\S]*Next runs:\n(?: {2}2026-01-01 0\d:00 UTC .*\n){3}/,
  );
  assert.match((await run("edit", "watch", "--schedule", "@daily", "--catch-up", "skip")).out, /2026-01-02 00:00/);
  assert.equal((await run("edit", "watch")).code, 2);
  assert.equal((await run("edit", "watch", "--no-agent")).code, 1);
  assert.match((await run("pause", "watch", "--reason", "holidays")).out, /^Paused/);
  assert.match((await run("list")).out, /paused .* no next run/);
  assert.match((await run("show", "watch")).out, /paused \(holidays\)/);
  assert.match((await run("resume", "watch")).out, /2026-01-02 00:00/);
  assert.match((await run("run", "watch")).out, /^Queued run_/);
  const again = await run("run", "watch");
  assert.deepEqual([again.code, /is already running/.test(again.err)], [1, true]);
  assert.match((await run("tick")).out, /^0 due, 1 started, 0 skipped/);
  assert.match((await run("runs", "watch")).out, /manual {2}(running|ok)/);
  assert.match((await run("remove", "watch")).out, /^Removed/);
  const gone = await run("show", "watch");
  assert.deepEqual([gone.code, /no such job: "watch"/.test(gone.err)], [1, true]);
});

test("a name that two jobs have ends with 1 and names both", async () => {
  const { run } = await setup();
  for (let n = 0; n < 2; n++) await run("create", "@daily", "same");
  const { code, err } = await run("pause", "same");
  assert.equal(code, 1);
  assert.match(err, /2 jobs are named "same": [0-9a-f]{12}, [0-9a-f]{12}/);
});

test("every instant in the JSON of jobs and runs is ISO 8601 text", async () => {
  const { world, run } = await setup();
  await run("create", "every 2h", "look", "--name", "watch");
  await run("create", "2027-07-01T09:00", "look", "--name", "once");
  await run("run", "watch");
  await run("tick");
  await world.pass(60_000);
  const answers = [
    ["show", "watch"],
    ["show", "once"],
    ["list"],
    ["runs", "watch"],
    ["pause", "watch"],
    ["resume", "watch"],
    ["status"],
    ["tick"],
  ];
  let seen = 0;
  for (const argv of answers) {
    const walk = (value: unknown, key: string): void => {
      if (typeof value === "object" && value !== null)
        for (const [name, each] of Object.entries(value)) walk(each, name);
      else if (/_at$|^scheduled_for$/.test(key) && value !== null) {
        seen += 1;
        assert.match(String(value), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, `${argv.join(" ")}: ${key}`);
      }
    };
    walk(JSON.parse((await run(...argv, "--json")).out), "");
  }
  assert.ok(seen > 15, String(seen));
});
