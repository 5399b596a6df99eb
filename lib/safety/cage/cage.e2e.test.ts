import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { layOutHome } from "../../base/home.js";
import { programOnPath } from "../../base/process/program-path.js";
import type { SpawnSpec } from "../../base/process/spawn.js";
import { systemSpawner } from "../../base/process/spawn-system.js";
import { systemClock } from "../../base/time/clock.js";
import type { Config } from "../../contracts/config/config.js";
import { createCages } from "./cages.js";
import { moveStraySettings } from "./repository.js";

const skip = programOnPath("bwrap", process.env["PATH"]) === undefined ? "bubblewrap is not installed" : false;

const config: Config = {
  get: (key) => key.default,
  source: () => "default",
  raw: () => undefined,
  hasVariable: () => false,
  onChange: () => () => undefined,
};

/** A user with a home of the product, secrets and a project; `run` runs a script in a cage of it. */
async function world(
  t: TestContext,
  prepare: (dirs: { project: string; user: string; base: string }) => void = () => undefined,
) {
  const base = mkdtempSync("/var/tmp/agent-cage-");
  t.after(() => rmSync(base, { recursive: true, force: true }));
  const user = join(base, "user");
  const project = join(base, "user", "project");
  mkdirSync(project, { recursive: true });
  const home = layOutHome(join(user, ".agent"));
  mkdirSync(home.runDir, { recursive: true, mode: 0o700 });
  writeFileSync(home.env, "SECRET=decoy-home\n");
  mkdirSync(join(user, ".ssh"));
  writeFileSync(join(user, ".ssh", "id_rsa"), "decoy-key\n");
  prepare({ project, user, base });
  const env = { PATH: `${join(base, "bin")}:${process.env["PATH"] ?? ""}`, HOME: user };
  const cages = createCages({ home, env, config, spawner: systemSpawner, clock: systemClock });
  const use = { directory: project, lineage: "s_1", env };
  const choice = await cages.choose(use);
  const { cage } = choice.how === "caged" ? choice : assert.fail(JSON.stringify(choice));
  const start = async (spec: Partial<SpawnSpec>, other = cage) =>
    systemSpawner.spawn(other.wrap({ file: "sh", args: [], cwd: project, env, stderr: "stdout", ...spec }));
  const run = async (script: string, other = cage) => {
    const child = await start({ args: ["-c", script] }, other);
    const chunks: Buffer[] = [];
    child.onOutput((chunk) => chunks.push(chunk));
    await child.closed;
    return { code: (await child.exited).code, text: Buffer.concat(chunks).toString() };
  };
  return { user, project, home, cages, use, cage, run, start, tmp: cages.tmpOf("s_1") };
}

test("a command in a cage writes the project and its own /tmp, and nothing else", { skip }, async (t) => {
  const { run, project, user, tmp } = await world(t);
  const { text } = await run(
    `echo a >made; echo b >/tmp/made; echo c >/var/tmp/more; echo d >${user}/made; echo e >/etc/agent-made; echo done`,
  );
  assert.match(text, /Read-only file system[\s\S]*Read-only file system[\s\S]*done/);
  assert.deepEqual(
    [readFileSync(join(project, "made"), "utf8"), readFileSync(join(tmp, "made"), "utf8")],
    ["a\n", "b\n"],
  );
  assert.deepEqual(
    [existsSync(join(tmp, "more")), existsSync(join(user, "made")), existsSync("/etc/agent-made")],
    [true, false, false],
  );
});

test("commands of a worker write what is attached to their task, and read what is attached to others", {
  skip,
}, async (t) => {
  const { home, use, run } = await world(t);
  const attachments = join(home.dir, "kanban", "attachments");
  for (const task of ["t_1", "t_2"]) {
    mkdirSync(join(attachments, task), { recursive: true });
    writeFileSync(join(attachments, task, "a.txt"), `of ${task}\n`);
  }
  writeFileSync(join(home.dir, "kanban", "other"), "decoy\n");
  const ports = { home, env: use.env, config, spawner: systemSpawner, clock: systemClock };
  const worker = await createCages({ ...ports, own: [join(attachments, "t_1")], shown: [attachments] }).choose(use);
  assert.ok(worker.how === "caged");
  const { text } = await run(
    `cd ${attachments}; cat t_1/a.txt t_2/a.txt; echo new >t_1/b.txt; echo x >t_2/b.txt; cat ../other`,
    worker.cage,
  );
  assert.match(text, /^of t_1\nof t_2\n[^\n]*t_2\/b\.txt: Read-only file system\n[^\n]*other: No such file/);
  assert.equal(readFileSync(join(attachments, "t_1", "b.txt"), "utf8"), "new\n");
});

test("a command in a cage reads no secret of the user and nothing of the agent's home", { skip }, async (t) => {
  const { run, user, home } = await world(t);
  const { text } = await run(
    `cat ${user}/.ssh/id_rsa ${home.env}; find ${user}/.ssh ${home.dir} /run/docker.sock /etc/shadow -type f -size +0; true`,
  );
  assert.doesNotMatch(text, /decoy/);
  assert.doesNotMatch(text, /id_rsa$|shadow$/m);
});

test("an .env of the project is empty in a cage, however deep and through a link, until a rule of the user shows it", {
  skip,
}, async (t) => {
  const { run, cages, use, user, home } = await world(t, ({ project, user }) => {
    mkdirSync(join(project, "a/b/c/d/e"), { recursive: true });
    mkdirSync(join(project, ".devcontainer"));
    mkdirSync(join(user, "shared"));
    const files = [".env", ".ENV.Local", ".env.test", "a/b/c/d/e/.envrc", ".devcontainer/.env.production"];
    for (const name of files) writeFileSync(join(project, name), "KEY=decoy-env\n");
    writeFileSync(join(user, "shared", "settings"), "KEY=decoy-link\n");
    symlinkSync(join(user, "shared", "settings"), join(project, "a", ".env"));
    writeFileSync(join(project, ".env.example"), "KEY=an-example\n");
  });
  const hidden = await run(`cat $(find . -name '.[eE]*' -type f) a/.env ${user}/shared/settings`);
  assert.deepEqual([hidden.code, hidden.text], [0, "KEY=an-example\n"]);
  writeFileSync(join(home.dir, "permissions.yaml"), "version: 1\nallow: ['read:.env.*']\ndeny: ['read:.ENV.Local']\n");
  cages.expire(use.lineage);
  const shown = await cages.choose(use);
  assert.ok(shown.how === "caged");
  const found = await run("cat .env.test; cat .env .ENV.Local; echo x >>.env.test", shown.cage);
  assert.match(found.text, /^KEY=decoy-env\n[^\n]*Read-only file system\n$/);
});

test("an .env that the repository holds as it is stays visible, so that no commit empties it", { skip }, async (t) => {
  const { run, cages, use, project } = await world(t, ({ project: dir }) => {
    writeFileSync(join(dir, ".env"), "MODE=development\n");
    writeFileSync(join(dir, ".env.local"), "KEY=decoy-env\n");
    const git = (...args: string[]) =>
      execFileSync("git", ["-C", dir, "-c", "user.name=x", "-c", "user.email=x@y.z", ...args]);
    git("init", "-q");
    git("add", ".env");
    git("commit", "-qm", "one");
  });
  const first = await run(
    "cat .env .env.local; git add -A -f; git -c user.name=x -c user.email=x@y.z commit -qm two; git show HEAD:.env",
  );
  assert.equal(first.text, "MODE=development\nMODE=development\n");
  cages.expire(use.lineage);
  const next = await cages.choose(use);
  assert.ok(next.how === "caged");
  assert.equal((await run("cat .env.local", next.cage)).text, "", "what a command stages does not show it");
  writeFileSync(join(project, ".env"), "MODE=development\nKEY=decoy-env\n");
  cages.expire(use.lineage);
  const changed = await cages.choose(use);
  assert.ok(changed.how === "caged");
  assert.equal((await run("cat .env", changed.cage)).text, "");
});

test("nothing in a cage starts a client of a cloud that its line does not name, however it is started", {
  skip,
}, async (t) => {
  const { run, cages, use, project } = await world(t, ({ base }) => {
    mkdirSync(join(base, "bin"));
    for (const name of ["terraform", "gh"])
      writeFileSync(join(base, "bin", name), `#!/bin/sh\necho ${name} ran $*\n`, { mode: 0o755 });
  });
  writeFileSync(join(project, "d.sh"), "terraform destroy\n");
  const { text } = await run(
    `sh d.sh; "$(command -v terraform)" destroy; cp "$(command -v terraform)" t; ./t destroy; python3 -c 'import os; os.system("gh repo delete")'`,
  );
  assert.doesNotMatch(text, / ran /);
  assert.equal(text.match(/^(terraform|gh|t): it acts outside the project/gm)?.length, 4, text);
  const open = await cages.choose({ ...use, clients: ["terraform"] });
  assert.ok(open.how === "caged");
  assert.match((await run("terraform fmt; gh pr list", open.cage)).text, /^terraform ran fmt\ngh: it acts outside/);
});

test("a command in a cage sees no process outside and cannot end the owner", { skip }, async (t) => {
  const { run } = await world(t);
  const { text } = await run(`kill -0 ${process.pid} 2>&1 || echo no such; ls /proc | grep -c '^[0-9]'`);
  assert.match(text, /no such/);
  assert.ok(Number(text.trim().split("\n").at(-1)) < 6, text);
});

test("a command in a cage reaches no socket of the owner", { skip }, async (t) => {
  const { run, home } = await world(t);
  const server = createServer().listen(home.socket);
  t.after(() => server.close());
  await new Promise((resolve) => server.once("listening", resolve));
  const connect = `require('net').connect(${JSON.stringify(home.socket)}).on('error', (e) => console.log(e.code)).on('connect', () => console.log('open'))`;
  assert.match((await run(`'${process.execPath}' -e ${JSON.stringify(connect)}`)).text, /ENOENT|ECONNREFUSED/);
});

test("what a command in a cage leaves behind ends with it", { skip }, async (t) => {
  const { run } = await world(t);
  const mark = `${31_000 + (process.pid % 1_000)}`;
  await run(`setsid sleep ${mark} & (setsid setsid sleep ${mark} &) ; echo left`);
  const found = systemSpawner.leaders().filter(({ args }) => args.join(" ") === `sleep ${mark}`);
  assert.deepEqual(found, []);
});

test("settings and hooks of a repository are read-only, also by moving them away", { skip }, async (t) => {
  const { run, project } = await world(t, ({ project: dir }) => {
    mkdirSync(join(dir, ".git", "objects"), { recursive: true });
    mkdirSync(join(dir, ".git", "refs"));
    writeFileSync(join(dir, ".git", "HEAD"), "ref: refs/heads/main\n");
    writeFileSync(join(dir, ".git", "config"), "[core]\n\trepositoryformatversion = 0\n");
    writeFileSync(join(dir, ".env"), "A=1\n");
    mkdirSync(join(dir, ".agent"));
  });
  const tries = [
    "echo x >>.git/config",
    "echo x >.git/hooks/pre-commit",
    "echo x >.git/info/attributes",
    "mv .git other",
    "mv .git/hooks .git/other",
    "rm -rf .git/hooks",
    "echo x >>.env",
    "mv .env other",
    "rm -f .env",
    "echo x >.agent/permissions.yaml",
    "mv .agent other",
    "git config user.name x",
    "ln -sf /dev/null .git/config",
  ];
  for (const line of tries) assert.notEqual((await run(line)).code, 0, line);
  assert.equal(readFileSync(join(project, ".git", "config"), "utf8"), "[core]\n\trepositoryformatversion = 0\n");
  assert.equal((await run("git gc -q; git update-server-info && cat .git/info/refs")).code, 0);
  const made = await run(
    "echo 1 >a && git add a && git -c user.name=x -c user.email=x@y.z commit -qm one && git log --oneline",
  );
  assert.match(made.text, /one/);
});

test("a command in a cage works in the submodules that are there, and adds no repository with settings of its own", {
  skip,
}, async (t) => {
  const { run, project } = await world(t, ({ project: dir }) => {
    for (const name of ["objects", "modules/libs/m/objects"]) mkdirSync(join(dir, ".git", name), { recursive: true });
    for (const git of [join(dir, ".git"), join(dir, ".git/modules/libs/m")]) {
      writeFileSync(join(git, "HEAD"), "ref: refs/heads/main\n");
      writeFileSync(join(git, "config"), "");
    }
  });
  for (const line of [
    "mkdir .git/modules/n",
    "mkdir .git/modules/libs/n",
    "echo x >.git/modules/libs/m/config",
    "rmdir .git/modules",
  ])
    assert.notEqual((await run(line)).code, 0, line);
  assert.deepEqual(await run("echo x >.git/modules/libs/m/index; mkdir .git/modules/libs/m/objects/aa"), {
    code: 0,
    text: "",
  });
  assert.equal(readFileSync(join(project, ".git/modules/libs/m/config"), "utf8"), "");
});

test("a setting that was replaced outside a moment ago is held again by the next command", { skip }, async (t) => {
  const { run, cage, cages, use, project } = await world(t, ({ project: dir }) => {
    mkdirSync(join(dir, ".git", "objects"), { recursive: true });
    writeFileSync(join(dir, ".git", "HEAD"), "ref: refs/heads/main\n");
    writeFileSync(join(dir, ".git", "config"), "");
  });
  const config = join(project, ".git/config");
  writeFileSync(`${config}.new`, "[core]\n");
  renameSync(`${config}.new`, config);
  const next = await cages.choose(use);
  assert.ok(next.how === "caged" && next.cage !== cage, "the standing cage has lost the mount");
  assert.notEqual((await run("echo x >>.git/config", next.cage)).code, 0);
  assert.equal(readFileSync(config, "utf8"), "[core]\n");
});

test("a command that removes HEAD does not open the settings of the repository for the next one", {
  skip,
}, async (t) => {
  const { run, cages, use, project } = await world(t, ({ project: dir }) => {
    mkdirSync(join(dir, ".git", "objects"), { recursive: true });
    writeFileSync(join(dir, ".git", "HEAD"), "ref: refs/heads/main\n");
    writeFileSync(join(dir, ".git", "config"), "");
  });
  assert.equal((await run("rm .git/HEAD")).code, 0);
  cages.expire(use.lineage);
  const next = await cages.choose(use);
  assert.ok(next.how === "caged");
  assert.notEqual((await run("echo x >>.git/config", next.cage)).code, 0);
  assert.equal(readFileSync(join(project, ".git/config"), "utf8"), "");
});

test("settings of git that a command adds are moved away when it has ended", { skip }, async (t) => {
  const { run, project, cage } = await world(t, ({ project: dir }) => {
    mkdirSync(join(dir, ".git", "objects"), { recursive: true });
    writeFileSync(join(dir, ".git", "HEAD"), "ref: refs/heads/main\n");
    writeFileSync(join(dir, ".git", "config"), "");
  });
  assert.equal((await run("echo ../evil >.git/commondir")).code, 0);
  assert.deepEqual(moveStraySettings(cage.plan), [join(project, ".git", "commondir")]);
  assert.equal(existsSync(join(project, ".git", "commondir")), false);
});

test("a mount of a cage cannot be changed from inside, nor in a namespace of one's own", { skip }, async (t) => {
  const { run, user } = await world(t);
  const tries = [
    "mount -o remount,rw /",
    `umount ${user}/.ssh`,
    "unshare -Urm mount -o remount,rw,bind /",
    `unshare -Urm umount ${user}/.ssh`,
    `unshare -Urm sh -c 'mount -o remount,rw /; echo x >${user}/made'`,
    `unshare -Urm sh -c 'umount -l ${user}/.ssh; cat ${user}/.ssh/id_rsa'`,
  ];
  for (const line of tries) {
    const { code, text } = await run(line);
    assert.notEqual(code, 0, line);
    assert.doesNotMatch(text, /decoy/, line);
  }
  assert.equal(existsSync(join(user, "made")), false);
});

test("a link in the project does not make what it leads to writable", { skip }, async (t) => {
  const { run, user } = await world(t, ({ project: dir, user: home }) => symlinkSync(home, join(dir, "out")));
  assert.notEqual((await run("echo x >out/made")).code, 0);
  assert.equal(existsSync(join(user, "made")), false);
});
