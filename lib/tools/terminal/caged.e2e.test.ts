import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { eventually } from "../../../fixtures/e2e/eventually.js";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { bundleProgram } from "../../../fixtures/worlds/program.js";
import { git, repositoryAt } from "../../../fixtures/worlds/repository.js";
import { type BenchOptions, bench } from "../../../fixtures/worlds/tool-context.js";
import { listProcesses, type ProcessRow } from "../../base/process/process.js";
import { programOnPath } from "../../base/process/program-path.js";
import { systemSpawner } from "../../base/process/spawn-system.js";
import process_ from "../shell/process.js";
import terminal from "../shell/terminal.js";

const skip = programOnPath("bwrap", process.env["PATH"]) === undefined ? "bubblewrap is not installed" : false;

const caged = (t: TestContext, options: BenchOptions = {}) => bench(t, { ...options, cages: true });

test("in a cage directory and exports persist, from one command to the next", { skip }, async (t) => {
  const { json, project } = caged(t);
  const first = await json(terminal, { command: "mkdir -p sub && cd sub && export WORD='a b'; echo one" });
  assert.deepEqual([first["output"], first["exit_code"], first["cwd"]], ["one", 0, join(project, "sub")]);
  const second = await json(terminal, { command: 'echo "$WORD"; pwd; exit 7' });
  assert.deepEqual([second["output"], second["exit_code"]], [`a b\n${join(project, "sub")}`, 7]);
  const third = await json(terminal, { command: "export WORD=c; cd ..; kill -KILL $$" });
  assert.deepEqual([third["exit_code"], third["cwd"]], [137, join(project, "sub")], "it has not come to its end");
  const long = await json(terminal, { command: `: ${"\u00fc".repeat(60_000)}; echo "$WORD"` });
  assert.equal(long["output"], "a b");
});

test("what a caged command leaves running ends with it, and the next one does not wait for it", { skip }, async (t) => {
  const { json } = caged(t);
  const mark = `${40_000 + (process.pid % 9_000)}`;
  const leave = `(setsid sleep ${mark} &) ; sleep ${mark} & true`;
  const left = () => systemSpawner.leaders().filter(({ args }) => args.join(" ") === `sleep ${mark}`).length;
  await json(terminal, { command: "true" });
  for (let round = 0; round < 3; round++) {
    const result = await json(terminal, { command: `bash -c '${leave}'; echo ${round}` });
    assert.deepEqual([result["output"], result["exit_code"]], [`${round}`, 0]);
  }
  // A command is answered as soon as it has ended; the kernel ends what is left in its cage right behind it.
  await eventually(() => left() === 0);
});

test("a caged command is ended in time, with time to clean up", { skip }, async (t) => {
  const { json, run, project, context } = caged(t);
  const command = `bash -c 'trap "echo clean >cleaned; exit 0" TERM; touch begun; while :; do sleep 0.01; done'`;
  for (const how of ["the first", "a later one"]) {
    const clock = manualClock();
    const ending = run(terminal, { command, timeout: 1 }, { ports: { ...context.ports, clock } });
    await eventually(() => existsSync(join(project, "begun")));
    await clock.waitsFor(1_000);
    clock.advance(999);
    assert.ok(clock.waiting > 0, "it still waits");
    clock.advance(1);
    const result = JSON.parse((await ending).text);
    assert.equal(result.exit_code, 124, how);
    assert.equal(readFileSync(join(project, "cleaned"), "utf8"), "clean\n", how);
    await json(terminal, { command: "rm -f cleaned begun" });
  }
});

test("an interrupt ends a caged command with 130", { skip }, async (t) => {
  const { run } = caged(t);
  const control = new AbortController();
  const result = await run(
    terminal,
    { command: "echo started; sleep 60" },
    { signal: control.signal, progress: () => control.abort() },
  );
  assert.deepEqual([result.status, JSON.parse(result.text).exit_code], ["interrupted", 130]);
});

test("a caged command has a terminal when it wants one", { skip }, async (t) => {
  const { json } = caged(t);
  const result = await json(terminal, { command: "tty; [ -t 1 ] && echo yes", pty: true });
  assert.match(String(result["output"]), /\/dev\/pts\/\d+\s+yes/);
});

test("a background process stays while commands come and go, and ends when asked to", { skip }, async (t) => {
  const { json } = caged(t);
  const started = await json(terminal, { command: "echo up; sleep 1000; echo never", background: true });
  const session_id = String(started["session_id"]);
  await json(terminal, { command: "echo between" });
  const pid = Number(started["pid"]);
  assert.notEqual(systemSpawner.identify(pid), undefined);
  const killed = await json(process_, { action: "kill", session_id });
  assert.equal(killed["error"] ?? null, null);
  assert.deepEqual(systemSpawner.members(pid), []);
});

test("a background process cannot write settings of git that the person has replaced while it runs", {
  skip,
}, async (t) => {
  const { json, project, context } = caged(t);
  repositoryAt(project);
  const command =
    "until [ -e goes ]; do sleep 0.01; done; echo evil >>.git/config; echo evil >.git/hooks/post-checkout; git log --oneline; echo over";
  const started = await json(terminal, { command, background: true });
  git(project, "config", "user.name", "ada"); // another file in the place of the one that its cage held
  writeFileSync(join(project, "goes"), "");
  const ended = JSON.parse(
    (await process_.run(process_.params.parse({ action: "wait", session_id: started["session_id"] }), context)).text,
  );
  assert.match(ended.output, /config: Read-only file system[\s\S]*post-checkout: Read-only[\s\S]*write a\.txt\nover/);
  assert.doesNotMatch(readFileSync(join(project, ".git", "config"), "utf8"), /evil/);
});

test("a command outside the cage starts from the login shell, whatever was exported inside", { skip }, async (t) => {
  const { json, root } = caged(t, {
    permit: ({ outside }) => ({ allowed: true, by: "user", ...(outside === undefined ? {} : { outside: true }) }),
  });
  const target = join(root, "user", "made");
  const inside = await json(terminal, { command: `export EVIL=1; export PATH=/nowhere:$PATH; echo x >${target}` });
  assert.match(String(inside["output"]), /Read-only file system/);
  assert.match(String(inside["hint"]), /outside: true/);
  const outside = await json(terminal, {
    command: `echo "[$EVIL]" >${target}; echo $PATH`,
    outside: true,
    reason: "it must be in the home",
  });
  assert.equal(readFileSync(target, "utf8"), "[]\n");
  assert.doesNotMatch(String(outside["output"]), /nowhere/);
  const after = await json(terminal, { command: 'echo "[$EVIL]"' });
  assert.equal(after["output"], "[1]");
});

test("outside without a reason is refused, and a person's no leaves the command undone", { skip }, async (t) => {
  const { json, root, asked } = caged(t, {
    permit: ({ outside }) =>
      outside === undefined ? { allowed: true, by: "" } : { allowed: false, status: "denied", message: "no" },
  });
  const target = join(root, "user", "made");
  assert.match(String((await json(terminal, { command: `touch ${target}`, outside: true }))["error"]), /reason/);
  assert.match(
    String((await json(terminal, { command: `touch ${target}`, outside: true, reason: "because" }))["error"]),
    /no/,
  );
  assert.deepEqual([existsSync(target), asked.map(({ outside }) => outside)], [false, ["because"]]);
});

test("what starts a command is not reached by what the one before it exported", { skip }, async (t) => {
  const { json, root } = caged(t);
  const forged = [
    'exec 9>&1; for n in 3 4 5 6 7 8 10 11 12; do { printf "p1 1 (x) S\\nx0\\nr\\n" >&$n; } 2>/dev/null; done; echo forged',
    "export LD_PRELOAD=/nowhere/evil.so PERL5LIB=/nowhere BASH_ENV=/nowhere/rc; echo exported",
    "rm -f ~/x; echo still here",
  ];
  for (const command of forged) {
    await json(terminal, { command });
  }
  const result = await json(terminal, { command: "unset LD_PRELOAD; echo alive; touch made" });
  assert.match(String(result["output"]), /alive/);
  assert.equal(existsSync(join(root, "project", "made")), true);
});

test("what a command puts in the place of its state file is not read", { skip }, async (t) => {
  const { json, root } = caged(t);
  const secret = join(root, "user", ".ssh-decoy");
  writeFileSync(secret, `declare -x STOLEN="decoy"\0/tmp\0${"1"}\0`);
  await json(terminal, {
    command: `trap - EXIT; for d in ${root}/home/run/shell/in-*/*; do rm -f $d; ln -s ${secret} $d; done; true`,
  });
  const result = await json(terminal, { command: 'echo "[$STOLEN]"' });
  assert.equal(result["output"], "[]");
});

test("commands that cannot be caged are refused where a cage is required", async (t) => {
  const { json } = bench(t, { cages: true, config: { "terminal.cage": "required" } });
  const result = await json(terminal, { command: "echo ran" });
  if (skip === false) assert.equal(result["output"], "ran");
  else assert.match(String(result["error"]), /terminal\.cage: required/);
});

test("a command in a cage has no rights over mounts, nor has its first process, and cannot see or end what is outside", {
  skip,
}, async (t) => {
  const { json } = caged(t);
  await json(terminal, { command: "true" });
  const mount = process.arch === "x64" ? 165 : 40; // perl has no function for that system call
  const perl = `perl -e '
    my ($type, $where) = ("proc", "/mnt");
    print "mounted\n" if syscall(${mount}, $type, $where, $type, 0, 0) == 0;'`;
  const command = [
    "grep CapEff /proc/self/status",
    "grep CapEff /proc/1/status",
    "ls -d /proc/[0-9]* | wc -l",
    perl,
    "kill -STOP 1; kill -KILL 1; echo alive",
    `kill -0 ${process.pid}; kill -0 ${process.ppid}; umount /proc; cat /proc/${process.pid}/comm`,
  ].join("\n");
  const result = await json(terminal, { command: `{ ${command}\n} 2>/dev/null; echo end`, timeout: 20 });
  const [own, first, count, ...rest] = String(result["output"]).split("\n");
  const rights = process.getuid?.() === 0 ? "000000000000041b" : "0000000000000000";
  assert.deepEqual([own, first, ...rest], [`CapEff:\t${rights}`, "CapEff:\t0000000000000000", "alive", "end"]);
  assert.ok(Number(count) <= 6, count);
});

/** Command line and state of a process, for the message of a failure. */
function describeProcess(pid: number): string {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").join(" ").trim();
    return `${pid} ${words} (${/State:\s+(\S)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]})`;
  } catch {
    return `${pid} has just ended`; // between two looks
  }
}

test("when the owner is killed, nothing in its cages lives on", { skip }, async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "agent-caged-owner-"));
  const program = await bundleProgram("fixtures/worlds/caged-owner.ts");
  t.after(() => {
    program.remove();
    rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  });
  const seconds = `${50_000 + (process.pid % 9_000)}`;
  const env = { PATH: process.env["PATH"] ?? "", HOME: dir, TMPDIR: dir };
  const owner = spawn(process.execPath, [program.file, seconds], { env, stdio: ["ignore", "pipe", "inherit"] });
  await new Promise<void>((resolve, reject) => {
    owner.stdout.once("data", () => resolve());
    owner.once("exit", () => reject(new Error("it ended before its commands worked")));
  });
  const isOurs = ({ parent, pid }: ProcessRow, found: ReadonlySet<number>) => found.has(parent) && !found.has(pid);
  const findBelow = (top: number): Set<number> => {
    const found = new Set([top]);
    for (const level = listProcesses(); level.some((row) => isOurs(row, found)); )
      for (const row of level) if (found.has(row.parent)) found.add(row.pid);
    return found;
  };
  const cages = () =>
    listProcesses().filter(({ parent, pid }) => parent === owner.pid && describeProcess(pid).includes("bwrap"));
  await eventually(() => cages().length >= 2 && cages().every(({ pid }) => findBelow(pid).size >= 3));
  const below = findBelow(owner.pid ?? 0);
  below.delete(owner.pid ?? 0);
  assert.ok(below.size >= 8, "two cages with their first processes, two shells and four sleeping commands");
  const known = [...below].flatMap((pid) => systemSpawner.identify(pid) ?? []);
  owner.kill("SIGKILL");
  const left = () => known.filter((id) => systemSpawner.alive(id)).map(({ pid }) => describeProcess(pid));
  await eventually(() => left().length === 0).catch((error: unknown) => {
    throw new Error(`these live on: ${left().join("; ")}`, { cause: error });
  });
});

/**
 * A bubblewrap for a search path that never gets as far as to tie itself to its owner, once its command line has `word`: it writes its pid to the file
 * `held` and stays as it is.
 */
function installHeldBwrap(dir: string, word: string): string {
  const real = programOnPath("bwrap", process.env["PATH"]) ?? "";
  const bin = join(dir, "bin");
  mkdirSync(bin);
  const hold = `echo $$ >${dir}/held.part; mv ${dir}/held.part ${dir}/held; exec sleep 3000`;
  writeFileSync(join(bin, "bwrap"), `#!/bin/sh\ncase "$*" in *'${word}'*) ${hold} ;; esac\nexec ${real} "$@"\n`);
  chmodSync(join(bin, "bwrap"), 0o755);
  return bin;
}

test("when the owner is killed while the cage of a command starts, nothing of that cage lives on", {
  skip,
}, async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "agent-caged-start-"));
  const program = await bundleProgram("fixtures/worlds/caged-owner.ts");
  t.after(() => {
    program.remove();
    rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  });
  const env = {
    PATH: `${installHeldBwrap(dir, "echo first")}:${process.env["PATH"] ?? ""}`,
    HOME: dir,
    TMPDIR: dir,
  };
  const owner = spawn(process.execPath, [program.file, "1"], { env, stdio: ["ignore", "ignore", "inherit"] });
  const gone = new Promise((resolve) => owner.once("exit", resolve));
  t.after(() => owner.kill("SIGKILL"));
  await eventually(() => existsSync(join(dir, "held")));
  const id = systemSpawner.identify(Number(readFileSync(join(dir, "held"), "utf8")));
  assert.ok(id !== undefined && systemSpawner.alive(id));
  t.after(() => systemSpawner.alive(id) && systemSpawner.signal({ pid: id.pid }, "SIGKILL"));
  owner.kill("SIGKILL");
  await gone;
  await eventually(() => !systemSpawner.alive(id));
});
