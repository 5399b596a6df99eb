import assert from "node:assert/strict";
import { test } from "node:test";
import { type RestWorld, setupRest } from "../../../../fixtures/dashboard/rest.js";
import { DEFAULT, USER } from "../../../../fixtures/sim/board-world.js";
import { systemProcessFacts } from "../../../base/process/process-facts.js";
import { systemSpawner } from "../../../base/process/spawn-system.js";
import { systemClock } from "../../../base/time/clock.js";
import type { Run } from "../../../contracts/board/board.js";

async function claimed({ world }: RestWorld, title = "one") {
  const { id } = (await world.board.create(DEFAULT, { title, assignee: "alice" }, USER)).task;
  const outcome = await world.board.claim(DEFAULT, id, { profile: "alice", lock: "host:1", by: USER });
  assert.ok(outcome.claimed);
  return { id, claim: outcome.claim, run: outcome.claim.run };
}

test("a run is shown by its number, on its own board only", async (t) => {
  const rest = await setupRest(t);
  const { run, id } = await claimed(rest);
  const { json } = await rest.ask<{ run: Run }>("GET", `/runs/${run}`);
  assert.deepEqual([json.run.task_id, json.run.status, json.run.profile], [id, "running", "alice"]);
  for (const path of ["/runs/999", "/runs/0", "/runs/one", "/runs/1e1"])
    assert.equal((await rest.ask("GET", path)).status, 404, path);
  await rest.world.board.createBoard({ slug: "other" }, USER);
  assert.equal((await rest.ask("GET", `/runs/${run}?board=other`)).status, 404);
});

test("the worker of a run is looked at as the system shows it", { skip: process.platform !== "linux" }, async (t) => {
  const rest = await setupRest(t, { parts: { processFacts: (id) => systemProcessFacts(id, systemClock) } });
  const { run, claim } = await claimed(rest);
  const waiting = await rest.ask<{ alive: boolean; reason: string }>("GET", `/runs/${run}/inspect`);
  assert.deepEqual([waiting.json.alive, /no known process/.test(waiting.json.reason)], [false, true]);
  const own = systemSpawner.identify(process.pid);
  assert.ok(own);
  await rest.world.board.bind(DEFAULT, claim, { ...own, host: "host-1" });
  const { json } = await rest.ask<{ alive: boolean; pid: number; memory_rss_bytes: number; cmdline: string[] }>(
    "GET",
    `/runs/${run}/inspect`,
  );
  assert.deepEqual(
    [json.alive, json.pid, json.memory_rss_bytes > 1_000_000, json.cmdline[0]],
    [true, process.pid, true, process.argv[0]],
  );
});

test("a run that has ended has no worker, and says how it ended", async (t) => {
  const rest = await setupRest(t);
  const { run, id } = await claimed(rest);
  await rest.world.board.complete(DEFAULT, id, {}, USER);
  const { json } = await rest.ask("GET", `/runs/${run}/inspect`);
  assert.deepEqual(json, { run_id: run, alive: false, reason: "the run has ended: completed" });
});

test("a worker is stopped and its task given back, once", async (t) => {
  const rest = await setupRest(t);
  const { run, id } = await claimed(rest);
  const { json } = await rest.ask("POST", `/runs/${run}/terminate`, { reason: "too slow" });
  assert.deepEqual([json, rest.world.stopper.stopped.length], [{ ok: true, run_id: run, task_id: id }, 1]);
  const { run: ended } = (await rest.ask<{ run: Run }>("GET", `/runs/${run}`)).json;
  assert.deepEqual([ended.outcome, (await rest.world.board.task(DEFAULT, id)).status], ["reclaimed", "ready"]);
  const again = await rest.ask("POST", `/runs/${run}/terminate`);
  assert.deepEqual([again.status, again.json.code], [409, "E_STATE"]);
});

test("whoever stops a run that has ended meanwhile does not stop the one that follows it", async (t) => {
  const rest = await setupRest(t);
  const { run, id } = await claimed(rest);
  await rest.world.board.reclaim(DEFAULT, id, undefined, USER);
  const next = await rest.world.board.claim(DEFAULT, id, { profile: "alice", lock: "host:1", by: USER });
  assert.ok(next.claimed);
  const stopped = rest.world.stopper.stopped.length;
  const refused = await rest.ask("POST", `/runs/${run}/terminate`);
  assert.deepEqual([refused.status, refused.json.code, rest.world.stopper.stopped.length], [409, "E_STATE", stopped]);
  assert.equal((await rest.world.board.task(DEFAULT, id)).current_run_id, next.claim.run);
});

test("a worker that cannot be ended keeps its task, and that is reported", async (t) => {
  const rest = await setupRest(t);
  const { run, id } = await claimed(rest);
  rest.world.stopper.answer = "stuck";
  const answer = await rest.ask("POST", `/runs/${run}/terminate`);
  assert.deepEqual([answer.status, answer.json.code], [409, "E_WORKER_STUCK"]);
  assert.equal((await rest.world.board.task(DEFAULT, id)).status, "running");
});

test("who works on a board is listed, those who began first above", async (t) => {
  const rest = await setupRest(t);
  const first = await claimed(rest, "first");
  rest.world.clock.advance(5_000);
  const second = await claimed(rest, "second");
  await rest.world.board.create(DEFAULT, { title: "idle" }, USER);
  const { json } = await rest.ask<{
    workers: { run_id: number; task_title: string; profile: string }[];
    count: number;
  }>("GET", "/workers/active");
  assert.deepEqual(
    json.workers.map((one) => [one.run_id, one.task_title, one.profile]),
    [
      [first.run, "first", "alice"],
      [second.run, "second", "alice"],
    ],
  );
  assert.equal(json.count, 2);
});
