import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { chatOwner } from "../../../fixtures/sim/chat-owner.js";

async function setup(t: TestContext, config = "") {
  const owner = await chatOwner(t, { prepared: true, script: () => ({ text: "seen" }), config });
  const home = join(owner.work, "..");
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=Ann", "-c", "user.email=ann@example.com", ...args], {
      cwd: owner.work,
      env: { PATH: process.env["PATH"], HOME: home, GIT_CONFIG_NOSYSTEM: "1" },
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  const write = (name: string, text: string) => writeFileSync(join(owner.work, name), text);
  const commit = (message: string) => {
    git("add", "-A");
    git("commit", "--quiet", "--allow-empty", "-m", message);
  };
  /** The message as the model gets it. */
  const asked = async (text: string): Promise<string> => {
    await owner.ask(text);
    const messages = owner.model.chats().at(-1)?.body?.messages ?? [];
    return String(messages.findLast((one) => one.role === "user")?.content);
  };
  return { owner, git, write, commit, asked };
}

test("what is changed, what is staged and the last commits stand behind the message that mentions them", async (t) => {
  const { git, write, commit, asked } = await setup(t);
  git("init", "--quiet");
  write("a.ts", "one\n");
  write("b.ts", "one\n");
  commit("begin");
  commit("nothing changes here");
  write("a.ts", "two\n");
  commit("a is two now");
  write("a.ts", "three\n");
  write("b.ts", "staged\n");
  git("add", "b.ts");
  const diff = await asked("look at @diff.");
  assert.match(
    diff,
    /^look at @diff\.\n\n\[@diff in \/.*work: 1 file\]\n```\ndiff --git a\/a\.ts b\/a\.ts\n[\s\S]*-two\n\+three\n```$/,
  );
  const staged = await asked("look at @staged");
  assert.match(
    staged,
    /\[@staged in \/.*work: 1 file\]\n```\ndiff --git a\/b\.ts b\/b\.ts\n[\s\S]*-one\n\+staged\n```$/,
  );
  const commits = await asked("what about @git:2?");
  assert.match(commits, /\[@git in \/.*work: 2 commits\]\n```\ncommit [0-9a-f]{40}\nAuthor: Ann <ann@example\.com>\n/);
  assert.match(commits, / {4}a is two now\n[\s\S]*-one\n\+two\n[\s\S]* {4}nothing changes here\n/);
  assert.ok(!commits.includes("begin"), commits);
});

test("changes are those of the whole work tree, wherever in it the conversation began", async (t) => {
  const { owner, git, write, commit } = await setup(t);
  git("init", "--quiet");
  mkdirSync(join(owner.work, "deep"));
  write("a.ts", "one\n");
  write("deep/b.ts", "one\n");
  commit("begin");
  write("a.ts", "two\n");
  write("deep/b.ts", "two\n");
  await owner.ask("see @diff", { cwd: join(owner.work, "deep") });
  const text = JSON.stringify(owner.model.chats().at(-1)?.body?.messages);
  assert.match(text, /work: 2 files\]/);
  assert.match(text, /a\/a\.ts.*a\/deep\/b\.ts/);
});

test("files that may hold secrets, or that a rule keeps from being read, are left out of changes and commits, and are named", async (t) => {
  const { git, write, commit, asked, owner } = await setup(t, "");
  writeFileSync(join(owner.home.dir, "permissions.yaml"), "deny:\n  - read:kept/**\n");
  git("init", "--quiet");
  mkdirSync(join(owner.work, "kept"));
  for (const [name, text] of Object.entries({
    "a.ts": "one\n",
    ".env": "WORD=first-private\n",
    "kept/k.ts": "first-kept\n",
  }))
    write(name, text);
  commit("begin");
  for (const [name, text] of Object.entries({
    "a.ts": "two\n",
    ".env": "WORD=next-private\n",
    "kept/k.ts": "next-kept\n",
  }))
    write(name, text);
  for (const mention of ["@diff", "@git:1"]) {
    const text = await asked(`see ${mention}`);
    assert.ok(text.includes("a/a.ts"), text);
    for (const kept of ["private", "first-kept", "next-kept"]) assert.ok(!text.includes(kept), text);
    assert.match(text, /is included without \.env, kept\/k\.ts: may contain secrets, or a rule forbids reading\]/);
  }
});

test("a file that gave way to a folder with secrets in it is not a way to them", async (t) => {
  const { git, write, commit, asked, owner } = await setup(t);
  git("init", "--quiet");
  write("place", "one\n");
  write("a.ts", "one\n");
  commit("begin");
  git("rm", "--quiet", "place");
  mkdirSync(join(owner.work, "place"));
  write("place/.env", "WORD=private\n");
  write("a.ts", "two\n");
  git("add", "-A");
  const text = await asked("see @staged");
  assert.ok(text.includes("+two") && !text.includes("private"), text);
});

test("no program that a repository names is started for what a message mentions of it", async (t) => {
  const { git, write, commit, asked, owner } = await setup(t);
  const ran = join(owner.work, "..", "ran");
  mkdirSync(ran);
  const evil = (name: string) => {
    const path = join(ran, `${name}.sh`);
    writeFileSync(path, `#!/bin/sh\ntouch '${join(ran, `${name}.ran`)}'\ncat 2>/dev/null\n`, { mode: 0o755 });
    return path;
  };
  git("init", "--quiet");
  write("a.ts", "one\n");
  write("b.ts", "one\n");
  commit("begin");
  const signed = execFileSync("git", ["cat-file", "commit", "HEAD"], { cwd: owner.work, encoding: "utf8" });
  const mark = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ==\n -----END PGP SIGNATURE-----\n";
  const object = signed.replace("\n\n", `\n${mark}\n`);
  const id = execFileSync("git", ["hash-object", "-t", "commit", "-w", "--stdin"], {
    cwd: owner.work,
    input: object,
    encoding: "utf8",
  }).trim();
  git("update-ref", "HEAD", id);
  write(".gitattributes", "*.ts diff=evil filter=evil merge=evil\n");
  write("a.ts", "two\n");
  write("b.ts", "two\n");
  const SETTINGS: Readonly<Record<string, string>> = {
    "core.fsmonitor": evil("fsmonitor"),
    "core.pager": evil("pager"),
    "pager.diff": evil("pager-diff"),
    "pager.log": evil("pager-log"),
    "core.editor": evil("editor"),
    "core.sshCommand": evil("ssh"),
    "core.alternateRefsCommand": evil("refs"),
    "diff.external": evil("external"),
    "diff.evil.command": evil("driver"),
    "diff.evil.textconv": evil("textconv"),
    "filter.evil.clean": evil("clean"),
    "filter.evil.smudge": evil("smudge"),
    "filter.evil.process": evil("process"),
    "filter.evil.required": "true",
    "log.showSignature": "true",
    "gpg.program": evil("gpg"),
    "gpg.openpgp.program": evil("openpgp"),
    "alias.diff": `!${evil("alias")}`,
    "interactive.diffFilter": evil("interactive"),
    "credential.helper": evil("credential"),
    "remote.origin.url": `ext::${evil("transport")}`,
    "remote.origin.promisor": "true",
    "remote.origin.uploadpack": evil("uploadpack"),
    "extensions.partialClone": "origin",
    "protocol.ext.allow": "always",
    "diff.submodule": "diff",
  };
  mkdirSync(join(owner.work, "hooks"));
  for (const hook of [
    "post-index-change",
    "pre-commit",
    "post-checkout",
    "fsmonitor-watchman",
    "reference-transaction",
  ])
    writeFileSync(join(owner.work, "hooks", hook), `#!/bin/sh\ntouch '${join(ran, `${hook}.ran`)}'\n`, { mode: 0o755 });
  git("add", "b.ts"); // before there is anything to run
  for (const [key, value] of Object.entries(SETTINGS)) git("config", key, value);
  git("config", "core.hooksPath", join(owner.work, "hooks"));
  const said = await asked("see @diff and @staged and @git:1");
  assert.match(said, /\[@diff in [\s\S]*\+two[\s\S]*\[@staged in [\s\S]*\+two[\s\S]*\[@git in [\s\S]*begin/);
  assert.deepEqual(
    readdirSync(ran).filter((name) => name.endsWith(".ran")),
    [],
  );
});

test("the settings of a submodule start nothing either", async (t) => {
  const { git, write, commit, asked, owner } = await setup(t);
  const ran = join(owner.work, "..", "ran");
  writeFileSync(join(owner.work, "..", "evil.sh"), `#!/bin/sh\ntouch '${ran}'\n`, { mode: 0o755 });
  git("init", "--quiet");
  git("init", "--quiet", "sub");
  const inSub = (...args: string[]) => git("-C", "sub", ...args);
  write("sub/s.ts", "one\n");
  inSub("add", "-A");
  inSub("commit", "--quiet", "-m", "sub");
  write("a.ts", "one\n");
  commit("begin");
  inSub("config", "core.fsmonitor", join(owner.work, "..", "evil.sh"));
  write("sub/s.ts", "two\n");
  write("a.ts", "two\n");
  const said = await asked("see @diff");
  assert.ok(said.includes("+two"), said);
  assert.equal(existsSync(ran), false);
});

test("a repository that says its files are elsewhere is not looked into", async (t) => {
  const { git, write, commit, asked, owner } = await setup(t);
  git("init", "--quiet");
  write("a.ts", "one\n");
  commit("begin");
  const other = join(owner.work, "..", "other");
  mkdirSync(other);
  writeFileSync(join(other, "a.ts"), "private words\n");
  git("config", "core.worktree", other);
  const said = await asked("see @diff");
  assert.match(said, /\[@diff is not included: /);
  assert.ok(!said.includes("private words"), said);
});

test("what git cannot tell is named, with what to do, and stays a word", async (t) => {
  const { git, write, commit, asked } = await setup(t);
  assert.match(
    await asked("see @diff"),
    /\[@diff is not included: \/.*work is in no git work tree that can be read: not a git repository/,
  );
  git("init", "--quiet");
  assert.match(await asked("see @git:1"), /\[@git:1 is not included: no commits yet\]/);
  write("a.ts", "one\n");
  commit("begin");
  assert.match(
    await asked("see @diff"),
    /\[@diff is not included: no unstaged changes of tracked files; @staged has staged changes/,
  );
  assert.match(await asked("see @staged"), /\[@staged is not included: no staged changes; @diff has unstaged ones\]/);
  for (const wrong of ["@git:0", "@git:21", "@git:main", "@git:--all"])
    assert.ok(
      (await asked(`see ${wrong}`)).includes(
        `[${wrong} is not included: it requires a number of commits from 1 to 20, as in @git:3]`,
      ),
      wrong,
    );
  write("a.ts", `${"x".repeat(99)}\n`.repeat(12_000));
  assert.match(await asked("see @diff"), /\[@diff is not included: it exceeds 1 MiB; mention single files with @file:/);
});
