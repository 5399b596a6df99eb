import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { kanbanWorld } from "../../../fixtures/e2e/kanban.js";
import { proves } from "../../../fixtures/requirements.js";
import { commit, git, repositoryAt } from "../../../fixtures/worlds/repository.js";
import type { GcReport } from "../../contracts/board/gc.js";

/** Check 41 of the board part. */
test("every file of a workspace is still there after completion", async (t) => {
  const { make, P, K, exited, told, mode, show, dump } = await kanbanWorld(t, { mode: "script" });
  const id = await make("write");
  writeFileSync(
    join(dump, "script.sh"),
    'echo result > "$AGENT_KANBAN_WORKSPACE/result.txt"; mkdir deep; echo x > deep/y; exec agent kanban complete "$AGENT_KANBAN_TASK" --summary ok\n',
  );
  mode("script");
  await P();
  const { cwd } = await told(id);
  await exited(id);
  const { task, workspace } = await show(id);
  assert.deepEqual([task.status, workspace.path, workspace.exists], ["done", cwd, true]);
  assert.equal(readFileSync(join(cwd, "result.txt"), "utf8"), "result\n");
  assert.equal(readFileSync(join(cwd, "deep", "y"), "utf8"), "x\n");
  assert.ok((await K("archive", id)).code === 0 && existsSync(join(cwd, "result.txt")));
});

for (const { way, owned } of [
  { way: "without an owner", owned: false },
  { way: "with an owner", owned: true },
]) {
  /** Check 42 of the board part. */
  test(`gc names and then removes the directory of an archived task, and nothing that was given or has no mark, ${way}`, async (t) => {
    proves(t, "board.archive.transitions-decided");
    const { make, K, J, D, work } = await kanbanWorld(t);
    const given = join(work, "given");
    mkdirSync(given);
    writeFileSync(join(given, "mine"), "");
    const id = await make("one", "--external");
    const unmarked = await make("two", "--external");
    const dir = await make("three", "--external", "--workspace", `dir:${given}`);
    const paths: string[] = [];
    for (const one of [id, unmarked, dir]) {
      paths.push((await J<{ workspace: string }>("claim", one)).workspace);
      await K("complete", one);
      await K("archive", one);
    }
    const [path = "", bare = ""] = paths;
    writeFileSync(join(path, "result"), "12345");
    rmSync(join(bare, ".agent-workspace"));
    writeFileSync(join(bare, "result"), "12345");
    if (owned) await D({ AGENT_KANBAN_DISPATCH_IN_GATEWAY: "0" });
    assert.equal((await K("gc", "--dry-run")).out, "GC would remove: nothing\n");
    const now = ["--workspace-retention-days", "0"];
    const preview = await K("gc", "--dry-run", ...now);
    assert.equal(preview.code, 0);
    assert.match(preview.out, new RegExp(`^GC would remove:\\n {2}scratch ${path} {2}\\d+ B\\n$`));
    assert.ok(existsSync(join(path, "result")));
    const { workspaces } = await J<GcReport>("gc", "--dry-run", ...now);
    assert.deepEqual(
      workspaces.map((one) => one.path),
      [path],
    );
    assert.equal((await K("gc", ...now)).out, "GC complete: 1 workspace(s), 0 event row(s), 0 log file(s) removed\n");
    assert.deepEqual(
      [path, join(bare, "result"), join(given, "mine")].map((one) => existsSync(one)),
      [false, true, true],
    );
    for (const one of [id, unmarked, dir]) {
      assert.equal((await K("unarchive", one)).code, 0);
      assert.equal((await J<{ task: { status: string } }>("show", one)).task.status, "done");
    }
  });
}

test("a worker in a worktree commits, its task is shown, its diff is a patch, and the merged worktree goes on archive", async (t) => {
  const { make, P, K, J, exited, show, dump, work } = await kanbanWorld(t, { mode: "script" });
  const repo = repositoryAt(join(work, "my repo ü"));
  const id = await make("Add b", "--workspace", `worktree:${repo}`);
  const lines = [
    "echo b > b.txt",
    "git add b.txt",
    "git -c user.name=w -c user.email=w@w commit -qm b",
    "echo c > c.txt",
  ];
  writeFileSync(
    join(dump, "script.sh"),
    `${lines.join("; ")}; exec agent kanban complete "$AGENT_KANBAN_TASK" --summary ok\n`,
  );
  await P();
  await exited(id);
  const { task, workspace } = await show(id);
  assert.deepEqual(
    [task.status, workspace.ahead, workspace.dirty, workspace.merged, workspace.files_changed],
    ["done", 1, true, false, 2],
  );
  const diff = await K("diff", id);
  assert.deepEqual([diff.code, diff.err], [0, ""]);
  const patch = join(work, "patch");
  writeFileSync(patch, diff.out);
  git(repo, "apply", "--check", patch);
  const json = await J<{ diff: string; insertions: number }>("diff", id);
  assert.deepEqual([json.diff, json.insertions], [diff.out, 2]);
  const kept = await K("archive", id);
  assert.deepEqual([kept.code, kept.out], [0, `Archived ${id}\n`]);
  assert.match(
    kept.err,
    new RegExp(`^kanban: worktree kept: ${workspace.path} \\(branch ${task.branch_name}\\): 1 file`),
  );
  await K("unarchive", id);
  rmSync(join(workspace.path ?? "", "c.txt"));
  git(repo, "merge", "-q", task.branch_name ?? "");
  const gone = await K("archive", id);
  assert.deepEqual([gone.code, gone.out, gone.err], [0, `Archived ${id}\n`, ""]);
  assert.deepEqual([existsSync(workspace.path ?? ""), git(repo, "status", "--porcelain")], [false, ""]);
});

test("a branch that is checked out elsewhere fails the start with its class", async (t) => {
  const { make, P, show, work } = await kanbanWorld(t);
  const repo = repositoryAt(join(work, "repo"));
  commit(repo, "b.txt", "b\n");
  const id = await make("x", "--workspace", `worktree:${repo}`, "--branch", "main");
  await P();
  const { task, runs } = await show(id);
  assert.deepEqual([task.status, task.last_failure_class, runs[0]?.outcome], ["ready", "workspace", "spawn_failed"]);
  assert.match(task.last_failure_error ?? "", /main.*already/);
});
