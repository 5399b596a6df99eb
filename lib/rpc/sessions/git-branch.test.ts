import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { gitBranch } from "./git-branch.js";

function repository(t: TestContext, head: string) {
  const root = realpathSync(mkdtempSync(join("/tmp", "branch-")));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, "repo", ".git"), { recursive: true });
  mkdirSync(join(root, "repo", "sub", "deep"), { recursive: true });
  writeFileSync(join(root, "repo", ".git", "HEAD"), head);
  return root;
}

test("the branch of a directory is that of the repository around it", (t) => {
  const root = repository(t, "ref: refs/heads/feature/x\n");
  assert.equal(gitBranch(join(root, "repo", "sub", "deep")), "feature/x");
});

test("where no branch is checked out the commit is named", (t) => {
  const root = repository(t, "0123456789abcdef0123456789abcdef01234567\n");
  assert.equal(gitBranch(join(root, "repo")), "01234567");
});

test("a work tree of its own has its own branch", (t) => {
  const root = repository(t, "ref: refs/heads/main\n");
  const own = join(root, "repo", ".git", "worktrees", "tree");
  mkdirSync(own, { recursive: true });
  mkdirSync(join(root, "tree"));
  writeFileSync(join(own, "HEAD"), "ref: refs/heads/other\n");
  writeFileSync(join(root, "tree", ".git"), `gitdir: ${own}\n`);
  assert.equal(gitBranch(join(root, "tree")), "other");
});

test("a directory outside of every repository has none", (t) => {
  assert.equal(gitBranch(repository(t, "ref: refs/heads/main\n")), "");
});
