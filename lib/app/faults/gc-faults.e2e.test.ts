import assert from "node:assert/strict";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { kanbanWorld } from "../../../fixtures/e2e/kanban.js";
import { git, repositoryAt } from "../../../fixtures/worlds/repository.js";
import type { GcReport } from "../../contracts/board/gc.js";

const NOW = ["--workspace-retention-days", "0", "--event-retention-days", "0", "--log-retention-days", "0"];

for (const point of ["tree.emptied", "gc.workspace-gone", "worktree.removed", "gc.files-gone", "gc.events-gone"]) {
  test(`a gc that is killed at ${point} loses nothing, and the next one completes it`, async (t) => {
    const { make, K, Kwith, J, show, work } = await kanbanWorld(t, { faults: true });
    const repo = repositoryAt(join(work, "repo"));
    const claim = async (id: string) => (await J<{ workspace: string }>("claim", id)).workspace;
    const scratch = await make("one", "--external");
    const tree = await make("two", "--external", "--workspace", `worktree:${repo}`);
    const paths = [await claim(scratch), await claim(tree)];
    for (const path of paths) writeFileSync(join(path, "left"), "left\n");
    await K("comment", scratch, "said");
    for (const id of [scratch, tree]) await K("complete", id, "--summary", `did ${id}`);
    for (const id of [scratch, tree]) await K("archive", id);
    rmSync(join(paths[1] ?? "", "left"));
    const ended = await Kwith({ env: { AGENT_FAULT: `${point}:1` } }, "gc", ...NOW);
    assert.equal(ended.code, 128, `${point} was not passed: ${ended.out}${ended.err}`);
    assert.equal((await K("gc", ...NOW)).code, 0);
    assert.deepEqual(
      paths.map((path) => existsSync(path)),
      [false, false],
    );
    assert.deepEqual(
      [git(repo, "branch", "--list", "agent/*"), git(repo, "worktree", "list").split("\n").length],
      ["", 1],
    );
    const { workspaces, events, kept } = await J<GcReport>("gc", "--dry-run", ...NOW);
    assert.deepEqual([workspaces, events.count, kept], [[], 0, []]);
    for (const id of [scratch, tree]) {
      const { task, runs, events: left } = await show(id);
      assert.deepEqual([task.status, runs[0]?.summary, left.length], ["archived", `did ${id}`, 1]);
    }
    assert.equal((await show(scratch)).comments.length, 1);
  });
}

test("an owner that is killed while it makes a worktree leaves one that the next start takes over", async (t) => {
  const { make, Kwith, P, show, mode, exited, work } = await kanbanWorld(t, { faults: true, mode: "complete" });
  const repo = repositoryAt(join(work, "repo"));
  const id = await make("x", "--workspace", `worktree:${repo}`, "--max-retries", "5");
  const ended = await Kwith({ env: { AGENT_FAULT: "workspace.made:1" } }, "dispatch");
  assert.equal(ended.code, 128, `${ended.out}${ended.err}`);
  assert.equal(git(repo, "worktree", "list").split("\n").length, 2);
  mode("complete");
  await Kwith({}, "reclaim", id);
  await P();
  await exited(id, 2);
  const { task, workspace } = await show(id);
  assert.deepEqual([task.status, workspace.exists, workspace.dirty, workspace.ahead], ["done", true, false, 0]);
  assert.equal(git(repo, "worktree", "list").split("\n").length, 2);
});
