import assert from "node:assert/strict";
import { test } from "node:test";
import { setupRest } from "../../../fixtures/dashboard/rest.js";
import { openStage } from "../../../fixtures/dashboard/stage.js";
import { DEFAULT, USER } from "../../../fixtures/sim/board-world.js";
import type { PassResult } from "../../contracts/board/board.js";
import type { Assignee, TaskDiagnostics } from "../../contracts/board/explain.js";
import { KANBAN_BASE } from "./request/base.js";

test("what starts next is reported in its order, at most as many as asked for", async (t) => {
  const { world, task } = await openStage(t);
  for (const priority of [1, 3, 2]) await task({ title: `p${priority}`, priority });
  const ask = (query: string) => world.ask("GET", `${KANBAN_BASE}/next${query}`);
  const titles = async (query: string) => (await ask(query)).json.map((one) => one["title"]);
  assert.deepEqual(
    [await titles(""), await titles("?limit=2")],
    [
      ["p3", "p2", "p1"],
      ["p3", "p2"],
    ],
  );
  for (const limit of ["0", "-1", "x", "1.5", ""]) assert.equal((await ask(`?limit=${limit}`)).status, 422, limit);
});

test("what needs someone is filtered by how bad it is", async (t) => {
  const { world, ask } = await setupRest(t);
  const { id } = (await world.board.create(DEFAULT, { title: "one", assignee: "nobody" }, USER)).task;
  const found = (await ask<TaskDiagnostics[]>("GET", "/diagnostics?severity=error")).json;
  assert.deepEqual(
    found.flatMap((one) => (one.task_id === id ? one.diagnostics.map((each) => each.kind) : [])),
    ["unknown_assignee"],
  );
  assert.deepEqual(
    (await ask<TaskDiagnostics[]>("GET", "/diagnostics?severity=critical")).json.filter((one) => one.task_id === id),
    [],
  );
  assert.equal((await ask("GET", "/diagnostics?severity=bad")).status, 422);
});

test("tasks are counted, and everybody who has some is named", async (t) => {
  const { world, ask } = await setupRest(t);
  await world.board.create(DEFAULT, { title: "one", assignee: "alice" }, USER);
  const { json } = await ask<{ by_status: Record<string, number>; by_assignee: unknown }>("GET", "/stats");
  assert.deepEqual([json.by_status["ready"], json.by_assignee], [1, { alice: { ready: 1 } }]);
  const { assignees } = (await ask<{ assignees: Assignee[] }>("GET", "/assignees")).json;
  assert.deepEqual(
    assignees.find((one) => one.name === "alice"),
    { name: "alice", on_disk: true, external: false, counts: { ready: 1 } },
  );
});

test("a pass by hand starts at most eight tasks, or as many as asked for, and a dry one none", async (t) => {
  const asked: unknown[] = [];
  const empty = {
    reclaimed: 0,
    promoted: 0,
    due: 0,
    spawned: [],
    crashed: [],
    timed_out: [],
    stale: [],
    rate_limited: [],
    protocol_violations: [],
    auto_blocked: [],
    auto_assigned_default: [],
    skipped_unassigned: [],
    skipped_nonspawnable: [],
    skipped_per_profile_capped: [],
    skipped_capped: 0,
    skipped_paused: 0,
    respawn_guarded: [],
    dry_run: false,
  } satisfies PassResult;
  const { ask } = await setupRest(t, {
    deps: {
      pass: async (options) => {
        asked.push(options);
        return { ...empty, dry_run: options.dryRun === true };
      },
    },
  });
  await ask("POST", "/dispatch");
  await ask("POST", "/dispatch?dry_run=true&max=2");
  const { json } = await ask<PassResult>("POST", "/dispatch", { dry_run: true, max: 0 });
  assert.deepEqual(asked, [
    { dryRun: false, max: 8 },
    { dryRun: true, max: 2 },
    { dryRun: true, max: 0 },
  ]);
  assert.equal(json.dry_run, true);
  assert.equal((await ask("POST", "/dispatch", { max: -1 })).status, 422);
});
