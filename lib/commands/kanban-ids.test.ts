import assert from "node:assert/strict";
import { test } from "node:test";
import { kanban } from "../../fixtures/sim/board-cli.js";
import { type BoardWorld, setupBoard } from "../../fixtures/sim/board-world.js";
import type { Task } from "../contracts/board/board.js";

async function make(world: BoardWorld, title: string): Promise<string> {
  return (await kanban(world, ["create", title, "--json"])).json<Task>().id;
}

async function statusesOf(world: BoardWorld): Promise<Readonly<Record<string, string>>> {
  const tasks = (await kanban(world, ["list", "--json"])).json<readonly Task[]>();
  return Object.fromEntries(tasks.map((task) => [task.title, task.status]));
}

async function threeTasks(world: BoardWorld): Promise<readonly [string, string, string]> {
  return [await make(world, "a"), await make(world, "b"), await make(world, "c")];
}

test("block --ids takes all ids that follow, and the words after them are the reason", async (t) => {
  const world = setupBoard(t);
  const [a, b, c] = await threeTasks(world);
  const { out, code } = await kanban(world, ["block", a, "--ids", b, c, "need", "input"]);
  assert.deepEqual([out, code], [`Blocked ${a}: need input\nBlocked ${b}: need input\nBlocked ${c}: need input\n`, 0]);
  assert.deepEqual(await statusesOf(world), { a: "blocked", b: "blocked", c: "blocked" });
});

test("the reason may also stand before --ids, and --ids may repeat or use =", async (t) => {
  const world = setupBoard(t);
  const [a, b, c] = await threeTasks(world);
  assert.equal((await kanban(world, ["block", a, "why", "--ids", b, "--ids", c])).code, 0);
  assert.equal((await kanban(world, ["unblock", a, b, c])).code, 0);
  const { out } = await kanban(world, ["schedule", a, `--ids=${b}`, c, "--at", "+2h", "later"]);
  assert.equal(out.match(/^Scheduled t_\w+ for .* UTC: later$/gm)?.length, 3, out);
});

test("an unknown id in the list is refused by name and the others are done", async (t) => {
  const world = setupBoard(t);
  const [a, b, c] = await threeTasks(world);
  const { out, err, code } = await kanban(world, ["block", a, "--ids", "t_0", b, c, "need", "input"]);
  assert.equal(code, 1);
  assert.match(err, /cannot block t_0: unknown id/);
  assert.deepEqual(out.split("\n").length, 4, out);
  assert.deepEqual(await statusesOf(world), { a: "blocked", b: "blocked", c: "blocked" });
});

const STRAY: readonly (readonly [string, (a: string, b: string, c: string) => readonly string[]])[] = [
  ["block", (a, b) => ["block", a, b]],
  ["block behind words", (a, b) => ["block", a, "waits", "for", b]],
  ["block behind a list that words ended", (a, b, c) => ["block", a, "--ids", b, "why", c]],
  ["schedule", (a, b) => ["schedule", a, b, "--at", "+2h"]],
  ["promote", (a, b) => ["promote", a, b]],
  ["block behind --", (a, b) => ["block", a, "--", b]],
];
for (const [what, argv] of STRAY) {
  test(`an id as a word of the reason is refused before anything changes: ${what}`, async (t) => {
    const world = setupBoard(t);
    const [a, b, c] = await threeTasks(world);
    const { err, code } = await kanban(world, argv(a, b, c));
    assert.equal(code, 2);
    assert.match(err, /in the reason looks like a task id\nkanban: for more tasks use --ids t_/);
    assert.deepEqual(await statusesOf(world), { a: "ready", b: "ready", c: "ready" });
  });
}

test("a quoted reason may mention a task", async (t) => {
  const world = setupBoard(t);
  const [a, b] = await threeTasks(world);
  assert.equal((await kanban(world, ["block", a, `waits for ${b}`])).out, `Blocked ${a}: waits for ${b}\n`);
});

const WITHOUT_VALUE: readonly (readonly [readonly string[], RegExp])[] = [
  [["create", "x", "--parent"], /--parent requires a value/],
  [["create", "x", "--parent", "--triage"], /--parent requires a value/],
  [["create", "x", "--parent="], /--parent requires a value/],
  [["create", "x", "--parent", ""], /--parent requires a value/],
  [["create", "x", "--skill", "a", "--skill"], /--skill requires a value/],
  [["create", "x", "--skill", " "], /--skill requires a value/],
  [["create", "x", "--attach"], /--attach requires a value/],
  [["create", "x", "--attach", ""], /--attach requires a value/],
  [["create", "x", "--body-file", ""], /empty file name/],
  [["block", "t_0", "why", "--ids"], /--ids requires a value/],
  [["block", "t_0", "why", "--ids", ""], /--ids requires a value/],
  [["complete", "t_0", "--artifact"], /--artifact requires a value/],
  [["swarm", "goal", "--worker"], /--worker requires a value/],
];
for (const [argv, message] of WITHOUT_VALUE) {
  test(`a repeatable option without its value is a usage error: ${argv.map((word) => word || "''").join(" ")}`, async (t) => {
    const world = setupBoard(t);
    const { err, code } = await kanban(world, argv);
    assert.match(err, message);
    assert.equal(code, 2);
    assert.deepEqual(await statusesOf(world), {});
  });
}

test("promote --dry-run answers what promote would do, and changes nothing", async (t) => {
  const world = setupBoard(t);
  const parent = await make(world, "parent");
  const child = (await kanban(world, ["create", "child", "--parent", parent, "--json"])).json<Task>().id;
  const rowOf = async (...flags: string[]) =>
    (await kanban(world, ["promote", child, ...flags, "--json"])).json<{ results: Record<string, unknown>[] }>()
      .results[0] ?? {};
  const dry = await rowOf("--dry-run", "--force");
  assert.deepEqual([dry["ok"], dry["promoted"], dry["forced"], dry["dry_run"]], [true, true, true, true]);
  assert.equal((await statusesOf(world))["child"], "todo");
  const refused = await rowOf("--dry-run");
  assert.deepEqual([refused["ok"], refused["promoted"] ?? false], [false, false]);
  const done = await rowOf("--force");
  assert.deepEqual([done["ok"], done["promoted"], done["forced"], done["dry_run"]], [true, true, true, false]);
});
