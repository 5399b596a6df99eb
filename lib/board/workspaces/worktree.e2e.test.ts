import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { DEFAULT, USER } from "../../../fixtures/sim/board-world.js";
import { commit, git, gitWorld, repositoryAt } from "../../../fixtures/worlds/repository.js";

test("a worktree begins at the HEAD of its first claim, and remembers name and commit of its base", async (t) => {
  const { board, repo, make, begin } = gitWorld(t);
  const id = await make();
  const head = commit(repo, "later.txt", "later\n");
  const path = await begin(id);
  assert.ok(existsSync(join(path, "later.txt")));
  const task = await board.task(DEFAULT, id);
  assert.deepEqual([task.base_name, task.base_commit, task.repo_path], ["main", head, repo]);
  const made = (await board.show(DEFAULT, id)).events.find((event) => event.kind === "workspace_created");
  assert.deepEqual(made?.payload, { kind: "worktree", path, branch: task.branch_name, base_commit: head });
});

test("--base and a detached HEAD are bases too", async (t) => {
  const { board, repo, make, begin } = gitWorld(t);
  const first = git(repo, "rev-parse", "HEAD");
  commit(repo, "b.txt", "b\n");
  const based = await make({ base_name: "main~1" });
  assert.equal(existsSync(join(await begin(based), "b.txt")), false);
  assert.deepEqual(
    [(await board.task(DEFAULT, based)).base_name, (await board.task(DEFAULT, based)).base_commit],
    ["main~1", first],
  );
  git(repo, "checkout", "-q", "--detach");
  const detached = await make();
  await begin(detached);
  assert.deepEqual(
    [(await board.task(DEFAULT, detached)).base_name, (await board.task(DEFAULT, detached)).base_commit],
    ["HEAD", git(repo, "rev-parse", "HEAD")],
  );
  const nowhere = await make({ base_name: "nowhere" });
  await assert.rejects(() => begin(nowhere), { code: "E_WORKSPACE", message: /no commit 'nowhere'/ });
});

test("a branch that is there already is checked out when free, and belongs to the user", async (t) => {
  const { board, repo, make, begin } = gitWorld(t);
  git(repo, "branch", "topic");
  const path = await begin(await make({ branch_name: "topic" }));
  assert.equal(git(path, "symbolic-ref", "--short", "HEAD"), "topic");
  const second = await make({ branch_name: "topic" });
  await assert.rejects(() => begin(second), { code: "E_WORKSPACE", message: /topic.*already/ });
  await board.archive(DEFAULT, (await board.list(DEFAULT, {}))[0]?.task.id ?? second, USER);
  assert.equal(git(repo, "branch", "--list", "topic").length > 0, true);
});

test("of several parents the one with a worktree of the same repository is built on", async (t) => {
  const { board, make, begin } = gitWorld(t);
  const code = await make({ title: "code" });
  commit(await begin(code), "code.txt", "code\n");
  const other = await make({ title: "words", workspace_kind: "scratch", workspace_path: undefined });
  const child = await make({ title: "child", parents: [code, other] });
  for (const id of [code, other]) await board.complete(DEFAULT, id, {}, USER);
  assert.ok(existsSync(join(await begin(child), "code.txt")));
  const { base_name, base_commit } = await board.task(DEFAULT, child);
  const parent = await board.task(DEFAULT, code);
  assert.deepEqual([base_name, base_commit === parent.base_commit], [parent.branch_name, false]);
});

test("a task keeps its worktree over attempts, with what the last one left", async (t) => {
  const { make, begin, again } = gitWorld(t);
  const id = await make();
  const path = await begin(id);
  writeFileSync(join(path, "half.txt"), "half\n");
  assert.equal(await again(id), path);
  assert.equal(readFileSync(join(path, "half.txt"), "utf8"), "half\n");
});

test("a worktree whose directory was removed is made again on its branch", async (t) => {
  const { make, begin, again } = gitWorld(t);
  const id = await make();
  const path = await begin(id);
  commit(path, "done.txt", "done\n");
  rmSync(path, { recursive: true });
  assert.equal(await again(id), path);
  assert.ok(existsSync(join(path, "done.txt")));
});

test("a worktree that someone locked and moved away is not made again over the lock", async (t) => {
  const { repo, make, begin, again } = gitWorld(t);
  const id = await make();
  const path = await begin(id);
  git(repo, "worktree", "lock", "--reason", "on a stick", path);
  rmSync(path, { recursive: true });
  await assert.rejects(() => again(id), { code: "E_WORKSPACE", message: /locked: on a stick/ });
});

test("a branch that was deleted under its worktree is made again at its last commit", async (t) => {
  const { board, repo, make, begin, again } = gitWorld(t);
  const id = await make();
  const path = await begin(id);
  const last = commit(path, "done.txt", "done\n");
  const { branch_name } = await board.task(DEFAULT, id);
  git(repo, "update-ref", "-d", `refs/heads/${branch_name}`);
  await again(id);
  assert.deepEqual([git(path, "rev-parse", "HEAD"), git(path, "status", "--porcelain")], [last, ""]);
});

const REFUSED = [
  { what: "a bare repository", make: (path: string) => git(join(path, ".."), "init", "-q", "--bare", path) },
  { what: "a directory outside any repository", make: (path: string) => mkdirSync(path) },
  { what: "a file", make: (path: string) => writeFileSync(path, "") },
  {
    what: "a repository whose files are said to be elsewhere",
    make: (path: string) => {
      repositoryAt(path);
      git(path, "config", "core.worktree", "/usr");
    },
  },
  { what: "nothing", make: () => undefined },
];

for (const { what, make } of REFUSED) {
  test(`${what} is refused as a repository when the task is created`, async (t) => {
    const world = gitWorld(t);
    const path = join(world.root, "other");
    make(path);
    await assert.rejects(() => world.make({ workspace_path: path }), { code: "E_WORKSPACE" });
    assert.deepEqual(await world.board.list(DEFAULT, {}), []);
  });
}

test("a repository without a commit says so when the task is started", async (t) => {
  const { root, make, begin } = gitWorld(t);
  const empty = join(root, "empty");
  mkdirSync(empty);
  git(empty, "init", "-q", "-b", "main");
  const id = await make({ workspace_path: empty });
  await assert.rejects(() => begin(id), { code: "E_WORKSPACE", message: /does not have commits yet/ });
});

test("blanks, quotes and letters of any script in a path are nothing special", async (t) => {
  const { board, root, make, begin } = gitWorld(t);
  const repo = repositoryAt(join(root, "mein 'schönes' \"Repo\" 工作\n"));
  const path = await begin(await make({ title: "Größe ändern: 工作", workspace_path: repo }));
  assert.ok(path.startsWith(repo));
  commit(path, "neue Datei ü.txt", "x\n");
  const [row] = await board.list(DEFAULT, {});
  assert.match(row?.task.branch_name ?? "", /^agent\/t_[0-9a-f]{8}-grosse-andern$/);
});

/** Each leaves the file `ran` in the repository's parent when git runs it. */
const PROGRAMS: readonly { readonly what: string; readonly plant: (repo: string, program: string) => void }[] = [
  {
    what: "hooks",
    plant: (repo, program) => {
      for (const hook of [
        "post-checkout",
        "post-commit",
        "reference-transaction",
        "post-index-change",
        "pre-auto-gc",
      ]) {
        symlinkSync(program, join(repo, ".git", "hooks", hook));
      }
    },
  },
  { what: "hooks elsewhere", plant: (repo, program) => hooksIn(repo, program) },
  { what: "a file system monitor", plant: (repo, program) => git(repo, "config", "core.fsmonitor", program) },
  {
    what: "a pager",
    plant: (repo, program) =>
      void [git(repo, "config", "core.pager", program), git(repo, "config", "pager.diff", program)],
  },
  { what: "an editor", plant: (repo, program) => git(repo, "config", "core.editor", program) },
  {
    what: "aliases",
    plant: (repo, program) =>
      void ["diff", "status", "worktree"].map((name) => git(repo, "config", `alias.${name}`, `!${program}`)),
  },
  { what: "an external diff", plant: (repo, program) => git(repo, "config", "diff.external", program) },
  {
    what: "drivers of the attributes",
    plant: (repo, program) => {
      writeFileSync(join(repo, ".git", "info", "attributes"), "*.txt diff=evil filter=e=vil\n");
      for (const key of [
        "diff.evil.command",
        "diff.evil.textconv",
        "filter.e=vil.smudge",
        "filter.e=vil.clean",
        "filter.e=vil.process",
      ]) {
        git(repo, "config", key, program);
      }
      git(repo, "config", "filter.e=vil.required", "true");
    },
  },
];

function hooksIn(repo: string, program: string): void {
  const hooks = join(repo, "..", "hooks");
  mkdirSync(hooks);
  symlinkSync(program, join(hooks, "post-checkout"));
  git(repo, "config", "core.hooksPath", hooks);
}

for (const { what, plant } of PROGRAMS) {
  test(`${what} of a repository are never run`, async (t) => {
    const { board, repo, root, make, begin, again } = gitWorld(t);
    const program = join(root, "program.sh");
    writeFileSync(program, `#!/bin/sh\necho "$0 $*" >> '${join(root, "ran")}'\nexit 1\n`);
    chmodSync(program, 0o755);
    plant(repo, program);
    const id = await make();
    const path = await begin(id);
    assert.equal(readFileSync(join(path, "a.txt"), "utf8"), "a\n");
    writeFileSync(join(path, "a.txt"), "b\n");
    writeFileSync(join(path, "new.txt"), "new\n");
    await again(id);
    const { workspace } = await board.show(DEFAULT, id);
    assert.deepEqual(
      [workspace.dirty, workspace.files_changed, workspace.insertions, workspace.deletions],
      [true, 2, 2, 1],
    );
    let text = "";
    for await (const piece of board.diff(DEFAULT, id, new AbortController().signal)) text += piece;
    assert.match(text, /^-a\n\+b\n[\s\S]*^\+new\n/m);
    await board.archive(DEFAULT, id, USER);
    assert.equal(
      existsSync(join(root, "ran")),
      false,
      existsSync(join(root, "ran")) ? readFileSync(join(root, "ran"), "utf8") : "",
    );
  });
}

test("a folder of worktrees that is a link, or a file in the place of a worktree, stops the start", async (t) => {
  const { repo, root, make, begin } = gitWorld(t);
  mkdirSync(join(root, "elsewhere"));
  symlinkSync(join(root, "elsewhere"), join(repo, ".agent-worktrees"));
  const id = await make();
  await assert.rejects(() => begin(id), { code: "E_WORKSPACE", message: /not a directory/ });
  rmSync(join(repo, ".agent-worktrees"));
  const second = await make();
  mkdirSync(join(repo, ".agent-worktrees", second), { recursive: true });
  await assert.rejects(() => begin(second), { code: "E_WORKSPACE", message: /already exists/ });
});

test("tasks that start at the same moment in one repository each get their worktree", async (t) => {
  const { repo, make, begin } = gitWorld(t);
  const ids = [await make(), await make(), await make(), await make()];
  const paths = await Promise.all(ids.map((id) => begin(id)));
  assert.equal(new Set(paths).size, 4);
  assert.equal(git(repo, "worktree", "list").split("\n").length, 5);
  const lines = readFileSync(join(repo, ".git", "info", "exclude"), "utf8").split("\n");
  assert.equal(lines.filter((line) => line === ".agent-worktrees/").length, 1);
});

test("a checkout that was cut short by a crash is begun again", async (t) => {
  const { repo, make, begin } = gitWorld(t);
  const id = await make();
  const path = join(repo, ".agent-worktrees", id);
  git(repo, "worktree", "add", "-q", "--lock", "--reason", "initializing", "-b", "agent/half", path);
  rmSync(join(path, "a.txt"));
  assert.equal(await begin(id), path);
  assert.equal(readFileSync(join(path, "a.txt"), "utf8"), "a\n");
});

test("a worktree that was made before a crash and not written down is found", async (t) => {
  const { board, repo, make, begin } = gitWorld(t);
  const id = await make();
  const path = join(repo, ".agent-worktrees", id);
  git(repo, "worktree", "add", "-q", "-b", `agent/${id}-work`, path);
  const later = commit(repo, "later.txt", "x\n");
  assert.equal(await begin(id), path);
  const task = await board.task(DEFAULT, id);
  assert.deepEqual([task.branch_name, task.base_commit === later], [`agent/${id}-work`, false]);
  assert.equal((await board.archive(DEFAULT, id, USER)).workspace?.removed, true);
});

test("the worktree of a task names its repository to anyone who stands in it", async (t) => {
  const { board, repo, make, begin } = gitWorld(t);
  const path = await begin(await make());
  const { task } = await board.create(DEFAULT, { title: "more", workspace_kind: "worktree", cwd: path }, USER);
  assert.equal(task.repo_path, repo);
});
