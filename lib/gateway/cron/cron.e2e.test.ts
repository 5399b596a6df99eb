import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { world } from "../../../fixtures/e2e/world.js";
import { systemClock } from "../../base/time/clock.js";
import type { CronJob, CronRun } from "../../contracts/gateway/cron.js";

/** A job that became due a minute ago, and what its script did. */
async function setup(t: TestContext, script: string) {
  const { run, home } = await world(t, { faults: true });
  const scripts = join(home.dir, "scripts");
  mkdirSync(scripts, { recursive: true });
  writeFileSync(join(scripts, "s.sh"), script.replaceAll("LEDGER", join(home.dir, "ledger")));
  const cron = (...args: string[]) => run(["cron", ...args]);
  const past = `${new Date(systemClock.now() - 60_000).toISOString().slice(0, 19)}Z`;
  const made = await cron("create", past, "--script", "s.sh", "--no-agent", "--name", "one");
  assert.equal(made.code, 0, made.err);
  return {
    cron,
    tickDying: (fault: string) => run(["cron", "tick"], { env: { AGENT_FAULT: fault } }),
    ledger: () =>
      existsSync(join(home.dir, "ledger"))
        ? readFileSync(join(home.dir, "ledger"), "utf8").split("\n").filter(Boolean)
        : [],
    job: async (): Promise<CronJob> => JSON.parse((await cron("show", "one", "--json")).out),
    runs: async (): Promise<readonly CronRun[]> => JSON.parse((await cron("runs", "one", "--json")).out),
  };
}

test("an owner that is killed between recording a run and beginning it loses nothing: the next one runs it once", async (t) => {
  const { cron, tickDying, ledger, job, runs } = await setup(t, "echo ran >> LEDGER; echo done");
  assert.equal((await tickDying("cron.due-recorded:1")).code, 128);
  assert.deepEqual(ledger(), []);
  assert.equal((await cron("tick")).code, 0);
  await cron("tick");
  const { state, last_status } = await job();
  assert.deepEqual([ledger(), state, last_status, (await runs()).length], [["ran"], "completed", "ok", 1]);
});

test("an owner that is killed in a run leaves it interrupted, which is told and not repeated", async (t) => {
  const { cron, ledger, job, runs } = await setup(t, "echo ran >> LEDGER; kill -9 $PPID");
  assert.equal((await cron("tick")).code, 128);
  await cron("tick");
  await cron("tick");
  const { state, last_status } = await job();
  const [run] = await runs();
  assert.deepEqual([ledger(), state, last_status, run?.status], [["ran"], "completed", "interrupted", "interrupted"]);
  assert.match(readFileSync(run?.output_path ?? "", "utf8"), /interrupted: its process ended/);
});
