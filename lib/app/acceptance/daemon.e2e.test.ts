import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { kanbanWorld } from "../../../fixtures/e2e/kanban.js";
import { proves } from "../../../fixtures/requirements.js";
import { systemSpawner } from "../../base/process/spawn-system.js";

test("check 55: a claim is seen by who watches as it is made, without waiting for a tick", async (t) => {
  const { make, daemon, start } = await kanbanWorld(t, { kanban: { max_in_progress: "unlimited" } });
  await daemon("--interval", "3600");
  const watch = start(["watch", "--json", "--since", "0"]);
  for (let n = 0; n < 5; n++) {
    const id = await make(`task ${n}`);
    await watch.line((line) => line.includes(id) && line.includes('"claimed"'));
  }
  await watch.end("SIGINT");
});

test("check 56: a chain of tasks is worked through without waiting for a tick", async (t) => {
  const { make, daemon, show, event, K } = await kanbanWorld(t, { mode: "complete" });
  await daemon("--interval", "3600");
  await K("boards", "pause");
  const first = await make("a");
  const second = await make("b", "--parent", first);
  const third = await make("c", "--parent", second);
  await K("boards", "resume");
  await event((one) => one.event === "completed" && one.task_id === third);
  for (const id of [first, second, third]) assert.equal((await show(id)).task.status, "done");
});

test("check 57: a paused board starts nothing and says so; after resume its tasks start at once", async (t) => {
  const { make, daemon, event, K, J, P, told } = await kanbanWorld(t, { kanban: { max_in_progress: 5 } });
  await daemon("--interval", "3600");
  assert.equal((await K("boards", "pause", "--reason", "tea")).code, 0);
  const ids = [await make("one"), await make("two")];
  const pass = await P();
  assert.deepEqual([pass.skipped_paused, pass.spawned], [2, []]);
  const { reasons } = await J<{ reasons: { code: string }[] }>("why", ids[0] ?? "");
  assert.ok(reasons.some(({ code }) => code === "board_paused"));
  assert.equal((await K("boards", "resume")).code, 0);
  for (const id of ids) await event((one) => one.event === "claimed" && one.task_id === id);
  const running = await J<{ id: string; current_run_id: number }[]>("list", "--status", "running");
  for (const { id, current_run_id } of running) await told(id, current_run_id);
  assert.equal(running.length, 2);
});

test("check 58: a limit that is written to the file while the owner works counts for the next failure", async (t) => {
  const world = await kanbanWorld(t, { mode: "script", kanban: { failure_limit: 5, retry_backoff_seconds: 0 } });
  const { make, daemon, told, dump, settled, event, configure, run, places } = world;
  writeFileSync(
    join(dump, "script.sh"),
    'while [ ! -f "$DUMP/go.$AGENT_KANBAN_RUN_ID" ]; do sleep 0.05; done\nexit 1\n',
  );
  await daemon("--interval", "60");
  const id = await make("one");
  await told(id, 1);
  writeFileSync(join(dump, "go.1"), "");
  await event(({ event: kind }) => kind === "crashed");
  configure({ failure_limit: 2, retry_backoff_seconds: 0 });
  while ((await run(["config", "get", "kanban.failure_limit"])).out.trim() !== "2");
  await told(id, 2);
  writeFileSync(join(dump, "go.2"), "");
  const { task, events, runs } = await settled(id);
  assert.deepEqual([task.status, runs.length], ["blocked", 2]);
  const { effective_limit, limit_source } = events.find(({ kind }) => kind === "gave_up")?.payload ?? {};
  assert.deepEqual([effective_limit, limit_source], [2, "config"]);
  assert.ok(existsSync(places.store));
});

test("check 59: a stopped owner leaves its workers and says how many; the next one adopts them", async (t) => {
  const { make, daemon, told, show, event } = await kanbanWorld(t);
  const first = await daemon();
  const id = await make("one");
  const { pid } = await told(id);
  const before = await show(id);
  const { code, err } = await first.end("SIGTERM");
  assert.equal(code, 0);
  assert.match(err, /1 worker\(s\) continue/);
  assert.ok(systemSpawner.identify(pid));
  await daemon();
  await event(({ event: kind }) => kind === "adopted");
  const { task, runs, events } = await show(id);
  assert.deepEqual([task.status, task.worker_pid, runs.length], ["running", before.task.worker_pid, 1]);
  assert.equal(events.filter(({ kind }) => kind === "spawned").length, 1);
  assert.ok(systemSpawner.identify(pid));
});

test("check 60: of two daemons at once one dispatches and the other names it", async (t) => {
  const { start, daemon, refused } = await kanbanWorld(t);
  const both = [start(["daemon", "--force"]), start(["daemon", "--force"])];
  const { winner, loser } = await Promise.any(
    both.map(async (one, at) => {
      await one.line((line) => line.includes("dispatching in process"));
      return { winner: one, loser: both[1 - at] };
    }),
  );
  const ended = await loser?.ended;
  assert.deepEqual(
    [ended?.code, ended?.err.split("\n")[0]],
    [1, `kanban: process ${winner.pid} is already dispatching`],
  );
  const third = await refused("daemon", "--force");
  assert.deepEqual([third.exit, third.code], [1, "E_OWNER_RUNNING"]);
  assert.equal((await winner.end("SIGINT")).code, 0);
  assert.equal((await (await daemon()).end()).code, 0);
});

test("check 61: daemon without --force says how owners dispatch, with exit code 2", async (t) => {
  proves(t, "board.daemon.deprecated", "cli.kanban.daemon-exit");
  const { K, refused } = await kanbanWorld(t);
  const { code, out, err } = await K("daemon");
  assert.deepEqual([code, out], [2, ""]);
  assert.match(err, /agent gateway run/);
  assert.match(err, /agent --headless/);
  assert.deepEqual([(await refused("daemon")).code, (await refused("daemon")).exit], ["E_USAGE", 2]);
  assert.equal((await K("daemon", "--force", "--interval", "0")).code, 2);
});

test("a daemon has an owner dispatch that is told not to, for as long as it stays; its pidfile names it", async (t) => {
  proves(t, "config.kanban.dispatch-in-gateway", "cli.kanban.daemon");
  const world = await kanbanWorld(t, { kanban: { dispatch_in_gateway: false } });
  const { D, daemon, make, told, J, work, show, P } = world;
  const owner = await D();
  const id = await make("waits");
  assert.deepEqual(
    (await J<{ reasons: { code: string }[] }>("why", id)).reasons
      .map(({ code }) => code)
      .includes("dispatcher_disabled"),
    true,
  );
  assert.equal((await show(id)).task.status, "ready");
  const attached = await daemon("--pidfile", "d.pid", "-v");
  assert.equal(readFileSync(join(work, "d.pid"), "utf8"), `${attached.pid}\n`);
  await attached.line((line) => line.includes(`  - ${id}  ->  default  @ `));
  await told(id);
  assert.equal((await show(id)).runs[0]?.claim_lock?.endsWith(`:${owner.pid}`), true);
  assert.equal((await attached.end("SIGTERM")).code, 0);
  assert.ok(!existsSync(join(work, "d.pid")));
  const later = await make("later");
  await P().then(({ spawned }) => assert.equal(spawned.length, 1, "a pass by hand still starts it"));
  assert.equal((await show(later)).task.status, "running");
  assert.equal((await owner.end("SIGINT")).code, 0);
});

test("an owner that is told to stop while it starts a worker sees that through, and counts it", async (t) => {
  const { make, daemon, told, event, show } = await kanbanWorld(t);
  const owner = await daemon();
  const id = await make("one");
  await event(({ event: kind }) => kind === "claimed");
  const { code, err } = await owner.end("SIGTERM");
  assert.equal(code, 0);
  assert.match(err, /1 worker\(s\) continue/);
  const { pid } = await told(id);
  assert.ok(systemSpawner.identify(pid));
  assert.equal((await show(id)).task.status, "running");
});
