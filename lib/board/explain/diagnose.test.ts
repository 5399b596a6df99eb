import assert from "node:assert/strict";
import { test } from "node:test";
import { type BoardWorld, DEFAULT, setupBoard, USER } from "../../../fixtures/sim/board-world.js";
import type { Query, Store } from "../../../storage/store.js";
import { AppError } from "../../base/errors.js";
import type { TaskId } from "../../base/units.js";
import type { Actor, ClaimRef } from "../../contracts/board/board.js";
import type { DiagnosticKind, DispatchForecast } from "../../contracts/board/explain.js";

const SYSTEM: Actor = { kind: "system", name: "dispatcher" };
const HOUR = 3_600_000;

/** What brings a board into the case, and the kinds that its one task then has. */
const STORIES: readonly (readonly [string, (world: BoardWorld) => Promise<TaskId>, readonly DiagnosticKind[]])[] = [
  ["two crashes", (world) => ends(world, 2, 1), ["repeated_failures", "repeated_crashes"]],
  ["three throttled runs", (world) => ends(world, 3, 75), ["throttled"]],
  ["a worker that says nothing", (world) => ends(world, 1, 0), ["protocol_violation"]],
  ["an assignee that is no profile", (world) => make(world, { assignee: "nosuch" }), ["unknown_assignee"]],
  ["triage without a client", (world) => make(world, { triage: true }), ["triage_aux_unavailable"]],
  ["two days of silence", silence, ["stuck_in_blocked"]],
  ["three cycles", cycles, ["block_unblock_cycling"]],
  ["a rejected parent", rejectedParent, ["waiting_on_failed_parent"]],
  ["made-up ids in a summary", (world) => summary(world, "see t_ffffffff"), ["phantom_refs"]],
  ["claimed cards that nobody made", (world) => cards(world), ["hallucinated_cards"]],
  ["cards, then a good completion", goodCards, []],
  ["an undelivered message", undelivered, ["notify_failing"]],
  ["a task that waits since an hour", waiting, ["stranded_in_ready"]],
  ["a worker that cannot be ended", (world) => stuck(world, true), ["worker_stuck"]],
  ["one that went after all", (world) => stuck(world, false), []],
  ["a worktree that was kept", keptWorktree, ["workspace_kept"]],
  ["no attempts left", exhausted, ["auto_decompose_exhausted", "triage_aux_unavailable"]],
  ["an ordinary task", (world) => make(world, {}), []],
];

for (const [title, story, kinds] of STORIES) {
  test(`diagnostics of a board tell ${title}`, async (t) => {
    const world = setupBoard(t, { deps: { explain: { forecast: DISPATCHING } } });
    const id = await story(world);
    const rows = await world.board.diagnostics(DEFAULT);
    const mine = rows.filter((row) => row.task_id === id).flatMap((row) => row.diagnostics);
    assert.deepEqual(new Set(mine.map((one) => one.kind)), new Set(kinds));
    const [only] = await world.board.diagnostics(DEFAULT, { task: id });
    assert.deepEqual(only?.diagnostics ?? [], mine, "one task by itself has the same");
    assert.deepEqual((await world.board.show(DEFAULT, id)).diagnostics, mine, "and so does show");
  });
}

test("ready tasks that nothing starts are told for the board", async (t) => {
  const world = setupBoard(t);
  await make(world, {});
  world.clock.advance(HOUR);
  const [row] = await world.board.diagnostics(DEFAULT, { severity: "error" });
  assert.deepEqual([row?.task_id, row?.diagnostics[0]?.kind], [null, "dispatcher_absent"]);
});

test("a profile whose key is refused is told for the board, once for all its runs", async (t) => {
  const world = setupBoard(t, { deps: { explain: { forecast: DISPATCHING } } });
  for (let made = 0; made < 2; made++) {
    const id = await make(world, { assignee: "alice" });
    const ref = await claim(world, id);
    await world.board.reportFailure(DEFAULT, ref, { class: "auth", error: "401" });
    await world.board.settle({ board: DEFAULT, task: id, run: ref.run, observed: { how: "exit", code: 1 } });
  }
  const [row, ...others] = await world.board.diagnostics(DEFAULT);
  assert.deepEqual(
    [row?.task_id, row?.diagnostics.map((one) => [one.kind, one.count, one.data["profile"]]), others],
    [null, [["profile_auth", 2, "alice"]], []],
  );
  world.clock.advance(HOUR + 1000);
  const later = (await world.board.diagnostics(DEFAULT)).filter((one) => one.task_id === null);
  assert.deepEqual(later, [], "an hour later it is forgotten");
});

test("a board whose store cannot be opened has that as its finding", async (t) => {
  const damaged = () => Promise.reject(new AppError("E_STORE", "kanban.db is damaged"));
  const world = setupBoard(t, { deps: { stores: damaged } });
  const [row] = await world.board.diagnostics(DEFAULT);
  assert.deepEqual(
    [row?.task_id, row?.diagnostics[0]?.kind, row?.diagnostics[0]?.detail],
    [null, "board_store", "kanban.db is damaged"],
  );
});

test("a board that was never written has no findings, and is not made", async (t) => {
  const world = setupBoard(t);
  assert.deepEqual(await world.board.diagnostics(DEFAULT), []);
  assert.deepEqual(world.disk.readFile(`${world.root}/kanban.db.current`), undefined);
});

test("a large board takes no more statements than a small one", async (t) => {
  const count = { statements: 0 };
  const world = setupBoard(t);
  const inner = await world.store();
  const counted = setupBoard(t, { deps: { stores: async () => counting(inner, count) } });
  await make(world, {});
  await counted.board.diagnostics(DEFAULT);
  const small = count.statements;
  for (let made = 0; made < 40; made++) await make(world, { triage: made % 2 === 0 });
  count.statements = 0;
  await counted.board.diagnostics(DEFAULT);
  assert.equal(count.statements, small);
});

const DISPATCHING: DispatchForecast = {
  state: () => "dispatching",
  stalled: () => false,
  forecastStarts: async () => new Map(),
  forecastTask: async () => undefined,
};

const make = async (world: BoardWorld, more: object): Promise<TaskId> =>
  (await world.board.create(DEFAULT, { title: "x", ...more }, USER)).task.id;

async function claim(world: BoardWorld, id: TaskId): Promise<ClaimRef> {
  const outcome = await world.board.claim(DEFAULT, id, { profile: "alice", lock: "here:1", by: SYSTEM });
  assert.ok(outcome.claimed);
  return outcome.claim;
}

/** So many runs that end with the same code. */
async function ends(world: BoardWorld, count: number, code: number): Promise<TaskId> {
  const id = await make(world, { assignee: "alice" });
  for (let done = 0; done < count; done++) {
    const { run } = await claim(world, id);
    await world.board.settle({ board: DEFAULT, task: id, run, observed: { how: "exit", code } });
  }
  return id;
}

async function silence(world: BoardWorld): Promise<TaskId> {
  const id = await make(world, {});
  await world.board.comment(DEFAULT, id, "before", USER);
  world.clock.advance(HOUR);
  await world.board.block(DEFAULT, id, { reason: "wait" }, USER);
  world.clock.advance(48 * HOUR);
  return id;
}

async function cycles(world: BoardWorld): Promise<TaskId> {
  const id = await make(world, {});
  for (let done = 0; done < 3; done++) {
    await world.board.block(DEFAULT, id, { reason: "wait" }, USER);
    await world.board.unblock(DEFAULT, id, {}, USER);
  }
  return id;
}

async function rejectedParent(world: BoardWorld): Promise<TaskId> {
  const parent = await make(world, {});
  const id = await make(world, { parents: [parent] });
  await world.board.complete(DEFAULT, parent, { verdict: "rejected" }, USER);
  return id;
}

async function summary(world: BoardWorld, text: string): Promise<TaskId> {
  const id = await make(world, {});
  await world.board.complete(DEFAULT, id, { summary: text }, USER);
  return id;
}

async function cards(world: BoardWorld): Promise<TaskId> {
  const id = await make(world, { assignee: "alice" });
  const worker: Actor = { kind: "worker", name: "alice", claim: await claim(world, id) };
  await assert.rejects(world.board.complete(DEFAULT, id, { summary: "s", created_cards: ["t_ffffffff"] }, worker));
  return id;
}

async function goodCards(world: BoardWorld): Promise<TaskId> {
  const id = await cards(world);
  await world.board.complete(DEFAULT, id, { summary: "s" }, USER);
  return id;
}

async function undelivered(world: BoardWorld): Promise<TaskId> {
  const id = await make(world, {});
  await world.board.subscribe(DEFAULT, { task: id, platform: "msgt", chat_id: "5" }, USER);
  await world.board.block(DEFAULT, id, {}, USER);
  await (await world.store()).write("test", (tx) =>
    tx.run("UPDATE deliveries SET state = 'failed', error = 'no such chat'"),
  );
  return id;
}

/** A run whose worker outlived every signal, or (`lives` false) ended later. */
async function stuck(world: BoardWorld, lives: boolean): Promise<TaskId> {
  const id = await make(world, { assignee: "alice" });
  const worker = world.spawner.foreign(4242);
  const identity = { pid: worker.pid, start: worker.start, boot: world.spawner.boot, host: "host-1" };
  await world.board.bind(DEFAULT, await claim(world, id), identity);
  world.stopper.answer = "stuck";
  await assert.rejects(world.board.reclaim(DEFAULT, id, undefined, USER));
  if (!lives) worker.exit(0);
  return id;
}

async function keptWorktree(world: BoardWorld): Promise<TaskId> {
  const id = await make(world, {});
  await world.board.archive(DEFAULT, id, USER);
  world.spawner.missing.add("git");
  const sql = "UPDATE tasks SET workspace_kind = 'worktree', workspace_path = ? WHERE id = ?";
  await (await world.store()).write("test", (tx) => tx.run(sql, [world.root, id]));
  return id;
}

async function exhausted(world: BoardWorld): Promise<TaskId> {
  const id = await make(world, { triage: true });
  await (await world.store()).write("test", (tx) => tx.run("UPDATE tasks SET decompose_attempts = 3"));
  return id;
}

async function waiting(world: BoardWorld): Promise<TaskId> {
  const id = await make(world, {});
  world.clock.advance(HOUR);
  return id;
}

function counting(store: Store, count: { statements: number }): Store {
  const look = (q: Query): Query => ({
    text: q.text,
    all: (sql, args) => {
      count.statements++;
      return q.all(sql, args);
    },
    get: (sql, args) => {
      count.statements++;
      return q.get(sql, args);
    },
  });
  return { ...store, read: (body) => store.read((q) => body(look(q))), onEvents: () => () => undefined };
}
