import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type BoardWorld, DEFAULT, setupBoard, USER, type WorldOptions } from "../../../fixtures/sim/board-world.js";
import { AppError } from "../../base/errors.js";
import type { TaskId } from "../../base/units.js";
import type { Actor, Task } from "../../contracts/board/board.js";
import type { DispatchForecast, DispatchState } from "../../contracts/board/explain.js";

const SYSTEM: Actor = { kind: "system", name: "dispatcher" };

interface Breakage {
  readonly title: string;
  /** Name of the check that finds it. */
  readonly check: string;
  readonly status: "warn" | "fail";
  readonly says: RegExp;
  readonly sql?: (ids: readonly TaskId[]) => string;
  readonly by?: (world: BoardWorld, ids: readonly TaskId[]) => Promise<unknown> | unknown;
  readonly options?: WorldOptions;
}

/** Two ready tasks A and B, a todo task C with the parent A, and D that runs. */
const BREAKAGES: readonly Breakage[] = [
  {
    title: "a task that vanished",
    check: "tasks",
    status: "fail",
    says: /is missing/,
    sql: ([a]) => `DELETE FROM tasks WHERE id = '${a}'`,
  },
  {
    title: "a running task without a run",
    check: "runs",
    status: "fail",
    says: /do not match/,
    sql: ([a]) => `UPDATE tasks SET status = 'running' WHERE id = '${a}'`,
  },
  {
    title: "a task that names a run that ended",
    check: "runs",
    status: "warn",
    says: /refers to an ended run/,
    sql: ([a]) => `UPDATE tasks SET current_run_id = 99 WHERE id = '${a}'`,
  },
  {
    title: "a run with half an end",
    check: "runs",
    status: "fail",
    says: /only partly ended/,
    sql: () => "UPDATE runs SET outcome = 'crashed' WHERE ended_at IS NULL",
  },
  {
    title: "a child that overtook its parent",
    check: "dependencies",
    status: "fail",
    says: /before its parents/,
    sql: ([, , c]) => `UPDATE tasks SET status = 'ready' WHERE id = '${c}'`,
  },
  {
    title: "a circle",
    check: "dependencies",
    status: "fail",
    says: /cycle/,
    sql: ([a, , c]) => `INSERT INTO links (parent_id, child_id) VALUES ('${c}', '${a}')`,
  },
  {
    title: "a link to nothing",
    check: "dependencies",
    status: "fail",
    says: /missing tasks/,
    sql: ([a]) => `INSERT INTO links (parent_id, child_id) VALUES ('t_ffffffff', '${a}')`,
  },
  {
    title: "a task that was forgotten in todo",
    check: "promotion",
    status: "warn",
    says: /can be promoted/,
    sql: () => "UPDATE links SET ignored = 1",
  },
  {
    title: "an unassigned child of a decomposition",
    check: "decompositions",
    status: "warn",
    says: /no assignee/,
    sql: ([a, b]) => `UPDATE tasks SET decomposed_from = '${b}' WHERE id = '${a}'`,
  },
  {
    title: "a decomposition without one of its tasks",
    check: "decompositions",
    status: "fail",
    says: /child t_ffffffff is missing/,
    sql: ([a]) =>
      `UPDATE events SET kind = 'decomposed', payload = '{"child_ids":["t_ffffffff"]}' WHERE kind = 'created' AND task_id = '${a}'`,
  },
  {
    title: "a message that is owed to nobody",
    check: "deliveries",
    status: "fail",
    says: /without a subscription/,
    sql: () =>
      "INSERT INTO deliveries (subscription_id, event_id, state, next_at, created_at, updated_at) VALUES (99, 1, 'pending', 1, 1, 1)",
  },
  {
    title: "a status that no event tells of",
    check: "history",
    status: "fail",
    says: /its events say ready/,
    sql: ([a]) => `UPDATE tasks SET status = 'scheduled' WHERE id = '${a}'`,
  },
  {
    title: "an illegal move",
    check: "history",
    status: "fail",
    says: /not a valid transition/,
    sql: ([a]) => `UPDATE events SET payload = '{"from":null,"to":"done"}' WHERE kind = 'created' AND task_id = '${a}'`,
  },
  {
    title: "a count of failures that no event tells of",
    check: "failure counts",
    status: "fail",
    says: /has 7 failures/,
    by: countWrong,
  },
  {
    title: "a limit that was lowered",
    check: "failure counts",
    status: "warn",
    says: /lowered/,
    sql: ([a]) => `UPDATE tasks SET consecutive_failures = 5 WHERE id = '${a}'`,
  },
  { title: "a token in an event", check: "secrets", status: "fail", says: /event \d+ contains a token/, by: leakToken },
  {
    title: "a secret in a worker's comment",
    check: "secrets",
    status: "fail",
    says: /comment \d+ contains a secret/,
    by: leakSecret,
  },
  { title: "no owner", check: "dispatcher", status: "warn", says: /no long-lived owner/ },
  {
    title: "dispatching switched off",
    check: "dispatcher",
    status: "warn",
    says: /is disabled/,
    options: seen("disabled"),
  },
  {
    title: "a dispatcher that starts nothing",
    check: "dispatcher",
    status: "fail",
    says: /nothing starts/,
    options: seen("dispatching", true),
  },
  {
    title: "no auxiliary model",
    check: "auxiliary models",
    status: "warn",
    says: /kanban_decomposer, profile_describer: no auxiliary client/,
  },
  {
    title: "a default assignee that is no profile",
    check: "default assignee and orchestrator",
    status: "warn",
    says: /unknown profile gone/,
    options: { settings: { "kanban.default_assignee": "gone" } },
  },
  {
    title: "an assignee that is no profile",
    check: "assignees",
    status: "warn",
    says: /nosuch/,
    sql: ([a]) => `UPDATE tasks SET assignee = 'nosuch' WHERE id = '${a}'`,
  },
  {
    title: "a run whose lease is over",
    check: "workers",
    status: "warn",
    says: /no living worker/,
    by: (world) => world.clock.advance(3_600_000),
  },
  {
    title: "a claim file without a run",
    check: "claim files",
    status: "warn",
    says: /t_0000000f\.9\.claim/,
    by: strayClaim,
  },
  {
    title: "a workspace without a task",
    check: "workspaces",
    status: "warn",
    says: /does not belong to a task/,
    by: strayWorkspace,
  },
  {
    title: "a task that lost its workspace",
    check: "workspaces",
    status: "warn",
    says: /workspace .* is missing/,
    sql: ([, , , d]) => `UPDATE tasks SET workspace_path = '/nowhere/at/all' WHERE id = '${d}'`,
  },
  { title: "an attachment without a file", check: "attachments", status: "fail", says: /notes\.md/, by: lostFile },
  { title: "messages that were given up", check: "deliveries", status: "warn", says: /msgt:5/, by: undelivered },
  {
    title: "an event from the future",
    check: "clock",
    status: "warn",
    says: /ahead/,
    sql: () => "UPDATE events SET created_at = created_at + 7200000 WHERE seq = 1",
  },
];

for (const { title, check, status, says, sql, by, options } of BREAKAGES) {
  test(`doctor finds ${title}`, async (t) => {
    const { world, ids } = await ward(t, options);
    if (sql) await (await world.store()).write("test.break", (tx) => tx.run(sql(ids)));
    await by?.(world, ids);
    const { ok, checks } = await world.board.doctor(DEFAULT, { fix: false });
    const found = checks.find((one) => one.name === check);
    assert.deepEqual([found?.status, ok], [status, !checks.some((one) => one.status === "fail")]);
    assert.match(found?.detail ?? "", says);
    assert.notEqual(found?.fix ?? "", "", "a finding says what to do");
  });
}

test("doctor finds nothing wrong with a board at work", async (t) => {
  const { world } = await ward(t, seen("dispatching"));
  const { ok, checks } = await world.board.doctor(DEFAULT, { fix: false });
  assert.ok(ok);
  assert.deepEqual(
    checks.filter((check) => check.status !== "ok").map((check) => check.name),
    ["auxiliary models"],
  );
});

test("doctor reads the newest 5,000 events, however many there are, and says so; --deep reads all", async (t) => {
  const { world, ids } = await ward(t);
  const store = await world.store();
  await store.write("test.break", async (tx) => {
    await tx.run(
      `UPDATE events SET payload = '{"from":null,"to":"done"}' WHERE kind = 'created' AND task_id = '${ids[0]}'`,
    );
    await tx.run(manyEvents(ids[1] ?? ""));
  });
  const last = await store.lastSeq();
  const historyOf = async (deep: boolean) => {
    const { checks } = await world.board.doctor(DEFAULT, { fix: false, deep });
    return checks.find((check) => check.name === "history");
  };
  assert.deepEqual(await historyOf(false), {
    name: "history",
    status: "ok",
    detail: `events after ${last - 5000} match the status of their tasks; --deep reads all`,
  });
  assert.equal((await historyOf(true))?.status, "fail");
});

test("doctor of a decomposition whose tasks were made before the events that it reads finds all of them", async (t) => {
  const { world, ids } = await ward(t);
  const [a = "", b = ""] = ids;
  await (await world.store()).write("test.break", async (tx) => {
    await tx.run(`UPDATE tasks SET decomposed_from = '${b}' WHERE id = '${a}'`);
    await tx.run(manyEvents(b));
    await tx.run(
      `INSERT INTO events (kind, task_id, payload, created_at) VALUES ('decomposed', '${b}', '{"child_ids":["${a}"]}', 1)`,
    );
  });
  const { checks } = await world.board.doctor(DEFAULT, { fix: false });
  assert.doesNotMatch(checks.find((check) => check.name === "decompositions")?.detail ?? "", /child \S+ is missing/);
});

test("doctor of a board that was never written makes nothing", async (t) => {
  const world = setupBoard(t);
  const { checks } = await world.board.doctor(DEFAULT, { fix: true });
  assert.deepEqual(checks, [{ name: "store", status: "ok", detail: "not created yet" }]);
});

test("doctor of a damaged store says so and nothing else", async (t) => {
  const world = setupBoard(t, {
    deps: { stores: () => Promise.reject(new AppError("E_STORE", "kanban.db is damaged")) },
  });
  const { ok, checks } = await world.board.doctor(DEFAULT, { fix: true });
  assert.deepEqual(
    [ok, checks.map((check) => [check.name, check.status, check.detail])],
    [false, [["store", "fail", "kanban.db is damaged"]]],
  );
});

test("fix removes files of ended runs, makes forgotten tasks ready, clears stale names, and says so; nothing else changes", async (t) => {
  const { world, ids } = await ward(t);
  const [a, b, c, d] = ids;
  const store = await world.store();
  await store.write("test.break", async (tx) => {
    await tx.run("UPDATE links SET ignored = 1");
    await tx.run("UPDATE tasks SET current_run_id = 99 WHERE id = ?", [a ?? ""]);
  });
  strayClaim(world);
  const before = await world.board.show(DEFAULT, b as TaskId);
  const { checks } = await world.board.doctor(DEFAULT, { fix: true });
  const told = checks.filter((check) => check.detail.startsWith("repaired: ")).map((check) => check.name);
  assert.deepEqual(told, ["runs", "promotion", "claim files"]);
  assert.equal((await world.board.task(DEFAULT, c as TaskId)).status, "ready");
  assert.equal((await world.board.task(DEFAULT, a as TaskId)).current_run_id, null);
  assert.deepEqual(await world.board.show(DEFAULT, b as TaskId), before);
  const { current_run_id: run } = await world.board.task(DEFAULT, d as TaskId);
  const places = world.board.places(DEFAULT);
  assert.equal(existsSync(join(places.runs, "t_0000000f.9.claim")), false);
  assert.equal(existsSync(places.claim(d as TaskId, run ?? 0)), true, "the claim of the open run stays");
  const again = (await world.board.doctor(DEFAULT, { fix: true })).checks;
  assert.ok(!again.some((check) => check.detail.startsWith("repaired")), "there is nothing left to repair");
});

const manyEvents = (task: string): string =>
  `INSERT INTO events (kind, task_id, payload, created_at) SELECT 'heartbeat', '${task}', '{}', 1
   FROM (WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) SELECT i FROM n) AS many`;

async function ward(t: Parameters<typeof setupBoard>[0], options: WorldOptions = {}) {
  const world = setupBoard(t, options);
  const make = async (more: object): Promise<Task> =>
    (await world.board.create(DEFAULT, { title: "x", ...more }, USER)).task;
  const a = await make({});
  const b = await make({ assignee: "alice" });
  const c = await make({ parents: [a.id] });
  const d = await make({ assignee: "alice" });
  const outcome = await world.board.claim(DEFAULT, d.id, { profile: "alice", lock: "here:1", by: SYSTEM });
  assert.ok(outcome.claimed);
  await world.board.prepareWorkspace(DEFAULT, outcome.claim);
  await world.board.writeClaimFile(DEFAULT, outcome.claim);
  return { world, ids: [a.id, b.id, c.id, d.id] };
}

function seen(state: DispatchState, stalled = false): WorldOptions {
  const forecast: DispatchForecast = {
    state: () => state,
    stalled: () => stalled,
    forecastStarts: async () => new Map(),
    forecastTask: async () => undefined,
  };
  return { deps: { explain: { forecast } } };
}

async function countWrong(world: BoardWorld, [, b]: readonly TaskId[]): Promise<void> {
  const id = b as TaskId;
  const claimed = await world.board.claim(DEFAULT, id, { profile: "alice", lock: "here:1", by: SYSTEM });
  assert.ok(claimed.claimed);
  await world.board.settle({ board: DEFAULT, task: id, run: claimed.claim.run, observed: { how: "exit", code: 1 } });
  await (await world.store()).write("test.break", (tx) =>
    tx.run("UPDATE tasks SET consecutive_failures = 7, max_retries = 9 WHERE id = ?", [id]),
  );
}

async function claimOf(world: BoardWorld, id: TaskId) {
  const outcome = await world.board.claim(DEFAULT, id, { profile: "alice", lock: "here:1", by: SYSTEM });
  assert.ok(outcome.claimed);
  return outcome.claim;
}

async function leakToken(world: BoardWorld, [, b]: readonly TaskId[]): Promise<void> {
  const claim = await claimOf(world, b as TaskId);
  await world.board.comment(DEFAULT, claim.task, "x", USER);
  await (await world.store()).write("test.break", (tx) =>
    tx.run("UPDATE events SET payload = ? WHERE kind = 'commented'", [
      JSON.stringify({ note: `token ${claim.token}` }),
    ]),
  );
}

async function leakSecret(world: BoardWorld, [, b]: readonly TaskId[]): Promise<void> {
  const claim = await claimOf(world, b as TaskId);
  await world.board.comment(DEFAULT, claim.task, "x", { kind: "worker", name: "alice", claim });
  await (await world.store()).write("test.break", (tx) => tx.run("UPDATE comment_texts SET text = 'key sk-secret'"));
}

function strayClaim(world: BoardWorld): void {
  const { runs } = world.board.places(DEFAULT);
  mkdirSync(runs, { recursive: true });
  writeFileSync(join(runs, "t_0000000f.9.claim"), "{}");
}

function strayWorkspace(world: BoardWorld): void {
  const dir = join(world.board.places(DEFAULT).workspaces, "t_0000000f");
  mkdirSync(dir, { recursive: true });
  writeFileSync(
    join(dir, ".agent-workspace"),
    JSON.stringify({ board: "default", task_id: "t_0000000f", created_at: 1 }),
  );
}

async function lostFile(world: BoardWorld, [a]: readonly TaskId[]): Promise<void> {
  await (await world.store()).write("test.break", (tx) =>
    tx.run(
      `INSERT INTO attachments (task_id, filename, stored_path, content_type, size, sha256, uploaded_by, created_at)
       VALUES (?, 'notes.md', 'nowhere/notes.md', 'text/markdown', 1, 'x', 'user', 1)`,
      [a ?? ""],
    ),
  );
}

async function undelivered(world: BoardWorld, [a]: readonly TaskId[]): Promise<void> {
  await world.board.subscribe(DEFAULT, { task: a, platform: "msgt", chat_id: "5" }, USER);
  await world.board.block(DEFAULT, a as TaskId, {}, USER);
  await (await world.store()).write("test.break", (tx) =>
    tx.run("UPDATE deliveries SET state = 'failed', error = 'no such chat'"),
  );
}
