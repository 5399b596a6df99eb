import assert from "node:assert/strict";
import { test } from "node:test";
import { simDisk } from "../../../fixtures/ports/disk.js";
import { seeded } from "../../../fixtures/ports/random.js";
import { cronWorld } from "../../../fixtures/sim/cron-world.js";
import { quiet } from "../../../fixtures/sim/gateway-world.js";
import { createCronHeartbeat } from "./scheduler-heartbeat.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = Date.parse("2026-01-01T00:00:00Z");

test("GW-133: a job every minute runs once in each, also when two looks come at once", async () => {
  const world = await cronWorld();
  await world.jobs.create({ schedule: "* * * * *", prompt: "look" });
  await world.ticker.service.start();
  for (let n = 0; n < 3; n++) {
    await world.pass(MINUTE);
    await Promise.all([world.ticker.tick(), world.ticker.tick()]);
    await quiet();
  }
  assert.deepEqual(
    world.began.map(({ slot, at }) => [slot, at]),
    [1, 2, 3].map((n) => [START + n * MINUTE, START + n * MINUTE]),
  );
  await world.ticker.service.stop(0);
});

const absences = [
  {
    what: "late by less than half its period",
    schedule: "@hourly",
    away: 80 * MINUTE,
    slots: [60],
    status: "ok",
    missed: 0,
  },
  {
    what: "away for hours, and made up for once",
    schedule: "@hourly",
    away: 5 * HOUR + MINUTE,
    slots: [60],
    status: "ok",
    missed: 5,
  },
  { what: "away, and skipped", schedule: "*/10 * * * *", away: 65 * MINUTE, slots: [], status: "skipped", missed: 6 },
  { what: "a one-shot that became due", schedule: "2h", away: 30 * HOUR, slots: [120], status: "ok", missed: 1 },
  { what: "nothing due", schedule: "@daily", away: 5 * HOUR, slots: [], status: null, missed: 0 },
] as const;

for (const { what, schedule, away, slots, status, missed } of absences) {
  test(`after a time without a gateway: ${what} (${schedule})`, async () => {
    const world = await cronWorld();
    const { job } = await world.jobs.create({ schedule, prompt: "look" });
    world.clock.advance(away);
    await world.ticker.service.start();
    await quiet();
    const shown = (await world.jobs.show(job.id)).job;
    assert.deepEqual(
      [world.began.map(({ slot }) => (slot - START) / MINUTE), shown.last_status, shown.last_missed],
      [[...slots], status, missed],
    );
    assert.ok(shown.next_run_at === null || shown.next_run_at > world.clock.now() - HOUR);
    await world.ticker.service.stop(0);
  });
}

const jumps = [
  { way: "an hour ahead", by: HOUR },
  { way: "a day ahead", by: 24 * HOUR },
  { way: "an hour back", by: -HOUR },
  { way: "a day back", by: -24 * HOUR },
];

for (const { way, by } of jumps) {
  test(`no slot runs twice or is lost when the clock is set ${way}`, async () => {
    const world = await cronWorld();
    const { job } = await world.jobs.create({ schedule: "*/30 * * * *", prompt: "look" });
    await world.ticker.service.start();
    await world.pass(2 * HOUR);
    world.clock.jumpWall(by);
    await world.pass(26 * HOUR);
    const rows = (await world.rows()).runs;
    const counted = rows.reduce((sum, run) => sum + Math.max(1, run.missed), 0);
    const until = (await world.rows()).jobs[0]?.handled_until ?? 0;
    assert.equal(new Set(world.began.map(({ slot }) => slot)).size, world.began.length);
    assert.equal(counted, Math.floor((until - START) / (30 * MINUTE)));
    assert.ok((await world.jobs.show(job.id)).next.every((at) => at > world.clock.now()));
    await world.ticker.service.stop(0);
  });
}

test("a clock that was two years ahead and is set right does not keep jobs waiting for two years", async () => {
  const world = await cronWorld();
  await world.jobs.create({ schedule: "@hourly", prompt: "look" });
  await world.ticker.service.start();
  await world.pass(HOUR);
  world.clock.jumpWall(2 * 365 * 24 * HOUR);
  await world.pass(HOUR);
  world.clock.jumpWall(-2 * 365 * 24 * HOUR);
  const before = world.began.length;
  await world.pass(3 * HOUR);
  assert.deepEqual(
    world.began.slice(before).map(({ slot, at }) => [slot, at]),
    [3, 4, 5].map((n) => [START + n * HOUR, START + n * HOUR]),
  );
  await world.ticker.service.stop(0);
});

test("no more jobs at once than may be, one directory one after another, and nothing that waits is lost", async () => {
  let most = 0;
  let now = 0;
  const inside: string[] = [];
  const world = await cronWorld({
    maxParallel: 2,
    run: async (job) => {
      most = Math.max(most, ++now);
      assert.ok(job.workdir === null || !inside.includes(job.workdir));
      if (job.workdir !== null) inside.push(job.workdir);
      await world.clock.sleep(10 * MINUTE);
      if (job.workdir !== null) inside.splice(inside.indexOf(job.workdir), 1);
      now -= 1;
      return { status: "ok" };
    },
  });
  for (let n = 0; n < 5; n++)
    await world.jobs.create({ schedule: "30m", prompt: `job ${n}`, ...(n < 3 ? { workdir: "/same" } : {}) });
  await world.ticker.service.start();
  await world.pass(2 * HOUR);
  const { jobs } = await world.rows();
  assert.deepEqual([most, world.began.length, jobs.map(({ state }) => state)], [2, 5, Array(5).fill("completed")]);
  await world.ticker.service.stop(0);
});

test("a run that its owner left behind is interrupted and not repeated; one that only waited runs after the restart", async () => {
  const disk = simDisk();
  const hang = () => new Promise<never>(() => undefined);
  const world = await cronWorld({ disk, maxParallel: 1, run: hang });
  const one = await world.jobs.create({ schedule: "30m", prompt: "runs" });
  const two = await world.jobs.create({ schedule: "31m", prompt: "waits" });
  await world.ticker.service.start();
  await world.pass(40 * MINUTE);
  const next = await cronWorld({ disk: disk.stop("kill", seeded(1)), clock: world.clock, seed: 64 });
  await next.ticker.service.start();
  await quiet();
  const shown = await Promise.all([one, two].map(async ({ job }) => (await next.jobs.show(job.id)).job));
  assert.deepEqual(
    shown.map(({ state, last_status }) => [state, last_status]),
    [
      ["completed", "interrupted"],
      ["completed", "ok"],
    ],
  );
  assert.deepEqual(
    next.began.map(({ job }) => job),
    [two.job.id],
  );
  await next.ticker.service.stop(0);
});

test("stopping ends what runs, and says so", async () => {
  const world = await cronWorld({
    run: (_, __, signal) => world.clock.sleep(HOUR, signal).then(() => ({ status: "ok" })),
  });
  const { job } = await world.jobs.create({ schedule: "@hourly", prompt: "look" });
  await world.ticker.service.start();
  await world.pass(HOUR);
  await world.ticker.service.stop(0);
  const shown = (await world.jobs.show(job.id)).job;
  assert.deepEqual(
    [shown.state, shown.last_status, shown.last_error],
    ["scheduled", "interrupted", "the service was stopped"],
  );
});

test("a job that has run as often as it should is completed, and a run by hand counts for nothing", async () => {
  const world = await cronWorld();
  const { job, next } = await world.jobs.create({ schedule: "every 10m", prompt: "look", repeat: 2 });
  assert.equal(next.length, 2);
  await world.ticker.service.start();
  await world.jobs.run(job.id);
  await quiet();
  assert.equal((await world.jobs.show(job.id)).job.next_run_at, START + 10 * MINUTE);
  await world.pass(HOUR);
  const shown = (await world.jobs.show(job.id)).job;
  assert.deepEqual(
    [world.began.length, shown.state, shown.enabled, shown.repeat],
    [3, "completed", false, { times: 2, completed: 2 }],
  );
  assert.deepEqual([(await world.jobs.list(false)).length, (await world.jobs.list(true)).length], [0, 1]);
  await world.ticker.service.stop(0);
});

test("a paused job does not run, and goes on from the moment it is resumed", async () => {
  const world = await cronWorld();
  const { job } = await world.jobs.create({ schedule: "@hourly", prompt: "look" });
  await world.ticker.service.start();
  assert.deepEqual((await world.jobs.pause(job.id, "holidays")).paused_reason, "holidays");
  await world.pass(5 * HOUR + MINUTE);
  const { next } = await world.jobs.resume(job.id);
  assert.deepEqual(
    next.map((at) => (at - START) / HOUR),
    [6, 7, 8],
  );
  await world.pass(HOUR);
  assert.deepEqual(
    world.began.map(({ slot }) => (slot - START) / HOUR),
    [6],
  );
  await world.ticker.service.stop(0);
});

test("a name that two jobs have is refused with the candidates; an id is not", async () => {
  const { jobs } = await cronWorld();
  const { job } = await jobs.create({ schedule: "@daily", prompt: "same" });
  await jobs.create({ schedule: "@daily", prompt: "same" });
  await assert.rejects(jobs.remove("same"), { code: "E_AMBIGUOUS" });
  await assert.rejects(jobs.show("other"), { code: "E_NOT_FOUND" });
  assert.equal((await jobs.remove(job.id)).id, job.id);
  assert.equal((await jobs.show("same")).job.name, "same");
});

test("an edit checks as a new job does; a new schedule wakes a job that was completed", async () => {
  const world = await cronWorld();
  const { job } = await world.jobs.create({ schedule: "10m", prompt: "look" });
  await world.ticker.service.start();
  await world.pass(HOUR);
  await assert.rejects(world.jobs.edit(job.id, { schedule: "0 0 31 2 *" }), /never occurs/);
  await assert.rejects(world.jobs.edit(job.id, { no_agent: true }), /requires a script/);
  await assert.rejects(world.jobs.edit(job.id, { deliver: "pigeon" }), /unknown delivery target "pigeon"/);
  const edited = await world.jobs.edit(job.id, {
    schedule: "0 9 * * *",
    timezone: "Asia/Tokyo",
    repeat: null,
    name: "nine",
  });
  assert.deepEqual(
    [edited.job.state, edited.job.name, edited.job.repeat, edited.next.map((at) => new Date(at).toISOString())],
    ["scheduled", "nine", { times: null, completed: 0 }, [2, 3, 4].map((d) => `2026-01-0${d}T00:00:00.000Z`)],
  );
  await world.ticker.service.stop(0);
});

test("GW-138: each look leaves its heartbeat, which is old after a stop and fresh after a start", async () => {
  const world = await cronWorld();
  const heartbeat = createCronHeartbeat(world.store);
  await world.ticker.service.start();
  await quiet();
  await world.ticker.service.stop(0);
  world.clock.advance(5 * MINUTE);
  assert.equal(world.clock.now() - ((await heartbeat.read())?.last_tick_at ?? 0), 5 * MINUTE);
  await world.ticker.service.start();
  await quiet();
  assert.equal((await heartbeat.read())?.last_tick_at, world.clock.now());
  await world.pass(61_000);
  assert.ok(world.clock.now() - ((await heartbeat.read())?.last_tick_at ?? 0) < 60_000, "also when nothing is due");
  await world.ticker.service.stop(0);
});
