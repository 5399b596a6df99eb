import assert from "node:assert/strict";
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { DEFAULT, setupBoard, USER } from "../../../fixtures/sim/board-world.js";
import { commit, GIT_ENV, git, gitWorld, repositoryAt } from "../../../fixtures/worlds/repository.js";
import { systemSpawner } from "../../base/process/spawn-system.js";
import type { TaskId } from "../../base/units.js";
import type { BoardApi } from "../../contracts/board/api.js";

async function textOf(board: BoardApi, id: TaskId): Promise<string> {
  let text = "";
  for await (const piece of board.diff(DEFAULT, id, new AbortController().signal)) text += piece;
  return text;
}

test("show tells how far a worktree is from its base", async (t) => {
  const { board, repo, make, begin } = gitWorld(t);
  const id = await make();
  const before = await board.workspace(DEFAULT, id);
  assert.deepEqual([before.path, before.exists, before.head, before.dirty], [null, false, null, null]);
  const path = await begin(id);
  const base = git(repo, "rev-parse", "HEAD");
  const { task, workspace } = await board.show(DEFAULT, id);
  const clean = { ahead: 0, dirty: false, merged: true, files_changed: 0, insertions: 0, deletions: 0 };
  const { size_bytes, ...rest } = workspace;
  assert.deepEqual(rest, {
    kind: "worktree",
    path,
    exists: true,
    branch: task.branch_name,
    base_commit: base,
    head: base,
    ...clean,
  });
  assert.ok((size_bytes ?? 0) > 2);
  const head = commit(path, "b.txt", "1\n2\n");
  writeFileSync(join(path, "a.txt"), "A\n");
  mkdirSync(join(path, "neu ü"));
  writeFileSync(join(path, "neu ü", "c"), "x\ny\nz");
  const after = await board.workspace(DEFAULT, id);
  assert.deepEqual(
    [after.head, after.ahead, after.dirty, after.merged, after.files_changed, after.insertions, after.deletions],
    [head, 1, true, false, 3, 6, 1],
  );
});

test("a scratch directory and a given one have a size and nothing of git", async (t) => {
  const { board, root, make, begin } = gitWorld(t);
  const given = join(root, "given dir");
  for (const more of [{ workspace_kind: "scratch" }, { workspace_kind: "dir", workspace_path: given }] as const) {
    const id = await make({ workspace_path: undefined, ...more });
    const path = await begin(id);
    writeFileSync(join(path, "x"), "12345");
    const { kind, exists, size_bytes, branch, head, dirty } = await board.workspace(DEFAULT, id);
    assert.deepEqual([kind, exists, branch, head, dirty], [more.workspace_kind, true, null, null, null]);
    assert.ok((size_bytes ?? 0) >= 5);
  }
});

test("what cannot be found out is null: a removed directory, a repository that is gone", async (t) => {
  const { board, repo, make, begin } = gitWorld(t);
  const id = await make();
  const path = await begin(id);
  rmSync(join(repo, ".git"), { recursive: true });
  const broken = await board.workspace(DEFAULT, id);
  assert.deepEqual([broken.exists, broken.head, broken.dirty, broken.merged], [true, null, null, null]);
  await assert.rejects(() => textOf(board, id), { code: "E_WORKSPACE" });
  rmSync(path, { recursive: true });
  const gone = await board.workspace(DEFAULT, id);
  assert.deepEqual([gone.exists, gone.size_bytes, gone.head], [false, null, null]);
  await assert.rejects(() => textOf(board, id), { code: "E_WORKSPACE", message: /is missing/ });
});

test("the diff of a task holds commits, changes and new files, applies to the base, and leaves index and files as they are", async (t) => {
  const { board, repo, root, make, begin } = gitWorld(t);
  const id = await make();
  await assert.rejects(() => textOf(board, id), { code: "E_WORKSPACE", message: /does not have a worktree yet/ });
  const path = await begin(id);
  assert.equal(await textOf(board, id), "");
  commit(path, "b.txt", "b\n");
  writeFileSync(join(path, "a.txt"), "A\n");
  writeFileSync(join(path, "c ü.txt"), "c\n");
  writeFileSync(join(path, "staged.txt"), "s\n");
  git(path, "add", "staged.txt");
  repositoryAt(join(path, "nested"));
  const before = git(path, "status", "--porcelain");
  const text = await textOf(board, id);
  assert.equal(git(path, "status", "--porcelain"), before);
  const patch = join(root, "patch");
  writeFileSync(patch, text);
  git(repo, "apply", patch);
  const status = git(repo, "-c", "core.quotePath=false", "status", "--porcelain");
  assert.deepEqual(
    status.split("\n").map((line) => line.trim()),
    ["M a.txt", "?? b.txt", '?? "c ü.txt"', "?? staged.txt"],
  );
});

test("a change within the second of the checkout is seen beside new files", async (t) => {
  const { board, make, begin } = gitWorld(t);
  const id = await make();
  const path = await begin(id);
  writeFileSync(join(path, "a.txt"), "z\n");
  writeFileSync(join(path, "new"), "new\n");
  assert.equal((await board.workspace(DEFAULT, id)).files_changed, 2);
});

test("a task of another kind has no diff", async (t) => {
  const { board, make } = gitWorld(t);
  const id = await make({ workspace_kind: "scratch", workspace_path: undefined });
  await assert.rejects(() => textOf(board, id), { code: "E_WORKSPACE", message: `${id} does not have a worktree` });
});

test("a git that hangs is ended, and the state is unknown", async (t) => {
  const env: Record<string, string> = { ...GIT_ENV };
  const world = setupBoard(t, { deps: { spawner: systemSpawner, env } });
  const repo = repositoryAt(join(world.root, "repo"));
  const { task } = await world.board.create(
    DEFAULT,
    { title: "x", workspace_kind: "worktree", workspace_path: repo },
    USER,
  );
  const claimed = await world.board.claim(DEFAULT, task.id, { profile: "default", lock: "h:1", by: USER });
  assert.ok(claimed.claimed);
  await world.board.prepareWorkspace(DEFAULT, claimed.claim);
  const bin = join(world.root, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "git"), "#!/bin/sh\nsleep 600 & wait\n");
  chmodSync(join(bin, "git"), 0o755);
  env["PATH"] = `${bin}:${GIT_ENV.PATH}`;
  // The look for filters, then the status: each is given up.
  const state = world.board.workspace(DEFAULT, task.id);
  await world.clock.waits();
  world.clock.advance(30_000);
  const { exists, head, dirty } = await state;
  assert.deepEqual([exists, head, dirty], [true, null, null]);
});
