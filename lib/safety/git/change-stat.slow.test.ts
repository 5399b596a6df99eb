import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { commit, GIT_ENV, git, repositoryAt } from "../../../fixtures/worlds/repository.js";
import { systemSpawner } from "../../base/process/spawn-system.js";
import { systemClock } from "../../base/time/clock.js";
import { readChangeStat } from "./change-stat.js";

interface Place {
  readonly dir: string;
  readonly repo: string;
  /** A command line that leaves a file behind when it runs. */
  readonly trap: string;
  /** The trap ran. */
  sprung(): boolean;
  stat(cwd?: string): Promise<string>;
}

function place(t: TestContext): Place {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "agent-stat-")));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const repo = repositoryAt(join(dir, "repo"));
  const canary = join(dir, "canary");
  return {
    dir,
    repo,
    trap: `touch ${canary}; cat`,
    sprung: () => existsSync(canary),
    stat: (cwd = repo) => readChangeStat({ spawner: systemSpawner, clock: systemClock, env: GIT_ENV }, cwd),
  };
}

test("changes against the last commit are counted by file", async (t) => {
  const { repo, stat } = place(t);
  assert.equal(await stat(), "");
  writeFileSync(join(repo, "a.txt"), "b\nc\n");
  assert.match(await stat(), /^a\.txt \| 3 \+\+-\n 1 file changed, 2 insertions\(\+\), 1 deletion\(-\)$/);
});

test("a directory without a repository, or that does not exist, has no changes", async (t) => {
  const { dir, stat } = place(t);
  assert.equal(await stat(dir), "");
  assert.equal(await stat(join(dir, "nowhere")), "");
});

interface Hook {
  readonly name: string;
  readonly attributes?: string;
  set(place: Place): void;
}

const HOOKS: readonly Hook[] = [
  {
    name: "a clean filter",
    attributes: "* filter=trap\n",
    set: ({ repo, trap }) => git(repo, "config", "filter.trap.clean", trap),
  },
  {
    name: "a filter with an empty name",
    attributes: "* filter=\n",
    set: ({ repo, trap }) => git(repo, "config", "filter..clean", trap),
  },
  {
    name: "a filter process",
    attributes: "* filter=trap\n",
    set: ({ repo, trap }) => git(repo, "config", "filter.trap.process", trap),
  },
  {
    name: "a filter of an included file",
    attributes: "* filter=trap\n",
    set: ({ dir, repo, trap }) => {
      writeFileSync(join(dir, "more"), `[filter "trap"]\n\tclean = "${trap}"\n`);
      git(repo, "config", "include.path", join(dir, "more"));
    },
  },
  {
    name: "a text conversion",
    attributes: "* diff=trap\n",
    set: ({ repo, trap }) => git(repo, "config", "diff.trap.textconv", trap),
  },
  {
    name: "a diff program of an attribute",
    attributes: "* diff=trap\n",
    set: ({ repo, trap }) => git(repo, "config", "diff.trap.command", trap),
  },
  { name: "an external diff program", set: ({ repo, trap }) => git(repo, "config", "diff.external", trap) },
  { name: "a pager", set: ({ repo, trap }) => git(repo, "config", "core.pager", trap) },
  { name: "a file system monitor", set: ({ repo, trap }) => git(repo, "config", "core.fsmonitor", trap) },
  {
    name: "a filter of a submodule",
    set: ({ dir, repo, trap }) => {
      repositoryAt(join(dir, "other"));
      git(repo, "submodule", "add", "-q", join(dir, "other"), "sub");
      git(repo, "commit", "-qm", "submodule");
      const sub = join(repo, "sub");
      writeFileSync(join(sub, ".gitattributes"), "* filter=trap\n");
      git(sub, "config", "filter.trap.clean", trap);
      git(sub, "config", "core.fsmonitor", trap);
      writeFileSync(join(sub, "a.txt"), "changed\n");
      git(repo, "config", "submodule.sub.ignore", "none");
    },
  },
];

for (const hook of HOOKS) {
  test(`judging a goal runs no program of the repository: ${hook.name}`, async (t) => {
    const made = place(t);
    if (hook.attributes !== undefined) commit(made.repo, ".gitattributes", hook.attributes);
    hook.set(made);
    writeFileSync(join(made.repo, "a.txt"), "changed\n");
    assert.match(await made.stat(), /a\.txt/);
    assert.equal(made.sprung(), false);
  });
}

for (const name of ["keys", "repo/..", "."]) {
  test(`a repository whose work tree is set to ${name} is not compared with those files`, async (t) => {
    const { dir, repo, stat } = place(t);
    mkdirSync(join(dir, "keys"), { recursive: true });
    writeFileSync(join(dir, "keys", "a.txt"), "a secret\n");
    git(repo, "config", "core.worktree", join(dir, name));
    assert.equal(await stat(), "");
  });
}

test("a repository whose work tree is another repository is not compared with its files", async (t) => {
  const { dir, repo, stat } = place(t);
  const home = repositoryAt(join(dir, "home"));
  commit(home, "a.txt", "a secret\n");
  const inner = repositoryAt(join(home, "inner"));
  git(inner, "config", "core.worktree", home);
  assert.equal(await stat(inner), "");
  assert.equal(await stat(repo), "");
});

test("a linked work tree is compared like any other", async (t) => {
  const { dir, repo, stat } = place(t);
  git(repo, "worktree", "add", "-q", join(dir, "second"));
  writeFileSync(join(dir, "second", "a.txt"), "changed\n");
  assert.match(await stat(join(dir, "second")), /a\.txt/);
});
