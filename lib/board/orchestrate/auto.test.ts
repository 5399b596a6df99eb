import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { proves } from "../../../fixtures/requirements.js";
import { graphAnswer, type Said, setupPlanner } from "../../../fixtures/sim/board-aux.js";
import { DEFAULT, mapConfig, USER, type WorldOptions } from "../../../fixtures/sim/board-world.js";
import { silentLog } from "../../base/log/log.js";
import type { BoardSlug, TaskId } from "../../base/units.js";
import type { NewTask } from "../../contracts/board/api.js";
import type { DecomposeOutcome } from "../../contracts/board/orchestration.js";
import { createAutoDecomposer } from "./auto.js";

const GRAPH = graphAnswer({ title: "a" }, { title: "b" });

/** Everything that can go on without time and without the test has gone on: the board lies in memory. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 40; turn++) await new Promise((resolve) => setImmediate(resolve));
}

async function setup(t: TestContext, options: WorldOptions & { readonly said?: readonly Said[] } = {}) {
  const { world, aux } = setupPlanner(t, { said: [GRAPH], ...options });
  const outcomes: DecomposeOutcome[] = [];
  const listeners = new Set<() => void>();
  const config = {
    ...mapConfig(world.settings),
    onChange: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const boards = [DEFAULT];
  const state = { dispatching: true };
  const auto = createAutoDecomposer({
    // The stores are in memory, so no file tells which boards there are.
    kernel: { ...world.board, slugs: async () => boards },
    aux,
    clock: world.clock,
    config,
    log: silentLog,
    exists: (name) => ["default", "alice", "bob"].includes(name),
    dispatching: () => state.dispatching,
    signals: { tried: { emit: (outcome) => void outcomes.push(outcome) } },
  });
  t.after(() => auto.stop(1_000));
  const make = async (more: Partial<NewTask> = {}) =>
    (await world.board.create(DEFAULT, { title: "idea", triage: true, ...more }, USER)).task.id;
  /** Time goes on by so many seconds. @returns how often the model was asked meanwhile */
  const pass = async (seconds: number) => {
    await settled();
    const before = aux.questions.length;
    world.clock.advance(seconds * 1000);
    await settled();
    return aux.questions.length - before;
  };
  /** Settings were changed in the file. */
  const change = (settings: Readonly<Record<string, unknown>>) => {
    for (const [key, value] of Object.entries(settings)) world.settings.set(key, value);
    for (const listener of listeners) listener();
  };
  const task = (id: TaskId) => world.board.task(DEFAULT, id);
  return { world, aux, auto, outcomes, boards, state, make, pass, change, task };
}

test("a triage task that is left alone for thirty seconds is decomposed by itself", async (t) => {
  proves(t, "config.kanban.auto-decompose");
  const { world, auto, outcomes, make, pass } = await setup(t);
  const id = await make();
  await auto.start();
  assert.equal(await pass(29), 0);
  await world.board.comment(DEFAULT, id, "wait", USER);
  assert.equal(await pass(29), 0);
  assert.equal(await pass(1), 1);
  const [outcome] = outcomes;
  assert.deepEqual([outcome?.ok, outcome?.task_id], [true, id]);
  const { task, comments } = await world.board.show(DEFAULT, id);
  assert.deepEqual([task.status, comments.at(-1)?.author], ["todo", "auto-decomposer"]);
  assert.equal((await world.board.task(DEFAULT, outcome?.child_ids?.[0] as TaskId)).created_by, "auto-decomposer");
});

/** Tasks and settings for which nothing happens by itself. */
const LEFT = [
  { name: "a task that opted out", task: { auto_decompose: false } },
  { name: "a task for something outside", task: { external: true, assignee: "bob" } },
  { name: "a task of somebody who is no profile", task: { assignee: "zoe" } },
  {
    name: "a task of an external name",
    task: { assignee: "alice" },
    settings: { "kanban.external_assignees": ["alice"] },
  },
  { name: "a task that is not in triage", task: { triage: false } },
  { name: "a task while it is switched off", task: {}, settings: { "kanban.auto_decompose": false } },
  { name: "a task while nothing dispatches", task: {}, dispatching: false },
  { name: "a task with no attempts per tick", task: {}, settings: { "kanban.auto_decompose_per_tick": 0 } },
] as const;

for (const left of LEFT) {
  test(`${left.name} is left to people`, async (t) => {
    const settings = "settings" in left ? left.settings : {};
    const { auto, state, make, pass } = await setup(t, { settings });
    state.dispatching = !("dispatching" in left);
    await make(left.task);
    await auto.start();
    for (let n = 0; n < 5; n++) assert.equal(await pass(40), 0);
  });
}

test("a failed attempt waits a minute, then four, then the task is left to people; an edit begins again", async (t) => {
  const { world, aux, auto, outcomes, make, pass, task } = await setup(t, { said: ["no plan"] });
  const id = await make();
  await auto.start();
  const failures = async () =>
    (await world.board.show(DEFAULT, id)).events
      .filter((event) => event.kind === "decompose_failed")
      .map((event) => event.payload);
  const start = world.clock.now() / 1000;
  for (const seconds of [30, 60, 240]) {
    assert.equal(await pass(seconds - 1), 0);
    assert.equal(await pass(1), 1);
  }
  const reason = "LLM returned malformed JSON";
  assert.deepEqual(await failures(), [
    { attempt: 1, reason, next_at: start + 90 },
    { attempt: 2, reason, next_at: start + 330 },
    { attempt: 3, reason, next_at: null },
  ]);
  for (let n = 0; n < 10; n++) assert.equal(await pass(600), 0);
  assert.equal((await task(id)).status, "triage");
  await world.board.edit(DEFAULT, id, { title: "better idea" }, USER);
  aux.say(GRAPH);
  assert.equal(await pass(29), 0);
  assert.equal(await pass(1), 1);
  assert.ok(outcomes.at(-1)?.ok);
});

test("an attempt by hand forgets the failed ones", async (t) => {
  const { world, aux, auto, make, pass, task } = await setup(t, { said: ["no plan"] });
  const id = await make();
  await auto.start();
  await pass(30);
  assert.equal((await task(id)).decompose_attempts, 1);
  await world.board.decompose(DEFAULT, id, {}, USER);
  assert.deepEqual([(await task(id)).decompose_attempts, aux.questions.length], [0, 2]);
});

test("three attempts begin per tick on all boards together, boards take turns, and the fewest attempts come first", async (t) => {
  proves(t, "config.kanban.auto-decompose-per-tick", "limit.decompose-per-tick");
  const { world, aux, auto, boards, make, pass } = await setup(t, {
    settings: { "kanban.dispatch_interval_seconds": 50 },
  });
  const other = "other" as BoardSlug;
  boards.push(other);
  const tried = await make({ priority: 9 });
  const second = await make({ priority: 1 });
  const third = await make({ priority: 1 });
  const high = await make({ priority: 5 });
  const there = "t_0000beef";
  const insert =
    "INSERT INTO tasks (id, title, status, created_by, created_at, updated_at) VALUES (?, 'x', 'triage', 'user', ?, ?)";
  const now = world.clock.now() / 1000;
  await (await world.store(other)).write("test.there", (tx) => tx.run(insert, [there, now, now]));
  const store = await world.store();
  await store.write("test.tried", (tx) => tx.run("UPDATE tasks SET decompose_attempts = 1 WHERE id = ?", [tried]));
  await auto.start();
  assert.equal(await pass(30), 3);
  const asked = () => aux.questions.map((question) => /t_[0-9a-f]{8}/.exec(question.user)?.[0]);
  assert.deepEqual(new Set(asked()), new Set([high, there, [second, third].sort()[0]]));
  assert.equal(await pass(49), 0);
  assert.equal(await pass(1), 2);
  assert.equal(asked().at(-1), tried);
});

test("switching it off is heard by an attempt that has not asked the model yet", async (t) => {
  const { aux, auto, outcomes, make, pass, change, task } = await setup(t);
  const id = await make();
  await auto.start();
  aux.state = async () => {
    change({ "kanban.auto_decompose": false });
    return "usable";
  };
  assert.equal(await pass(30), 0);
  assert.equal(outcomes[0]?.reason, "automatic decomposition is off");
  assert.deepEqual([(await task(id)).decompose_attempts, (await task(id)).status], [0, "triage"]);
});

test("what a board says wins over the configuration, and a paused board rests", async (t) => {
  const { world, auto, outcomes, make, pass } = await setup(t, { settings: { "kanban.auto_decompose": false } });
  const id = await make();
  const store = await world.store();
  const say = (value: string | null) =>
    store.write("test.say", async (tx) => {
      await tx.run("UPDATE board SET orchestration = ?", [value]);
      tx.emit({ kind: "orchestration_changed", at: world.clock.now(), payload: {} });
    });
  await world.board.pause(DEFAULT, {}, USER);
  await say("auto");
  await auto.start();
  assert.equal(await pass(31), 0);
  await world.board.resume(DEFAULT, USER);
  await settled();
  assert.equal(outcomes[0]?.task_id, id);
  world.settings.set("kanban.auto_decompose", true);
  await say("manual");
  await make();
  assert.equal(await pass(60), 0);
});

test("without a model nothing is tried and nothing counted, until there is one", async (t) => {
  const { aux, auto, make, pass, task } = await setup(t);
  const id = await make();
  aux.client = "none";
  await auto.start();
  assert.equal(await pass(60), 0);
  assert.equal(await pass(60), 0);
  assert.equal((await task(id)).decompose_attempts, 0);
  aux.client = "usable";
  assert.equal(await pass(60), 1);
  assert.equal((await task(id)).status, "todo");
});

test("an attempt under way when the owner stops ends at once and leaves no trace", async (t) => {
  const { world, aux, auto, make, pass } = await setup(t);
  aux.say((_question, signal) => {
    return new Promise((resolve) => {
      const aborted = { ok: false, why: "failed", class: "aborted", message: "" } as const;
      signal?.addEventListener("abort", () => resolve(aborted), { once: true });
    });
  });
  const id = await make();
  await auto.start();
  assert.equal(await pass(30), 1);
  const before = JSON.stringify(await world.board.show(DEFAULT, id));
  await auto.stop(1_000);
  assert.equal(JSON.stringify(await world.board.show(DEFAULT, id)), before);
  assert.equal(world.clock.waiting, 0);
});

test("an edit while the model works is no failure, and the new text gets its own attempt", async (t) => {
  const { world, aux, auto, outcomes, make, pass, task } = await setup(t);
  const id = await make();
  aux.say(async () => {
    await world.board.edit(DEFAULT, id, { body: "more" }, USER);
    return { ok: true, text: GRAPH };
  }, GRAPH);
  await auto.start();
  assert.equal(await pass(30), 1);
  assert.equal(outcomes[0]?.reason, "task changed while the model was working");
  assert.equal((await task(id)).decompose_attempts, 0);
  assert.equal(await pass(30), 1);
  assert.ok(outcomes[1]?.ok);
});

test("a failure that cannot be written down does not cost a model call after the other", async (t) => {
  const { world, auto, make, pass } = await setup(t, { said: ["no plan"] });
  await make();
  await auto.start();
  await settled();
  world.disk.faults.fail = (op) => (op.kind === "write" ? "ENOSPC" : undefined);
  assert.equal(await pass(30), 1);
  assert.equal(await pass(59), 0);
  world.disk.faults.fail = undefined;
  assert.equal(await pass(1), 1);
});
