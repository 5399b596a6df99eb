import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { kanban } from "../../fixtures/sim/board-cli.js";
import { type BoardWorld, DEFAULT, setupBoard, USER } from "../../fixtures/sim/board-world.js";
import type { Task } from "../contracts/board/board.js";

const make = async (world: BoardWorld, ...argv: string[]): Promise<string> =>
  (await kanban(world, ["create", ...argv, "--json"])).json<Task>().id;

interface Rows {
  readonly results: readonly Record<string, unknown>[];
}

/** Flags of edit, and the keys of the task that they change. */
const EDITS: readonly [readonly string[], Partial<Task>][] = [
  [["--title", " t2 "], { title: "t2" }],
  [["--body", "b"], { body: "b" }],
  [["--body-file", "text.md"], { body: "from a file" }],
  [["--body", "-"], { body: "typed" }],
  [["--priority", "-3"], { priority: -3 }],
  [["--assignee", "Bob"], { assignee: "bob" }],
  [["--assignee", "none"], { assignee: null }],
  [["--tenant", "acme"], { tenant: "acme" }],
  [["--skill", "x", "--skill", "y"], { skills: ["x", "y"] }],
  [["--skill", ""], { skills: [] }],
  [["--add-skill", "z", "--remove-skill", "a"], { skills: ["z"] }],
  [["--max-runtime", "1.5h"], { max_runtime_seconds: 5400 }],
  [["--max-runtime", ""], { max_runtime_seconds: null }],
  [["--max-retries", "7"], { max_retries: 7 }],
  [["--max-retries", ""], { max_retries: null }],
  [["--workspace", "dir:/tmp/x"], { workspace_kind: "dir", workspace_path: "/tmp/x" }],
  [["--model", "m"], { model_override: "m" }],
  [["--goal", "--goal-max-turns", "4"], { goal_mode: true, goal_max_turns: 4 }],
  [["--no-goal"], { goal_mode: false }],
  [["--no-auto"], { auto_decompose: false }],
  [["--auto"], { auto_decompose: true }],
  [["--external"], { external: true }],
  [["--no-external"], { external: false }],
  [["--hold"], { hold: true }],
  [["--no-hold"], { hold: false }],
];

for (const [flags, wanted] of EDITS) {
  test(`edit ${flags.join(" ")} changes that and nothing else`, async (t) => {
    const world = setupBoard(t);
    writeFileSync(join(world.root, "text.md"), "from a file");
    const id = await make(world, "one", "--skill", "a", "--max-retries", "2", "--max-runtime", "60");
    const before = await world.board.task(DEFAULT, id as Task["id"]);
    const { json, err, code } = await kanban(world, ["edit", id, ...flags, "--json"], { stdin: "typed" });
    assert.equal(code, 0, err);
    const { task } = json<{ task: Task }>();
    assert.deepEqual({ ...task, version: 1, updated_at: before.updated_at }, { ...before, ...wanted });
  });
}

/** What follows `edit <id>`, exit code, message. */
const BAD: readonly [readonly string[], number, RegExp][] = [
  [[], 2, /nothing to change/],
  [["--goal", "--no-goal"], 2, /exclude each other/],
  [["--max-retries", "0"], 2, /whole number of at least 1/],
  [["--max-runtime", "soon"], 2, /invalid duration/],
  [["--metadata", "[1]"], 2, /JSON object/],
  [["--workspace", "foo"], 2, /unknown --workspace value/],
  [["--branch", "-x", "--workspace", "worktree"], 2, /invalid branch name/],
  [["--branch", "b"], 1, /require a worktree/],
  [["--title", " "], 1, /title is required/],
  [["--add-skill", "a,b"], 1, /invalid skill name/],
  [["--outcome", "rejected"], 1, /status is ready/],
  [["--body", "x", "--body-file", "y"], 2, /exclude each other/],
];

for (const [flags, code, message] of BAD) {
  test(`edit ${flags.join(" ") || "without a flag"} is refused with ${code}`, async (t) => {
    const world = setupBoard(t);
    const id = await make(world, "one");
    const printed = await kanban(world, ["edit", id, ...flags]);
    assert.deepEqual([printed.code, printed.out], [code, ""]);
    assert.match(printed.err, message);
    assert.equal((await world.board.task(DEFAULT, id as Task["id"])).version, 1);
  });
}

test("edit says what it changed, and to a running task when its worker sees it", async (t) => {
  const world = setupBoard(t);
  const id = await make(world, "one");
  assert.equal(
    (await kanban(world, ["edit", id, "--body", "b", "--priority", "1"])).out,
    `Edited ${id}: priority, body\n`,
  );
  assert.equal((await kanban(world, ["edit", id, "--body", "b"])).out, `Edited ${id}: unchanged\n`);
  await kanban(world, ["claim", id]);
  const { code, err } = await kanban(world, ["edit", id, "--body", "c"]);
  assert.deepEqual([code, err], [0, "kanban: the running worker sees the change when it shows the task again\n"]);
});

test("reassign says whether a claim was taken back", async (t) => {
  const world = setupBoard(t);
  const id = await make(world, "one", "--assignee", "alice");
  assert.equal((await kanban(world, ["reassign", id, "bob"])).out, `Reassigned ${id} to bob\n`);
  await kanban(world, ["claim", id]);
  const refused = await kanban(world, ["reassign", id, "alice"]);
  assert.deepEqual([refused.code, refused.err.split("\n")[0]], [1, `kanban: cannot reassign ${id}: currently running`]);
  const { out } = await kanban(world, ["reassign", id, "alice", "--reclaim", "--reason", "busy"]);
  assert.equal(out, `Reassigned ${id} to alice (claim reclaimed)\n`);
});

test("a task is deleted out of the archive only, and by its whole id", async (t) => {
  const world = setupBoard(t);
  const id = await make(world, "one");
  const other = await make(world, "two");
  await kanban(world, ["archive", id]);
  const prefix = await kanban(world, ["archive", "--rm", id.slice(0, 6)]);
  assert.match(prefix.err, /full id required/);
  const { results } = (await kanban(world, ["archive", "--rm", other, id, "--json"])).json<Rows>();
  assert.deepEqual(
    results.map((row) => [row["task_id"], row["ok"]]),
    [
      [other, false],
      [id, true],
    ],
  );
  assert.match(
    (await kanban(world, ["archive", other, "--rm"])).err,
    new RegExp(`^kanban: cannot delete ${other}: not archived`),
  );
  assert.match((await kanban(world, ["show", id])).err, /no such task/);
});

test("files are attached, listed and detached by their number, or refused together", async (t) => {
  const world = setupBoard(t);
  mkdirSync(join(world.root, "in"));
  for (const name of ["a.md", "b.txt"]) writeFileSync(join(world.root, "in", name), name);
  const id = await make(world, "one", "--attach", "in/a.md");
  assert.equal((await kanban(world, ["attach", id, "in/b.txt"])).out, `Attached b.txt to ${id}\n`);
  assert.match((await kanban(world, ["attach", id, "in/b.txt", "in/gone"])).err, /no such file: .*in\/gone/);
  assert.match(
    (await kanban(world, ["attachments", id])).out,
    /^#1 a\.md \(text\/markdown, 4 B\) by user .*\n#2 b\.txt/,
  );
  assert.equal((await kanban(world, ["detach", id, "1"])).out, `Detached a.md from ${id}\n`);
  assert.equal((await kanban(world, ["detach", id, "1"])).code, 1);
  const listed = (await kanban(world, ["attachments", id, "--json"])).json<Record<string, unknown>[]>();
  assert.deepEqual(
    listed.map((one) => one["filename"]),
    ["b.txt"],
  );
});

test("held children of a root are released by --children", async (t) => {
  const world = setupBoard(t);
  const root = await make(world, "root");
  const child = await make(world, "child");
  const store = await world.store();
  const held = "UPDATE tasks SET decomposed_from = ?, status = 'todo', hold = 1 WHERE id = ?";
  await store.write("test.held", (tx) => tx.run(held, [root, child]));
  assert.equal(
    (await kanban(world, ["promote", root, "--children", "--dry-run"])).out,
    `Would promote ${child} -> ready (dry)\n`,
  );
  assert.equal((await kanban(world, ["promote", root, "--children"])).out, `Promoted ${child} -> ready\n`);
  assert.equal((await kanban(world, ["promote", root, "--children"])).out, `${root} has no held children\n`);
});

test("a link to what is not there names all of it", async (t) => {
  const world = setupBoard(t);
  const id = await make(world, "one");
  assert.match(
    (await kanban(world, ["link", "t_00000000", "t_11111111"])).err,
    /^kanban: unknown task\(s\): t_00000000, t_11111111\n/,
  );
  assert.match((await kanban(world, ["unlink", "t_00000000", id])).err, /^kanban: No such link: t_00000000 -> /);
  assert.match((await kanban(world, ["link", id, id])).err, /^kanban: a task cannot depend on itself\n/);
});

test("a comment is cut to its bound with the note inside, between characters", async (t) => {
  const world = setupBoard(t);
  const id = await make(world, "one");
  await kanban(world, ["comment", id, "😀".repeat(50), "--max-len", "30"]);
  const [comment] = (await world.board.show(DEFAULT, id as Task["id"])).comments;
  assert.deepEqual(
    [comment?.text, [...(comment?.text ?? "")].length],
    [`${"😀".repeat(7)}… [trimmed to 30 chars]`, 30],
  );
});

test("a ready task on a paused board is said to wait", async (t) => {
  const world = setupBoard(t);
  await world.board.pause(DEFAULT, { reason: "audit" }, USER);
  assert.match((await kanban(world, ["create", "x"])).err, /nothing will start it: the board is paused \(audit\)/);
});
