import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type Answer, askHttp } from "../../../../fixtures/dashboard/ask.js";
import { type KanbanOptions, kanbanWorld } from "../../../../fixtures/e2e/kanban.js";
import { graphAnswer } from "../../../../fixtures/sim/board-aux.js";
import { systemSpawner } from "../../../base/process/spawn-system.js";
import { KANBAN_BASE } from "./base.js";

const TOKEN = "a-token-that-is-long-enough-for-a-dashboard";
const CHAIN = { text: graphAnswer({ title: "one" }, { title: "two", parents: [0] }) };

/** An owner that dispatches and serves its dashboard. */
async function served(t: TestContext, options: KanbanOptions = {}) {
  const world = await kanbanWorld(t, { ...options, config: "dashboard:\n  autostart: true\n  port: 0\n" });
  await world.D({ AGENT_DASHBOARD_SESSION_TOKEN: TOKEN });
  const { out } = await world.run(["dashboard", "--status"]);
  const url = /http:\S+/.exec(out)?.[0] ?? "";
  const ask = (method: string, path: string, body?: unknown): Promise<Answer> =>
    askHttp(url, method, `${KANBAN_BASE}${path}`, {
      headers: { authorization: `Bearer ${TOKEN}` },
      ...(body === undefined ? {} : { body }),
    });
  return { world, ask };
}

test("a worker at work is listed, looked at and stopped through the dashboard", async (t) => {
  const { world, ask } = await served(t);
  const id = await world.make("long work");
  const { pid } = await world.told(id);
  const { json: active } = await ask("GET", "/workers/active");
  const [worker] = active["workers"] ?? [];
  assert.deepEqual([active["count"], worker?.["task_id"], worker?.["task_status"]], [1, id, "running"]);
  const run = String(worker?.["run_id"]);
  const { json: seen } = await ask("GET", `/runs/${run}/inspect`);
  assert.deepEqual([seen["alive"], seen["pid"]], [true, worker?.["worker_pid"]]);
  assert.ok(
    Number(seen["memory_rss_bytes"]) > 100_000 && Number(seen["num_threads"]) >= 1 && Number(seen["num_fds"]) >= 1,
  );
  const process = systemSpawner.identify(pid);
  assert.ok(process);
  await ask("POST", "/boards/default/pause", { reason: "so that it does not start again" });
  const stopped = await ask("POST", `/runs/${run}/terminate`, { reason: "enough" });
  assert.deepEqual(stopped.json, { ok: true, run_id: Number(run), task_id: id });
  assert.equal(systemSpawner.alive(process), false);
  const { task, runs } = await world.show(id);
  assert.deepEqual([task.status, runs.map((one) => one.outcome)], ["ready", ["reclaimed"]]);
  assert.equal((await ask("GET", `/runs/${run}/inspect`)).json["alive"], false);
  assert.equal((await ask("POST", `/runs/${run}/terminate`)).status, 409);
  assert.deepEqual((await ask("GET", "/workers/active")).json["workers"], []);
});

test("switched off through the dashboard while the owner works, no decomposition begins until it is switched on again (acceptance 86)", async (t) => {
  const { world, ask } = await served(t, { aux: [CHAIN], kanban: { auto_decompose_settle_seconds: 0 } });
  assert.equal((await ask("PUT", "/orchestration", { auto_decompose: false })).json["auto_decompose"], false);
  const id = await world.make("big", "--triage");
  assert.equal((await ask("GET", `/tasks/${id}/why`)).json["reasons"]?.[0]?.["code"], "triage_manual");
  assert.equal(world.model.chats().length, 0);
  const { json } = await ask("PUT", "/orchestration", { auto_decompose: true });
  assert.deepEqual([json["auto_decompose"], json["resolved_orchestrator_profile"]], [true, "default"]);
  await world.event((event) => event.event === "decomposed" && event.task_id === id);
  assert.equal(world.model.chats().length, 1);
});
