import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { startGitServer } from "../../../../fixtures/servers/git.js";
import { commit, git, repositoryAt } from "../../../../fixtures/worlds/repository.js";
import { layOutHome } from "../../../base/home.js";
import { programOnPath } from "../../../base/process/program-path.js";
import { systemSpawner } from "../../../base/process/spawn-system.js";
import { systemClock } from "../../../base/time/clock.js";
import { createCage } from "../cage.js";
import { createMadeRepositories } from "../made.js";
import { planCage } from "../plan.js";
import { makeEmpties } from "../probe.js";
import type { CagePlan } from "../types.js";
import { prepareGitLine } from "./prepare.js";
import { startGitLine } from "./start.js";

const bwrap = programOnPath("bwrap", process.env["PATH"]) ?? "";
const skip = bwrap === "" ? "bubblewrap is not installed" : false;
const LOGIN = { user: "ada", password: "decoy-password" };

/** A person with a repository, a bare remote of it outside the project, and a password for its server. */
async function world(t: TestContext) {
  const base = mkdtempSync("/var/tmp/agent-git-");
  t.after(() => rmSync(base, { recursive: true, force: true }));
  const user = join(base, "user");
  const project = join(base, "user", "project");
  const remotes = join(base, "remotes");
  const home = layOutHome(join(user, ".agent"));
  mkdirSync(home.runDir, { recursive: true, mode: 0o700 });
  repositoryAt(project);
  const bare = join(remotes, "shared.git");
  git(base, "clone", "-q", "--bare", project, bare);
  git(bare, "config", "http.receivepack", "true");
  git(bare, "branch", "feature", "main");
  const server = await startGitServer(t, remotes, LOGIN);
  const { host } = new URL(server.url);
  writeFileSync(join(user, ".git-credentials"), `http://${LOGIN.user}:${LOGIN.password}@${host}\n`, { mode: 0o600 });
  writeFileSync(
    join(user, ".gitconfig"),
    '[credential]\n\thelper = store\n[user]\n\tname = Ada\n\temail = ada@example.org\n[protocol "file"]\n\tallow = always\n',
  );
  const env = { PATH: process.env["PATH"] ?? "", HOME: user };
  const tmp = join(base, "tmp");
  mkdirSync(tmp);
  const made = createMadeRepositories(join(base, "made"));
  const plan = () =>
    planCage(
      { directory: project, lineage: "s_1", env },
      { home, tmp, writable: ["~/.cache"], network: "host", mayRead: () => false, made },
    );
  const empties = makeEmpties(join(home.runDir, "cage"));
  const cageOf = (shown: CagePlan) => createCage(shown, { on: true, program: bwrap }, empties);
  const ports = { spawner: systemSpawner, clock: systemClock, env };
  const outputOf = async (child: Awaited<ReturnType<typeof systemSpawner.spawn>>) => {
    const pieces: Buffer[] = [];
    child.onOutput((piece) => pieces.push(piece));
    await child.closed;
    return { code: (await child.exited).code, text: Buffer.concat(pieces).toString() };
  };
  const judge = (command: string, cwd = project) => prepareGitLine(ports, { command, cwd, plan: plan() });
  return {
    base,
    user,
    project,
    bare,
    server,
    plan,
    judge,
    url: `${server.url}/shared.git`,
    /** As every other command of the session runs. */
    caged: async (script: string) =>
      outputOf(
        await systemSpawner.spawn(
          cageOf(plan()).wrap({ file: "sh", args: ["-c", script], cwd: project, env, stderr: "stdout" }),
        ),
      ),
    /** Why the line runs as every other one. */
    hint: async (command: string, cwd = project) => {
      const line = await judge(command, cwd);
      return line.how === "special" ? "special" : (line.hint ?? "");
    },
    run: async (command: string, cwd = project) => {
      const line = await judge(command, cwd);
      assert.ok(line.how === "special", JSON.stringify(line));
      const options = { ...ports, env, exported: env, own: env, cage: cageOf(plan()), dir: home.runDir, cwd };
      const started = await startGitLine(line, options);
      assert.ok(typeof started !== "string", String(started));
      const ended = await outputOf(started.child);
      return { ...ended, ...(await started.collect()), left: readdirSync(home.runDir) };
    },
  };
}

test("a fetch uses the person's password, which commands in the cage cannot read", { skip }, async (t) => {
  const { project, caged, run, url, server, user } = await world(t);
  git(project, "remote", "add", "origin", url);
  assert.equal((await caged(`cat ${user}/.git-credentials`)).text, "");
  assert.notEqual((await caged("GIT_TERMINAL_PROMPT=0 git fetch origin")).code, 0);
  const { code, text, left } = await run("git fetch origin 2>&1 | tail -5 && git log --oneline -1 origin/feature");
  assert.equal(code, 0, text);
  assert.match(text, /feature[\s\S]*write a\.txt/);
  assert.ok(server.users.length > 0);
  assert.deepEqual(left, ["cage"]);
});

test("what a person's hook sees during a push holds no key, and the push arrives", { skip }, async (t) => {
  const { project, run, url, user, bare } = await world(t);
  git(project, "remote", "add", "origin", url);
  const hook = join(project, ".git", "hooks", "pre-push");
  writeFileSync(hook, `#!/bin/sh\ncat ${user}/.git-credentials; echo "hook ran"; (echo x > ${user}/written)\nexit 0\n`);
  chmodSync(hook, 0o755);
  commit(project, "b.txt", "b\n");
  const { code, text } = await run("git push origin main");
  assert.equal(code, 0, text);
  assert.match(text, /hook ran/);
  assert.doesNotMatch(text, /decoy/);
  assert.ok(!existsSync(join(user, "written")));
  assert.equal(git(bare, "rev-parse", "main"), git(project, "rev-parse", "main"));
});

test("remote add and push -u set what they should in place, and nothing else of the settings", { skip }, async (t) => {
  const { project, run, url } = await world(t);
  const config = join(project, ".git", "config");
  const before = statSync(config).ino;
  const kept = readFileSync(config, "utf8");
  const { code, text } = await run(`git remote add origin ${url} && git push -u origin main`);
  assert.equal(code, 0, text);
  assert.match(text, /branch 'main' set up to track 'origin\/main'\./);
  const after = readFileSync(config, "utf8");
  assert.ok(after.startsWith(kept));
  assert.deepEqual([statSync(config).ino, git(project, "config", "branch.main.merge")], [before, "refs/heads/main"]);
  assert.equal(git(project, "config", "--get-all", "remote.origin.fetch"), "+refs/heads/*:refs/remotes/origin/*");
  assert.ok(!existsSync(`${config}.lock`));
  const again = await run(`git remote add origin ${url}`);
  assert.deepEqual([again.code === 0, again.text], [false, "error: remote origin already exists.\n"]);
});

test("a push over a path reaches the person's repository there and no other file", { skip }, async (t) => {
  const { project, run, caged, bare, base } = await world(t);
  git(project, "remote", "add", "origin", bare);
  commit(project, "b.txt", "b\n");
  assert.notEqual((await caged("git push origin main")).code, 0);
  const { code, text } = await run("git push origin main");
  assert.equal(code, 0, text);
  assert.equal(git(bare, "rev-parse", "main"), git(project, "rev-parse", "main"));
  assert.ok(existsSync(base));
});

test("pull merges in the work tree; the branch that follows a remote one says so", { skip }, async (t) => {
  const { project, run, url, bare, base } = await world(t);
  git(project, "remote", "add", "origin", url);
  const other = join(base, "other");
  git(base, "clone", "-q", bare, other);
  commit(other, "c.txt", "c\n");
  git(other, "push", "-q", "origin", "main");
  const pulled = await run("git pull --ff-only origin main");
  assert.equal(pulled.code, 0, pulled.text);
  assert.equal(readFileSync(join(project, "c.txt"), "utf8"), "c\n");
  await run("git fetch origin");
  const made = await run("git switch -c mine origin/feature");
  assert.equal(made.code, 0, made.text);
  assert.equal(git(project, "rev-parse", "--abbrev-ref", "mine@{upstream}"), "origin/feature");
});

test("a remote is renamed and removed with the references of its branches", { skip }, async (t) => {
  const { project, run, bare } = await world(t);
  git(project, "remote", "add", "origin", bare);
  git(project, "fetch", "-q", "origin");
  git(project, "branch", "-q", "-u", "origin/main");
  const renamed = await run("git remote rename origin upstream");
  assert.equal(renamed.code, 0, renamed.text);
  assert.equal(
    git(project, "for-each-ref", "--format=%(refname)", "refs/remotes"),
    "refs/remotes/upstream/feature\nrefs/remotes/upstream/main",
  );
  assert.equal(git(project, "rev-parse", "--abbrev-ref", "main@{upstream}"), "upstream/main");
  const removed = await run("git remote remove upstream");
  assert.equal(removed.code, 0, removed.text);
  assert.deepEqual([git(project, "for-each-ref", "refs/remotes"), git(project, "remote")], ["", ""]);
  assert.doesNotMatch(readFileSync(join(project, ".git", "config"), "utf8"), /upstream|remote/);
});

test("a branch is renamed and deleted in the cage as in a plain shell, with its settings and no other's", {
  skip,
}, async (t) => {
  const { project, run, bare } = await world(t);
  git(project, "remote", "add", "origin", bare);
  git(project, "fetch", "-q", "origin");
  for (const name of ["topic", "other", "topic2"]) git(project, "branch", "-q", "--track", name, "origin/feature");
  git(project, "pack-refs", "--all");
  const config = join(project, ".git", "config");
  const renamed = await run("git branch -m topic renamed && git branch --list 're*'");
  assert.deepEqual([renamed.code, renamed.text], [0, "  renamed\n"]);
  assert.equal(git(project, "rev-parse", "--abbrev-ref", "renamed@{upstream}"), "origin/feature");
  const current = await run("git branch -m trunk");
  assert.deepEqual([current.code, current.text, git(project, "symbolic-ref", "--short", "HEAD")], [0, "", "trunk"]);
  git(project, "config", "core.hooksPath", ".husky"); // hooks of the project run in the cage as everything else does
  const before = statSync(config).ino;
  const deleted = await run("git switch -q -c mine && echo x && git branch -d renamed topic2");
  assert.deepEqual(
    [deleted.code, deleted.text.replaceAll(/[0-9a-f]{7,}/g, "HASH")],
    [0, "x\nDeleted branch renamed (was HASH).\nDeleted branch topic2 (was HASH).\n"],
  );
  const wrong = await run("git branch -d other missing");
  assert.deepEqual([wrong.code, /Deleted branch other/.test(wrong.text)], [1, true], wrong.text);
  assert.equal(git(project, "for-each-ref", "--format=%(refname)", "refs/heads"), "refs/heads/mine\nrefs/heads/trunk");
  assert.deepEqual([statSync(config).ino, /\[branch/.test(readFileSync(config, "utf8"))], [before, false]);
  assert.deepEqual(
    readdirSync(join(project, ".git")).filter((name) => name.endsWith(".lock")),
    [],
  );
  const kept = await run("git branch -d trunk; git branch -d mine");
  assert.match(
    kept.text,
    /Deleted branch trunk[\s\S]*Cannot delete branch 'mine' checked out at '[^']*\/user\/project'/,
  );
});

test("a clone reaches a private repository, and its files lie where it was told", { skip }, async (t) => {
  const { project, run, url } = await world(t);
  const plain = await run(`git clone -q ${url} second`);
  assert.equal(plain.code, 0, plain.text);
  assert.equal(readFileSync(join(project, "second", "a.txt"), "utf8"), "a\n");
});

test("links in the repository do not lead a fetch to the person's files", { skip }, async (t) => {
  const { project, run, url, user, caged } = await world(t);
  git(project, "remote", "add", "origin", url);
  const start = join(user, ".bashrc");
  writeFileSync(start, "# mine\n");
  await caged(
    `ln -sf ${start} .git/FETCH_HEAD; mkdir -p .git/logs/refs/remotes .git/info; ln -s ${user} .git/logs/refs/remotes/origin`,
  );
  symlinkSync(join(user, ".git-credentials"), join(project, ".git", "shallow"));
  const { text } = await run("git fetch origin");
  assert.equal(readFileSync(start, "utf8"), "# mine\n");
  assert.doesNotMatch(text, /decoy/);
  assert.deepEqual(readdirSync(user).sort(), [".agent", ".bashrc", ".git-credentials", ".gitconfig", "project"]);
});

interface Trap {
  readonly name: string;
  readonly line?: string;
  readonly set: (place: { project: string; user: string; url: string }) => void;
  readonly why: RegExp;
}

const TRAPS: readonly Trap[] = [
  {
    name: "hooks in the work tree",
    line: "git push origin main",
    set: ({ project }) => git(project, "config", "core.hooksPath", ".husky"),
    why: /core\.hooksPath is \.husky, which commands in the cage can write/,
  },
  {
    name: "settings that a file of the project adds",
    set: ({ project }) => {
      writeFileSync(join(project, "more"), "[core]\n\tsshCommand = id\n");
      git(project, "config", "include.path", "../more");
    },
    why: /can write .*more, from which git takes settings/,
  },
  {
    name: "a filter that is a program of the project",
    set: ({ project }) => git(project, "config", "filter.x.smudge", "sh ./tools/smudge.sh"),
    why: /filter\.x\.smudge names a program/,
  },
  {
    name: "a credential helper in a cache that commands may write",
    set: ({ project, user }) => {
      mkdirSync(join(user, ".cache"));
      git(project, "config", "credential.helper", `${user}/.cache/helper`);
    },
    why: /credential\.helper names a program/,
  },
  {
    name: "a file system monitor of the project",
    set: ({ project }) => git(project, "config", "core.fsmonitor", "./watch"),
    why: /core\.fsmonitor names a program/,
  },
  {
    name: "settings that are read from elsewhere",
    set: ({ project }) => {
      mkdirSync(join(project, "elsewhere"));
      writeFileSync(join(project, ".git", "commondir"), "../elsewhere\n");
    },
    why: /no repository|not a plain file|leads git elsewhere|unusual/,
  },
  {
    name: "a rebase",
    line: "git pull",
    set: ({ project }) => git(project, "config", "pull.rebase", "true"),
    why: /run git fetch by itself, then git rebase/,
  },
  {
    name: "a transport that is a program",
    set: ({ project }) => git(project, "config", "remote.origin.url", "ext::id"),
    why: /not an ordinary one/,
  },
  {
    name: "an address that is no remote",
    line: "git push https://elsewhere.example/x main",
    set: () => undefined,
    why: /is not a remote of the repository/,
  },
  {
    name: "other programs in the line",
    line: "git fetch && make",
    set: () => undefined,
    why: /no credentials: a line of nothing but git calls/,
  },
];
for (const { name, line = "git fetch origin", set, why } of TRAPS) {
  test(`git runs in the cage without keys, and the hint says why: ${name}`, { skip }, async (t) => {
    const place = await world(t);
    git(place.project, "remote", "add", "origin", place.url);
    set(place);
    assert.match(await place.hint(line), why);
  });
}

test("a repository that a command has made at the top gets keys while its settings are those of git init and remote add alone", {
  skip,
}, async (t) => {
  const { project, base, plan, caged, hint, run, url, bare } = await world(t);
  rmSync(join(project, ".git"), { recursive: true });
  plan();
  assert.equal(
    (await caged(`git init -q -b other && git add -A && git commit -qm one && git remote add origin ${url}`)).code,
    0,
  );
  const pushed = await run("git push origin other");
  assert.equal(pushed.code, 0, pushed.text);
  assert.equal(git(bare, "rev-parse", "other"), git(project, "rev-parse", "other"));
  assert.notEqual((await caged("git config user.name x")).code, 0, "its settings are held as those of any other");
  assert.notEqual((await caged("echo x >.git/hooks/pre-push")).code, 0);
  rmSync(join(project, ".git"), { recursive: true });
  plan();
  const helper = `!touch ${base}/ran; echo password=x`;
  await caged(
    `git init -q; git remote add origin ${url}; git config credential.helper '${helper}'; git config filter.x.clean 'curl x'`,
  );
  assert.match(
    await hint("git fetch origin"),
    /may have made the repository, and its settings hold credential\.helper/,
  );
  assert.ok(!existsSync(join(base, "ran")));
});

test("a repository that a command has made inside the project gets no keys", { skip }, async (t) => {
  const { caged, hint, url } = await world(t);
  await caged(`git init -q inner && git -C inner remote add origin ${url}`);
  assert.match(await hint("cd inner && git fetch"), /commands in the cage can write .*inner\/\.git\/config/);
  assert.equal(await hint("git status && ls"), "");
  assert.equal(await hint("git commit -m x"), "");
});
