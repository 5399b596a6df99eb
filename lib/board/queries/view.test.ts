import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULT, setupBoard, USER } from "../../../fixtures/sim/board-world.js";
import type { BoardSlug, TaskId } from "../../base/units.js";

const NAMES = ["triage", "todo", "ready", "running", "blocked", "done", "scheduled"];

test("a board that was never written has every column, empty, and is not made", async (t) => {
  const world = setupBoard(t);
  const seen = await world.board.view(DEFAULT, { archived: true });
  assert.deepEqual(
    seen.columns.map((column) => [column.name, column.total, column.tasks.length]),
    [...NAMES, "archived"].map((name) => [name, 0, 0]),
  );
  assert.deepEqual(Object.keys(seen), ["columns", "tenants", "assignees", "board", "paused", "latest_event_id", "now"]);
  assert.deepEqual([seen.assignees, seen.latest_event_id, seen.paused], [["default", "alice", "bob"], 0, false]);
  assert.equal(world.disk.readFile(`${world.root}/kanban.db.current`), undefined);
});

test("columns hold their tasks by priority, done ones newest first, archived ones only when asked for", async (t) => {
  const world = setupBoard(t);
  const make = async (title: string, more: object = {}) =>
    (await world.board.create(DEFAULT, { title, ...more }, USER)).task.id;
  const low = await make("low");
  const high = await make("high", { priority: 5 });
  const done: TaskId[] = [];
  for (const title of ["first", "second"]) {
    const id = await make(title);
    world.clock.advance(1000);
    await world.board.complete(DEFAULT, id, {}, USER);
    done.push(id);
  }
  const gone = await make("gone");
  await world.board.archive(DEFAULT, gone, USER);
  const { columns } = await world.board.view(DEFAULT);
  const idsIn = (name: string) => columns.find((column) => column.name === name)?.tasks.map((card) => card.id);
  assert.deepEqual([idsIn("ready"), idsIn("done"), idsIn("archived")], [[high, low], done.toReversed(), undefined]);
  const all = (await world.board.view(DEFAULT, { archived: true })).columns.at(-1);
  assert.deepEqual([all?.name, all?.tasks.map((card) => card.id)], ["archived", [gone]]);
});

test("tasks of the same second stand in their column as they were made, done and archived ones the other way round", async (t) => {
  const world = setupBoard(t);
  const make = async () => (await world.board.create(DEFAULT, { title: "x" }, USER)).task.id;
  const ids: TaskId[] = [];
  for (let made = 0; made < 12; made++) ids.push(await make());
  const ready = ids.slice(0, 4);
  const done = ids.slice(4, 8);
  const archived = ids.slice(8);
  for (const id of done.toReversed()) await world.board.complete(DEFAULT, id, {}, USER);
  for (const id of archived.toReversed()) await world.board.archive(DEFAULT, id, USER);
  const { columns } = await world.board.view(DEFAULT, { archived: true });
  const shown = (name: string) => columns.find((column) => column.name === name)?.tasks ?? [];
  const idsIn = (name: string) => shown(name).map((card) => card.id);
  assert.deepEqual(
    [idsIn("ready"), idsIn("done"), idsIn("archived")],
    [ready, done.toReversed(), archived.toReversed()],
  );
  const made = shown("ready").map((card) => card.made);
  assert.deepEqual(
    made,
    made.toSorted((a, b) => a - b),
  );
});

test("a column shows as many cards as asked for and tells how many there are; a namespace is a board of its own", async (t) => {
  const world = setupBoard(t);
  for (let made = 0; made < 5; made++)
    await world.board.create(DEFAULT, { title: `x${made}`, tenant: made < 2 ? "acme" : "zeta" }, USER);
  const ready = (await world.board.view(DEFAULT, { limit: 3 })).columns.find((column) => column.name === "ready");
  assert.deepEqual([ready?.total, ready?.tasks.length], [5, 3]);
  const acme = await world.board.view(DEFAULT, { tenant: "acme" });
  assert.deepEqual(
    [acme.columns.find((column) => column.name === "ready")?.total, acme.tenants],
    [2, ["acme", "zeta"]],
  );
});

test("a card tells age, links, comments, what it waits for, its newest summary and its diagnostics", async (t) => {
  const world = setupBoard(t);
  const parent = (await world.board.create(DEFAULT, { title: "parent" }, USER)).task.id;
  const child = (await world.board.create(DEFAULT, { title: "child", parents: [parent], assignee: "nosuch" }, USER))
    .task.id;
  await world.board.comment(DEFAULT, child, "one", USER);
  await world.board.comment(DEFAULT, child, "two", USER);
  world.clock.advance(90_000);
  const waiting = await world.board.card(DEFAULT, child);
  assert.deepEqual(
    [waiting.age, waiting.link_counts, waiting.comment_count, waiting.waits_for, waiting.progress, waiting.workspace],
    [
      { created_age_seconds: 90, started_age_seconds: null, time_to_complete_seconds: null },
      { parents: 1, children: 0 },
      2,
      [parent],
      null,
      null,
    ],
  );
  assert.deepEqual(
    [waiting.warnings.count, waiting.warnings.kinds, waiting.warnings.highest_severity],
    [1, { unknown_assignee: 1 }, "error"],
  );
  await world.board.complete(DEFAULT, parent, { summary: "s".repeat(300) }, USER);
  const done = await world.board.card(DEFAULT, parent);
  assert.deepEqual(
    [done.latest_summary?.length, done.age.time_to_complete_seconds, done.link_counts.children],
    [300, 90, 1],
  );
  const shown = (await world.board.view(DEFAULT)).columns.find((column) => column.name === "done")?.tasks[0];
  assert.equal(shown?.latest_summary?.length, 200, "the board shows its beginning");
  assert.deepEqual({ ...shown, latest_summary: done.latest_summary }, done, "and the rest is the same");
});

test("a decomposed task shows how many of its children are done", async (t) => {
  const world = setupBoard(t);
  const root = (await world.board.create(DEFAULT, { title: "root" }, USER)).task.id;
  const children: TaskId[] = [];
  for (let made = 0; made < 3; made++) children.push((await world.board.create(DEFAULT, { title: "c" }, USER)).task.id);
  await (await world.store()).write("test", (tx) =>
    tx.run("UPDATE tasks SET decomposed_from = ? WHERE id <> ?", [root, root]),
  );
  await world.board.complete(DEFAULT, children[0] as TaskId, {}, USER);
  assert.deepEqual((await world.board.card(DEFAULT, root)).progress, { done: 1, total: 3 });
});

test("assignees are the profiles and every other name in use, each with what it is", async (t) => {
  const world = setupBoard(t, { settings: { "kanban.external_assignees": ["desk"] } });
  const make = (assignee: string, external = false) =>
    world.board.create(DEFAULT, { title: "x", assignee, external }, USER);
  for (const [name, external] of [
    ["alice", false],
    ["nosuch", false],
    ["carol", true],
  ] as const)
    await make(name, external);
  assert.deepEqual(await world.board.assignees(DEFAULT), [
    { name: "default", on_disk: true, external: false, counts: {} },
    { name: "alice", on_disk: true, external: false, counts: { ready: 1 } },
    { name: "bob", on_disk: true, external: false, counts: {} },
    { name: "carol", on_disk: false, external: true, counts: { ready: 1 } },
    { name: "desk", on_disk: false, external: true, counts: {} },
    { name: "nosuch", on_disk: false, external: false, counts: { ready: 1 } },
  ]);
});

test("the age of the oldest ready task counts from when it became ready, not from its last edit", async (t) => {
  const world = setupBoard(t);
  const id = (await world.board.create(DEFAULT, { title: "x" }, USER)).task.id;
  world.clock.advance(60_000);
  await world.board.assign(DEFAULT, id, "alice", USER);
  const { oldest_ready_age_seconds, by_status } = await world.board.stats(DEFAULT);
  assert.equal(oldest_ready_age_seconds, 60);
  assert.deepEqual(Object.keys(by_status), [
    "triage",
    "todo",
    "ready",
    "running",
    "blocked",
    "scheduled",
    "done",
    "archived",
  ]);
  assert.equal((await world.board.stats("other" as BoardSlug)).oldest_ready_age_seconds, null);
});

test("cards that are asked for by their ids come in their columns, with the totals of the whole board, and say since when they are there", async (t) => {
  const world = setupBoard(t);
  const make = async (title: string) => (await world.board.create(DEFAULT, { title }, USER)).task.id;
  const a = await make("a");
  const b = await make("b");
  await make("c");
  world.clock.advance(60_000);
  const at = Math.floor(world.clock.now() / 1000);
  await world.board.complete(DEFAULT, b, {}, USER);
  world.clock.advance(60_000);
  await world.board.comment(DEFAULT, b, "seen", USER);
  const { columns } = await world.board.view(DEFAULT, { ids: [a, b, "t_00000000"], archived: true });
  const shown = columns
    .filter(({ total }) => total > 0)
    .map(({ name, total, tasks }) => [name, total, tasks.map((card) => card.title)]);
  assert.deepEqual(shown, [
    ["ready", 2, ["a"]],
    ["done", 1, ["b"]],
  ]);
  assert.equal(columns.find(({ name }) => name === "done")?.tasks[0]?.since, at);
  const none = await world.board.view(DEFAULT, { ids: [] });
  assert.deepEqual(
    none.columns.map(({ tasks }) => tasks.length),
    none.columns.map(() => 0),
  );
});
