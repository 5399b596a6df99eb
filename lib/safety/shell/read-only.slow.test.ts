import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { layOutHome } from "../../base/home.js";
import { inspect, isReadOnlyCommand } from "../exec/exec.js";

const root = realpathSync(mkdtempSync(join(process.cwd(), "dist", "read-only-")));
after(() => rmSync(root, { recursive: true, force: true }));

const scope = (cwd: string) => ({
  home: layOutHome("/srv/user/.agent"),
  userHome: "/srv/user",
  project: cwd,
  env: {},
  cwd,
});

/** Values that an earlier command may have left in the shell. */
const SESSION = [
  "arr=(1 2 3)",
  "hostile='arr[$(touch canary)]'",
  "indirect='arr[$(touch canary)]'",
  "prompt='$(touch canary)'",
  "option='-v arr[$(>canary)]'",
  "dash=-v",
  "format='-v arr[$(>canary)] x'",
  "finds='-fprint canary'",
  "delete=-delete",
  "sorts='-o canary'",
  "sorted=-ocanary",
  "uniqs='two canary'",
  "gitwords=--output=canary",
  "runit() { touch canary; }",
].join("\n");

function gitEnv(dir: string) {
  return { PATH: process.env["PATH"], HOME: dir, GIT_CONFIG_GLOBAL: "/dev/null", RUNS: "./runs" };
}

/** A directory with all that the lines name. */
function makeFiles(dir: string): void {
  const texts = {
    one: "a\n",
    two: "two\nb\n",
    name: "canary\n",
    "evil.sh": "touch canary\n",
    "script.sed": "w canary\n",
    magic: "0 string x y\n",
  };
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(dir, name), text);
  mkdirSync(join(dir, "bin"));
  for (const name of ["runs", "bin/ls", "bin/cat"]) {
    writeFileSync(join(dir, name), "#!/bin/sh\n/usr/bin/touch canary\n");
    chmodSync(join(dir, name), 0o755);
  }
}

/** A repository whose settings name no program, made once. */
const repository = mkdtempSync(join(root, "r-"));
makeFiles(repository);
const git = (...args: readonly string[]) =>
  spawnSync("git", ["-C", repository, "-c", "user.name=a", "-c", "user.email=a@b", ...args], {
    env: gitEnv(repository),
  });
git("init", "-q");
git("add", "one", "two");
git("commit", "-qm", "x");

function scratch(withRepository: boolean): string {
  const dir = mkdtempSync(join(root, "d-"));
  makeFiles(dir);
  if (withRepository) cpSync(join(repository, ".git"), join(dir, ".git"), { recursive: true });
  if (withRepository) writeFileSync(join(dir, "one"), "changed\n");
  return dir;
}

/** Whether bash makes the file `canary`, or takes one away, when it runs the line. */
function changes(line: string, dir: string): boolean {
  spawnSync("bash", ["--norc", "-c", `${SESSION}\n${line}`], {
    cwd: dir,
    env: gitEnv(dir),
    input: "",
    timeout: 20_000,
  });
  return existsSync(join(dir, "canary")) || !existsSync(join(dir, "two"));
}

const linesOf = (name: "evaluated" | "reads") =>
  readFileSync(join(process.cwd(), `fixtures/corpora/commands-${name}.txt`), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.replaceAll("␤", "\n"));

const lines = linesOf("evaluated");
for (const written of lines) {
  const line = written.replaceAll("RUN", "touch canary").replaceAll("touch canaryS", "RUNS");
  test(`no read: ${written}`, () => {
    const dir = scratch(line.includes("git"));
    const { readOnly } = inspect(line, scope(dir));
    const changed = changes(line, dir);
    assert.equal(readOnly, false, changed ? "bash ran it" : "bash did not run it here");
  });
  const opened = /'[^']*\$\(RUN\)[^']*'/.test(written);
  if (opened) {
    test(`what it hides is judged: ${written}`, () => {
      const { blocked } = inspect(line.replaceAll("touch canary", "rm -rf /"), scope("/srv/user/project"));
      assert.ok(blocked !== undefined, "a removal of everything is not seen");
    });
  }
}

const READS = linesOf("reads");
for (const line of READS) {
  test(`a read: ${line}`, () => assert.equal(inspect(line, scope("/srv/user/project")).readOnly, true));
}

const CONFIGS = [
  ["a filter", '[filter "x"]\n\tclean = ./runs'],
  ["a monitor", "[core]\n\tfsmonitor = ./runs"],
  ["a monitor behind its section", "[core] fsmonitor = ./runs"],
  ["a monitor in capitals", "[CORE]\n\tFsMonitor=./runs"],
  ["a difference program", "[diff]\n\texternal = ./runs"],
  ["a text conversion", '[diff "x"]\n\ttextconv = ./runs'],
  ["a command of a driver", '[diff "x"]\n\tcommand = ./runs'],
  ["a pager", "[core]\n\tpager = ./runs"],
  ["pagers by subcommand", "[pager]\n\tlog = ./runs"],
  ["another file", "[include]\n\tpath = ../x"],
  ["another file under a condition", '[includeIf "gitdir:/"]\n\tpath = ../x'],
  ["signatures", "[gpg]\n\tprogram = ./runs\n[log]\n\tshowSignature = true"],
  ["another work tree", "[core]\n\tworktree = /etc"],
  ["a continued line", "[core]\n\tfsmon\\\nitor = ./runs"],
] as const;
for (const [what, config] of CONFIGS) {
  test(`a read of git is none where the repository's settings name ${what}`, () => {
    const dir = scratch(true);
    for (const line of ["git status", "git diff", "git log -p", "git show", "git blame one"])
      assert.equal(isReadOnlyCommand(line, dir), true, line);
    writeFileSync(join(dir, ".git/config"), `${readFileSync(join(dir, ".git/config"), "utf8")}${config}\n`);
    for (const line of ["git status", "git diff", "git log -p", "git show", "git blame one"])
      assert.equal(isReadOnlyCommand(line, join(dir, "bin")), false, line);
  });
}

test("a read of git is none where its directory is not known", () => {
  assert.equal(isReadOnlyCommand("git status"), false);
  assert.equal(isReadOnlyCommand("ls"), true);
});
