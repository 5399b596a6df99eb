import assert from "node:assert/strict";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { DEFAULT, USER } from "../../../fixtures/sim/board-world.js";
import { commit, type GitWorld, git, gitWorld, repositoryAt } from "../../../fixtures/worlds/repository.js";
import type { TaskId } from "../../base/units.js";

const archived = async ({ board }: GitWorld, id: TaskId) => (await board.archive(DEFAULT, id, USER)).workspace;

async function begun(world: GitWorld) {
  const id = await world.make();
  const path = await world.begin(id);
  const branch = (await world.board.task(DEFAULT, id)).branch_name ?? "";
  const there = () => ({ files: existsSync(path), branch: git(world.repo, "branch", "--list", branch) !== "" });
  return { id, path, branch, there };
}

test("a clean and merged worktree goes with its branch when its task is archived", async (t) => {
  const world = gitWorld(t);
  const { id, path, branch, there } = await begun(world);
  commit(path, "b.txt", "b\n");
  git(world.repo, "merge", "-q", branch);
  assert.deepEqual(await archived(world, id), { kind: "worktree", path, branch, removed: true, kept: null });
  assert.deepEqual(there(), { files: false, branch: false });
  assert.equal(existsSync(join(world.repo, ".agent-worktrees")), false);
  assert.equal(git(world.repo, "worktree", "list").split("\n").length, 1);
});

const KEPT: readonly {
  readonly what: string;
  readonly says: RegExp;
  readonly do: (path: string, world: GitWorld) => void;
}[] = [
  {
    what: "changed files",
    says: /1 file\(s\) with uncommitted/,
    do: (path) => writeFileSync(join(path, "a.txt"), "changed\n"),
  },
  { what: "new files", says: /1 file\(s\) with uncommitted/, do: (path) => writeFileSync(join(path, "new"), "") },
  { what: "a repository in it", says: /uncommitted/, do: (path) => void repositoryAt(join(path, "clone")) },
  { what: "commits that are nowhere else", says: /not in main/, do: (path) => void commit(path, "b.txt", "b\n") },
  {
    what: "commits on a detached HEAD",
    says: /not in main/,
    do: (path) => {
      git(path, "checkout", "-q", "--detach");
      commit(path, "b.txt", "b\n");
    },
  },
  {
    what: "a branch whose commits were left behind",
    says: /is not merged/,
    do: (path) => {
      commit(path, "b.txt", "b\n");
      git(path, "checkout", "-q", "--detach", "HEAD~1");
    },
  },
  {
    what: "a lock",
    says: /locked: mine/,
    do: (path, { repo }) => void git(repo, "worktree", "lock", "--reason", "mine", path),
  },
  {
    what: "a submodule in use",
    says: /submodules/,
    do: (path, { root, repo }) => {
      git(path, "submodule", "--quiet", "add", repositoryAt(join(root, "module")), "module");
      git(path, "commit", "-q", "-m", "module");
      git(repo, "merge", "-q", git(path, "rev-parse", "HEAD"));
    },
  },
];

for (const { what, says, do: doIt } of KEPT) {
  test(`a worktree with ${what} stays with its branch, and the answer names it`, async (t) => {
    const world = gitWorld(t);
    const { id, path, branch, there } = await begun(world);
    doIt(path, world);
    const answer = await archived(world, id);
    assert.deepEqual([answer?.removed, answer?.path, answer?.branch], [false, path, branch]);
    assert.match(answer?.kept ?? "", says);
    assert.deepEqual(there(), { files: true, branch: true });
    assert.equal((await world.board.task(DEFAULT, id)).status, "archived");
  });
}

test("files that git ignores do not keep a worktree", async (t) => {
  const world = gitWorld(t);
  commit(world.repo, ".gitignore", "build/\n");
  const { id, path, there } = await begun(world);
  mkdirSync(join(path, "build"));
  writeFileSync(join(path, "build", "x"), "");
  await archived(world, id);
  assert.deepEqual(there(), { files: false, branch: false });
});

test("a branch that was there before the task stays when its worktree goes", async (t) => {
  const world = gitWorld(t);
  git(world.repo, "branch", "topic");
  const id = await world.make({ branch_name: "topic" });
  const path = await world.begin(id);
  assert.equal((await archived(world, id))?.removed, true);
  assert.deepEqual([existsSync(path), git(world.repo, "branch", "--list", "topic") !== ""], [false, true]);
});

test("a task that was archived and comes back begins where its base is now", async (t) => {
  const world = gitWorld(t);
  const { id, path, branch } = await begun(world);
  commit(path, "b.txt", "b\n");
  git(world.repo, "merge", "-q", branch);
  await archived(world, id);
  await world.board.unarchive(DEFAULT, id, {}, USER);
  assert.equal(await world.begin(id), path);
  assert.ok(existsSync(join(path, "b.txt")));
  const { base_commit } = await world.board.task(DEFAULT, id);
  assert.equal(base_commit, git(world.repo, "rev-parse", "main"));
});

test("a removal that was cut short after the files is completed: the branch goes too", async (t) => {
  const world = gitWorld(t);
  const { id, path, there } = await begun(world);
  git(world.repo, "worktree", "remove", path);
  assert.deepEqual(there(), { files: false, branch: true });
  assert.equal((await archived(world, id))?.kept, null);
  assert.deepEqual(there(), { files: false, branch: false });
});

test("a repository that is gone keeps no one from archiving", async (t) => {
  const world = gitWorld(t);
  const { id } = await begun(world);
  rmSync(world.repo, { recursive: true });
  assert.deepEqual((await archived(world, id))?.kept, null);
});

test("other tasks have no worktree to speak of", async (t) => {
  const world = gitWorld(t);
  const id = await world.make({ workspace_kind: "scratch", workspace_path: undefined });
  const path = await world.begin(id);
  assert.equal(await archived(world, id), undefined);
  assert.ok(existsSync(path));
});

test("a status that is written to archived puts the worktree away too, and says what stays", async (t) => {
  const world = gitWorld(t);
  const first = await begun(world);
  const second = await begun(world);
  writeFileSync(join(second.path, "new"), "");
  assert.deepEqual((await world.board.write(DEFAULT, first.id, { status: "archived" }, USER)).warnings, []);
  const { warnings } = await world.board.write(DEFAULT, second.id, { status: "archived" }, USER);
  assert.match(warnings[0] ?? "", new RegExp(`worktree kept: ${second.path} .*uncommitted`));
  assert.deepEqual([first.there().files, second.there().files], [false, true]);
});

test("deleting a task takes a worktree along only when nothing in it would be lost", async (t) => {
  const world = gitWorld(t);
  const first = await begun(world);
  const second = await begun(world);
  writeFileSync(join(first.path, "new"), "");
  writeFileSync(join(second.path, "new"), "");
  for (const { id } of [first, second]) await world.board.archive(DEFAULT, id, USER);
  rmSync(join(second.path, "new"));
  assert.deepEqual((await world.board.remove(DEFAULT, first.id, {}, USER)).kept, [first.path]);
  assert.deepEqual((await world.board.remove(DEFAULT, second.id, {}, USER)).kept, []);
  assert.deepEqual(
    [first.there(), second.there()],
    [
      { files: true, branch: true },
      { files: false, branch: false },
    ],
  );
});
