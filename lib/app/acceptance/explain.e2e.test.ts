import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { type KanbanWorld, kanbanWorld } from "../../../fixtures/e2e/kanban.js";
import type { BoardEvent } from "../../contracts/board/board.js";
import type { BoardHealth, NextTask, TaskDiagnostics, Why } from "../../contracts/board/explain.js";

const codesOf = async (world: KanbanWorld, id: string) =>
  (await world.J<Why>("why", id)).reasons.map((reason) => reason.code);
const kindsOf = async (world: KanbanWorld, id: string) =>
  (await world.J<TaskDiagnostics[]>("diagnostics"))
    .filter((row) => row.task_id === id)
    .flatMap((row) => row.diagnostics.map((one) => one.kind));

test("check 45: an assignee that is no profile is passed over without an event, and diagnosed", async (t) => {
  const world = await kanbanWorld(t);
  const id = await world.make("x", "--assignee", "nosuch");
  const before: readonly BoardEvent[] = (await world.show(id)).events;
  for (let pass = 0; pass < 2; pass++) assert.deepEqual((await world.P()).skipped_nonspawnable, [id]);
  assert.deepEqual((await world.show(id)).events, before);
  assert.deepEqual(await kindsOf(world, id), ["unknown_assignee"]);
  assert.deepEqual(await codesOf(world, id), ["unknown_assignee", "dispatcher_absent"]);
  assert.deepEqual(await world.J<NextTask[]>("next"), [
    { task_id: id, title: "x", assignee: "nosuch", priority: 0, verdict: "wait", code: "unknown_assignee" },
  ]);
});

test("check 54: as many workers run as the processors allow, and next and why say so of the other tasks", async (t) => {
  const world = await kanbanWorld(t);
  const cap = Math.max(1, Math.min(4, availableParallelism()));
  for (let made = 0; made < 10; made++) await world.make(`task ${made}`);
  const order = await world.J<NextTask[]>("next");
  assert.deepEqual(new Set(order.map((row) => row.code)), new Set(["dispatcher_absent"]));
  const ids = order.map((row) => row.task_id);
  await world.D();
  await Promise.all(ids.slice(0, cap).map((id, at) => world.told(id, at + 1)));
  const { spawned, skipped_capped: capped } = await world.P();
  assert.deepEqual([spawned, capped], [[], 10 - cap]);
  const next = await world.J<NextTask[]>("next");
  assert.deepEqual(
    next.map((row) => [row.task_id, row.verdict, row.code]),
    ids.slice(cap).map((id) => [id, "wait", "cap_global"]),
  );
  const shown = await world.K("next", "--limit", "1");
  assert.match(shown.out, /^t_[0-9a-f]{8} {2}default {15}cap_global {12}task \d\n$/);
  assert.deepEqual(await codesOf(world, ids[9] ?? ""), ["cap_global", "will_assign_default"]);
  assert.deepEqual(await codesOf(world, ids[0] ?? ""), ["running"]);
});

test("check 64, its explanation: a task for something outside has no diagnostic, and why says who works it", async (t) => {
  const world = await kanbanWorld(t);
  const id = await world.make("x", "--assignee", "desk", "--external");
  assert.deepEqual((await world.P()).skipped_nonspawnable, [id]);
  assert.deepEqual([await kindsOf(world, id), await codesOf(world, id)], [[], ["external"]]);
});

test("check 85, its explanation: what opted out of decomposition says so, and other triage says what it waits for", async (t) => {
  const world = await kanbanWorld(t, { aux: [], kanban: { auto_decompose_settle_seconds: 3000 } });
  await world.D();
  const out = await world.make("x", "--triage", "--no-auto");
  const auto = await world.make("y", "--triage");
  assert.deepEqual(
    [await codesOf(world, out), await codesOf(world, auto)],
    [["triage_opted_out"], ["triage_settling"]],
  );
});

test("why and diagnostics without a client for side work say that triage waits for it", async (t) => {
  const world = await kanbanWorld(t);
  const id = await world.make("x", "--triage");
  assert.deepEqual(
    [await codesOf(world, id), await kindsOf(world, id)],
    [["triage_no_client"], ["triage_aux_unavailable"]],
  );
});

test("whether anything dispatches is told: no one, an owner that may not, an owner that does", async (t) => {
  const world = await kanbanWorld(t);
  const id = await world.make("x");
  assert.deepEqual(await codesOf(world, id), ["dispatcher_absent", "will_assign_default"]);
  const owner = await world.D({ AGENT_KANBAN_DISPATCH_IN_GATEWAY: "0" });
  assert.deepEqual(await codesOf(world, id), ["dispatcher_disabled", "will_assign_default"]);
  assert.equal(
    (await world.J<BoardHealth>("doctor")).checks.find((check) => check.name === "dispatcher")?.status,
    "warn",
  );
  await owner.end();
  await world.D();
  await world.told(id);
  assert.deepEqual(await codesOf(world, id), ["running"]);
  assert.equal(
    (await world.J<BoardHealth>("doctor")).checks.find((check) => check.name === "dispatcher")?.status,
    "ok",
  );
});

test("a worker that leaves without a word is explained with the last lines of its log", async (t) => {
  const world = await kanbanWorld(t, { mode: "exit0" });
  const id = await world.make("x");
  await world.P();
  await world.exited(id);
  await world.P();
  const { reasons, next_action } = await world.J<Why>("why", id);
  assert.deepEqual([reasons[0]?.code, reasons[0]?.log], ["blocked_protocol", ["leaving with 0"]]);
  assert.match(next_action ?? "", /unblock/);
  assert.deepEqual(await kindsOf(world, id), ["protocol_violation"]);
  const { out } = await world.K("show", id);
  assert.match(out, /Diagnostics:\n {2}!! protocol_violation: .*\n(?:.*\n)*\nWhy:\n {2}Its worker stopped without/);
});

test("a damaged store is one critical finding, and doctor fails on it and touches nothing", async (t) => {
  const world = await kanbanWorld(t);
  await world.make("x");
  for (const name of readdirSync(world.home.dir))
    if (name.startsWith("kanban.db")) writeFileSync(join(world.home.dir, name), "no store");
  const [row] = await world.J<TaskDiagnostics[]>("diagnostics", "--severity", "critical");
  assert.deepEqual([row?.task_id, row?.diagnostics[0]?.kind], [null, "board_store"]);
  const { code, out } = await world.K("doctor", "--json");
  const health: BoardHealth = JSON.parse(out);
  assert.deepEqual([code, health.ok, health.checks.map((check) => check.name)], [1, false, ["store"]]);
});

test("doctor --fix removes the claim file of an ended run and says so; without it nothing is written", async (t) => {
  const world = await kanbanWorld(t);
  await world.make("x");
  mkdirSync(world.places.runs, { recursive: true });
  const orphan = join(world.places.runs, "t_0000000f.9.claim");
  writeFileSync(orphan, "{}");
  const looked = await world.J<BoardHealth>("doctor");
  assert.deepEqual(
    [looked.ok, looked.checks.find((check) => check.name === "claim files")?.status, existsSync(orphan)],
    [true, "warn", true],
  );
  const { code, out } = await world.K("doctor", "--fix");
  assert.equal(code, 0, out);
  assert.match(out, /^ok {4}claim files: repaired: removed: t_0000000f\.9\.claim$/m);
  assert.equal(existsSync(orphan), false);
  assert.match(
    (await world.run(["doctor"])).out,
    /^warn {2}board default: /m,
    "the program's doctor shows the same board in one line",
  );
});

test("doctor --fix is done by the owner that runs, which keeps what belongs to its workers", async (t) => {
  // A pass of the dispatcher would remove the record that has no run as well.
  const world = await kanbanWorld(t, { kanban: { dispatch_interval_seconds: 3600 } });
  await world.D();
  const id = await world.make("x");
  await world.told(id);
  const kept = readdirSync(world.places.runs);
  writeFileSync(join(world.places.runs, "t_0000000f.9.exit"), "{}");
  const { ok, checks } = await world.J<BoardHealth>("doctor", "--fix");
  assert.deepEqual(
    [ok, checks.find((check) => check.name === "claim files")?.detail],
    [true, "repaired: removed: t_0000000f.9.exit"],
  );
  assert.deepEqual(readdirSync(world.places.runs), kept);
  assert.deepEqual(await codesOf(world, id), ["running"]);
});

test("what only looks leaves nothing on disk", async (t) => {
  const world = await kanbanWorld(t);
  for (const words of [["next"], ["diagnostics"], ["doctor"], ["assignees"], ["stats"]]) {
    const { code, err } = await world.K(...words);
    assert.equal(code, 0, `${words.join(" ")}: ${err}`);
  }
  assert.equal((await world.refused("why", "t_00000000")).code, "E_NOT_FOUND");
  assert.deepEqual(readdirSync(world.home.dir), ["config.yaml"]);
});
