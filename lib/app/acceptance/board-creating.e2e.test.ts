import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { kanbanWorld } from "../../../fixtures/e2e/kanban.js";
import { systemClock } from "../../base/time/clock.js";
import type { Task } from "../../contracts/board/board.js";

type Made = Task & { created: boolean; warnings: string[] };

const FIRST_KEYS = [
  "id",
  "title",
  "body",
  "assignee",
  "status",
  "priority",
  "tenant",
  "workspace_kind",
  "workspace_path",
  "branch_name",
  "created_by",
  "created_at",
  "started_at",
  "completed_at",
  "result",
  "skills",
  "max_retries",
  "session_id",
  "workflow_template_id",
  "current_step_key",
];

test("looking at a fresh home shows no task and leaves no store on disk (check 1)", async (t) => {
  const { K, home } = await kanbanWorld(t);
  const { code, out, err } = await K("list");
  assert.deepEqual([code, out, err], [0, "(no matching tasks)\n", ""]);
  assert.deepEqual(
    readdirSync(home.dir).filter((name) => name.startsWith("kanban")),
    [],
  );
  assert.equal(existsSync(home.lock), false);
});

test("a created task has its keys in their order and what was left out has its default (checks 2, 4 and 5)", async (t) => {
  const { J, K, show } = await kanbanWorld(t);
  const task = await J<Made>("create", "  padded  ");
  assert.deepEqual(Object.keys(task).slice(0, 20), FIRST_KEYS);
  assert.deepEqual([task.title, task.status, task.skills, task.workspace_kind], ["padded", "ready", [], "scratch"]);
  assert.deepEqual([task.created_by, task.created], ["user", true]);
  assert.match(task.id, /^t_[0-9a-f]{8}$/);
  assert.match((await K("create", "x", "--triage")).out, /^Created t_[0-9a-f]{8} {2}\(triage, assignee=-\)\n$/);
  const child = await J<Made>("create", "B", "--parent", task.id);
  const { events } = await show(child.id);
  assert.equal(child.status, "todo");
  assert.deepEqual(events[0]?.payload["parents"], [task.id]);
});

test("what cannot be a task is refused with its exit code and makes nothing (checks 3, 6, 8, 9, 11 and 17)", async (t) => {
  const { K, J } = await kanbanWorld(t);
  const yesterday = new Date(systemClock.now() - 86_400_000).toISOString();
  const refused: [string[], number, RegExp][] = [
    [[""], 1, /^kanban: title is required\n/],
    [["x", "--parent", "t_00000000"], 1, /^kanban: unknown parent task\(s\): t_00000000\n/],
    [["x", "--max-runtime", "soon"], 2, /invalid duration/],
    [["x", "--max-retries", "0"], 2, /max-retries/],
    [["x", "--workspace", "foo"], 2, /unknown --workspace value/],
    [["x", "--branch", "b"], 2, /--branch requires --workspace worktree/],
    [["x", "--at", yesterday], 2, /in the past/],
  ];
  for (const [flags, code, message] of refused) {
    const ran = await K("create", ...flags);
    assert.deepEqual([ran.code, ran.out], [code, ""], flags.join(" "));
    assert.match(ran.err, message);
  }
  assert.equal((await J<Made>("create", "x", "--max-runtime", "1.5h")).max_runtime_seconds, 5400);
  assert.equal((await J<Task[]>("list")).length, 1);
});

test("a key makes one task however often it is used, until the task is archived (check 7)", async (t) => {
  const { K, J, make } = await kanbanWorld(t);
  const id = await make("dup", "--idempotency-key", "k1");
  assert.equal(
    (await K("create", "dup", "--idempotency-key", "k1")).out,
    `Already exists: ${id}  (ready, assignee=-)\n`,
  );
  assert.equal((await J<Task[]>("list")).length, 1);
  await K("archive", id);
  assert.notEqual(await make("dup", "--idempotency-key", "k1"), id);
});

test("skills are kept once each, and all bad ones are named at once (check 10)", async (t) => {
  const { K, J } = await kanbanWorld(t);
  const made = await J<Made>("create", "x", "--skill", "a", "--skill", "b", "--skill", "a");
  assert.deepEqual(made.skills, ["a", "b"]);
  const { code, err } = await K("create", "x", "--skill", "a,b", "--skill", "Terminal");
  assert.equal(code, 1);
  assert.match(err.split("\n")[0] ?? "", /a,b.*Terminal/);
});

test("an assignee that no one is gets a warning, unless something outside works the task (check 12)", async (t) => {
  const { J } = await kanbanWorld(t);
  const made = await J<Made>("create", "x", "--assignee", "Bob");
  assert.equal(made.assignee, "bob");
  assert.equal(made.warnings.filter((text) => /profile bob does not exist/.test(text)).length, 1);
  assert.deepEqual((await J<Made>("create", "x", "--assignee", "Bob", "--external")).warnings, []);
});

test("a task that is born blocked stays so, whoever looks and however often the dispatcher passes (check 13)", async (t) => {
  const { make, K, P, show } = await kanbanWorld(t);
  const id = await make("x", "--initial-status", "blocked");
  await K("list");
  for (const pass of [await P(), await P()]) assert.deepEqual([pass.promoted, pass.spawned], [0, []]);
  const { task, events } = await show(id);
  assert.deepEqual([task.status, task.block_kind], ["blocked", "human"]);
  assert.deepEqual(
    events.map((event) => event.kind),
    ["created", "blocked"],
  );
});

test("the list begins with what is most urgent, then with what is oldest (check 14)", async (t) => {
  const { make, J } = await kanbanWorld(t);
  const made = [await make("a"), await make("b", "--priority", "5"), await make("c")];
  const listed = await J<Task[]>("list");
  assert.deepEqual(
    listed.map((task) => task.id),
    [made[1], made[0], made[2]],
  );
});

test("the beginning of an id is enough while it fits one task, and otherwise both are named (check 15)", async (t) => {
  const { owner, client, K, refused } = await kanbanWorld(t, { kanban: { dispatch_in_gateway: false } });
  await owner();
  const calls = client();
  const byPrefix = new Map<string, string[]>();
  for (let made = 0; made < 2_000 && ![...byPrefix.values()].some((ids) => ids.length > 1); made++) {
    const { id } = await calls.call<Task>("kanban.create", { title: "x", external: true });
    byPrefix.set(id.slice(0, 5), [...(byPrefix.get(id.slice(0, 5)) ?? []), id]);
  }
  const two = [...byPrefix].find(([, ids]) => ids.length > 1);
  const one = [...byPrefix].find(([, ids]) => ids.length === 1);
  assert.ok(two !== undefined && one !== undefined);
  assert.match((await K("show", one[0])).out, new RegExp(`^Task ${one[1][0]}: x`));
  const { exit, code, message } = await refused("show", two[0]);
  assert.deepEqual([exit, code], [1, "E_AMBIGUOUS"]);
  for (const id of two[1]) assert.ok(message.includes(id), message);
});

test("a flag may stand before or after the words of a reason (check 16)", async (t) => {
  const { make, K, show } = await kanbanWorld(t);
  const seen: unknown[] = [];
  for (const words of [
    ["--force", "urgent"],
    ["urgent", "--force"],
  ]) {
    const parent = await make("parent");
    const id = await make("child", "--parent", parent);
    const { code, out } = await K("promote", id, ...words);
    assert.deepEqual([code, out], [0, `Promoted ${id} -> ready: urgent\n`]);
    const { task, events } = await show(id);
    // Each command line has a key of its own.
    const payload = { ...events.at(-1)?.payload, line: "", ignored_parents: task.ignored_parents.length };
    seen.push([task.status, events.at(-1)?.kind, payload]);
  }
  assert.deepEqual(seen[0], seen[1]);
});
