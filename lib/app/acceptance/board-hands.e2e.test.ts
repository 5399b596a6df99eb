import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { kanbanWorld } from "../../../fixtures/e2e/kanban.js";
import { systemSpawner } from "../../base/process/spawn-system.js";
import type { TaskView } from "../../contracts/board/api.js";

const gone = (pid: number | undefined) => assert.equal(systemSpawner.identify(pid ?? 0), undefined);

for (const { how, words } of [
  { how: "reopening its parent", words: ["reopen", "<parent>", "--force"] },
  { how: "a verdict on its parent", words: ["edit", "<parent>", "--outcome", "rejected", "--force"] },
]) {
  test(`a child at work is stopped by ${how} and not started again, although an owner dispatches`, async (t) => {
    const { D, K, make, told, show, event } = await kanbanWorld(t, { kanban: { dispatch_interval_seconds: 1 } });
    await D();
    const parent = await make("parent", "--external");
    const child = await make("child", "--parent", parent);
    await K("complete", parent);
    const worker = await told(child);
    const line = words.map((word) => (word === "<parent>" ? parent : word));
    const refused = await K(...line.filter((word) => word !== "--force"));
    assert.match(refused.err, new RegExp(`its child ${child} is running`));
    const { code, out, err } = await K(...line);
    assert.equal(code, 0, err);
    assert.match(out, new RegExp(`waiting again: ${child}`));
    gone(worker.pid);
    gone(worker.child);
    // A task made afterwards is started: the dispatcher has looked at the board since.
    const other = await make("other");
    await event((one) => one.task_id === other && one.event === "spawned");
    const { task, runs } = await show(child);
    assert.deepEqual([task.status, runs.map((run) => run.outcome)], ["todo", ["reclaimed"]]);
  });
}

test("a task that is taken from its worker is worked next by the other profile alone", async (t) => {
  const { D, K, make, told, show, home } = await kanbanWorld(t);
  mkdirSync(join(home.dir, "profiles", "bob"), { recursive: true });
  await D();
  const id = await make("one");
  const first = await told(id);
  const { out } = await K("reassign", id, "bob", "--reclaim", "--reason", "better suited");
  assert.equal(out, `Reassigned ${id} to bob (claim reclaimed)\n`);
  gone(first.pid);
  gone(first.child);
  const second = await told(id, 2);
  assert.deepEqual([second.argv.slice(0, 2), second.env["AGENT_PROFILE"]], [["-p", "bob"], "bob"]);
  const { runs } = await show(id);
  assert.deepEqual(
    runs.map((run) => [run.profile, run.outcome, run.end_reason]),
    [
      ["default", "reclaimed", "reassigned"],
      ["bob", null, null],
    ],
  );
});

test("a task of a worker that was archived and deleted leaves no process and no file", async (t) => {
  const { D, K, make, told } = await kanbanWorld(t);
  await D();
  const id = await make("one");
  const worker = await told(id);
  assert.equal((await K("archive", id)).code, 0);
  gone(worker.pid);
  gone(worker.child);
  assert.equal((await K("archive", "--rm", id)).out, `Deleted ${id}\n`);
  assert.equal((await K("log", id)).code, 1);
  assert.equal((await K("show", id)).code, 1);
  const { code, out } = await K("doctor", "--json");
  assert.equal(code, 0, out);
  assert.ok(!out.includes(id), out);
});

test("a task that was given a worktree before its first attempt is worked there, on its branch", async (t) => {
  const { K, J, make, work } = await kanbanWorld(t);
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", work, "-c", "user.name=n", "-c", "user.email=e@example.com", ...args], {
      encoding: "utf8",
    });
  git("init", "-q", "-b", "main");
  git("commit", "-q", "--allow-empty", "-m", "first");
  const id = await make("one");
  const missing = await K("edit", id, "--workspace", "worktree:/nowhere");
  assert.deepEqual([missing.code, (await J<TaskView>("show", id)).task.workspace_kind], [1, "scratch"]);
  const edited = await K("edit", id, "--workspace", `worktree:${work}`, "--branch", "fix/one");
  assert.deepEqual([edited.code, edited.out], [0, `Edited ${id}: workspace, branch\n`]);
  const { workspace } = await J<{ workspace: string }>("claim", id);
  assert.equal(workspace, join(work, ".agent-worktrees", id));
  assert.equal(git("-C", workspace, "rev-parse", "--abbrev-ref", "HEAD").trim(), "fix/one");
  await K("reclaim", id);
  assert.equal((await K("edit", id, "--branch", "other")).code, 1);
});
