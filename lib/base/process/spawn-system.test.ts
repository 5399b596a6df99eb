import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { parsePs, parseStat } from "./process.js";
import type { Child, SpawnSpec } from "./spawn.js";
import { systemSpawner as spawner } from "./spawn-system.js";

const env = { PATH: process.env["PATH"] ?? "/usr/bin:/bin" };
const onLinux = { skip: process.platform === "linux" ? false : "reads /proc" };

test("a child gets exactly the environment it is given", async (t) => {
  const child = await start(t, { file: "env", args: [], env: { ONLY: "this" }, cwd: "/" });
  assert.equal(await textOf(child), "ONLY=this\n");
  assert.deepEqual(await child.exited, { code: 0, signal: null });
});

test("the identity of a child does not change while it lives and holds for it alone", async (t) => {
  const child = await shell(t, "echo up; exec sleep 30");
  await firstLine(child);
  assert.deepEqual(spawner.identify(child.pid), child.id);
  assert.ok(spawner.alive(child.id));
  assert.ok(!spawner.alive({ ...child.id, start: "1" }), "another start time is another process");
  assert.ok(!spawner.alive({ ...child.id, boot: "another" }), "another boot is another process");
  assert.ok(!spawner.alive({ ...child.id, start: "" }), "without a start time nothing is claimed to live");
});

test("a missing program and a missing directory are told apart", async () => {
  await assert.rejects(spawner.spawn({ file: "/no/such/program", args: [], cwd: "/", env }), {
    code: "ENOENT",
    path: "/no/such/program",
  });
  await assert.rejects(
    spawner.spawn({ file: "true", args: [], cwd: "/no/such/directory", env }),
    /no such directory \/no\/such\/directory/,
  );
});

test("a file that is not executable is refused", async (t) => {
  const file = join(tempDir(t), "plain");
  writeFileSync(file, "text", { mode: 0o644 });
  await assert.rejects(spawner.spawn({ file, args: [], cwd: "/", env }), { code: "EACCES" });
});

test("both streams are appended to one file in the order they were written", async (t) => {
  const path = join(tempDir(t), "log");
  for (const word of ["one", "two"]) {
    const child = await shell(t, `echo ${word}; echo ${word}-error >&2; echo ${word}-end`, {
      stdout: { append: path },
      stderr: "stdout",
    });
    await child.closed;
  }
  assert.equal(readFileSync(path, "utf8"), "one\none-error\none-end\ntwo\ntwo-error\ntwo-end\n");
  assert.equal(statSync(path).mode & 0o777, 0o600);
});

test("what is written reaches the child, and writing to one that is gone does no harm", async (t) => {
  const child = await shell(t, "read line; echo got $line", { stdin: "pipe" });
  child.write("hello\n");
  assert.equal(await textOf(child), "got hello\n");
  child.write("late\n");
  child.closeInput();
});

test("a child has ended although a grandchild holds its output", async (t) => {
  const child = await shell(t, "sleep 30 & echo started");
  await child.exited;
  assert.equal(spawner.members(child.pid).length, 1);
  await spawner.endGroup(child.pid, 2_000);
  await child.closed;
});

test("a zombie does not live", onLinux, async (t) => {
  // The first shell becomes a sleep that never collects its child, which waits for that.
  const wait = `while [ "$(cat /proc/$PPID/comm)" != sleep ]; do :; done`;
  const child = await shell(t, `sh -c '${wait}' & echo $!; exec sleep 30`);
  const zombie = Number(await firstLine(child));
  await until(() => readFileSync(`/proc/${zombie}/stat`, "utf8").includes(") Z "));
  assert.equal(spawner.identify(zombie), undefined);
  assert.deepEqual(spawner.members(child.pid), [child.pid]);
});

const groups = [
  { title: "grandchildren end with the group", script: "sh -c 'sleep 30 & wait' & sleep 30 & echo up; wait" },
  {
    title: "a group that ignores SIGTERM is killed after the grace",
    script: "trap '' TERM; sleep 30 & echo up; wait; wait",
  },
  { title: "a stopped process ends", script: "echo up; kill -STOP $$" },
  { title: "a job with a group of its own ends with the session", script: "set -m; sleep 30 & echo up; wait" },
  { title: "a group whose leader is gone ends", script: "sleep 30 & sleep 30 & echo up" },
];

for (const { title, script } of groups) {
  test(title, async (t) => {
    const child = await shell(t, script);
    await firstLine(child);
    assert.ok(await spawner.endGroup(child.pid, 100));
    assert.deepEqual(spawner.members(child.pid), []);
    assert.ok(!spawner.signal({ group: child.pid }, "SIGTERM"), "nothing is left to signal");
    await child.closed;
  });
}

test("a process that left the session is found by its mark", { skip: onLinux.skip }, async (t) => {
  const mark = `m${process.pid}`;
  const child = await shell(t, "setsid sh -c 'echo $$; exec sleep 30' & wait", {
    env: { ...env, AGENT_WORKER_MARK: mark },
  });
  const escaped = Number(await firstLine(child));
  await spawner.endGroup(child.pid, 1_000);
  assert.deepEqual(spawner.marked("AGENT_WORKER_MARK", mark), [escaped]);
  assert.deepEqual(spawner.marked("AGENT_WORKER_MARK", "m"), [], "a beginning of the value is another value");
  assert.ok(spawner.signal({ pid: escaped }, "SIGKILL"));
  await child.closed;
});

test("a process is found by a mark with an umlaut and other signs, and by no other", onLinux, async (t) => {
  const mark = "/home/jürgen/日本 😀/.agent";
  const child = await shell(t, "echo up; exec sleep 30", { env: { ...env, AGENT_WORKER_MARK: mark } });
  await firstLine(child);
  assert.deepEqual(spawner.marked("AGENT_WORKER_MARK", mark), [child.pid]);
  assert.deepEqual(spawner.marked("AGENT_WORKER_MARK", mark.replace("ü", "u")), []);
});

test("a group that has ended already ends at once", async (t) => {
  const child = await shell(t, "exit 3");
  assert.deepEqual(await child.exited, { code: 3, signal: null });
  assert.ok(await spawner.endGroup(child.pid, 5_000));
});

test("an abort ends the wait and says that something lives", async (t) => {
  const child = await shell(t, "trap '' TERM; echo up; while :; do sleep 1; done");
  await firstLine(child);
  const control = new AbortController();
  const ending = spawner.endGroup(child.pid, 60_000, control.signal);
  control.abort(new Error("stop"));
  assert.equal(await ending, false);
});

test("the death of a child by a signal names the signal", async (t) => {
  const child = await shell(t, "kill -KILL $$");
  assert.deepEqual(await child.exited, { code: null, signal: "SIGKILL" });
});

// A program that ends with its owner starts behind a gate. No one shall notice.
const endsWithOwner = true;

test("a child that ends with its owner gets exactly the environment it is given", async (t) => {
  for (const given of [{ ONLY: "this" }, { "BASH_FUNC_f%%": "() {  :\n}", "a.b": "c d", ONLY: "$x `y` 'z'" }]) {
    const child = await start(t, { file: "/usr/bin/env", args: ["-0"], env: given, cwd: "/", endsWithOwner });
    const lines = (await textOf(child)).split("\0").filter((line) => line !== "");
    assert.deepEqual(
      lines.sort(),
      Object.entries(given)
        .map(([name, value]) => `${name}=${value}`)
        .sort(),
    );
    assert.deepEqual(await child.exited, { code: 0, signal: null });
  }
});

test("a child that ends with its owner gets its arguments, its directory and its name as they were given", async (t) => {
  const dir = tempDir(t);
  const args = ["-n", "", "a b", "$x", "\n", "--", "ü"];
  const script = "process.stdout.write(JSON.stringify([process.cwd(), process.argv0, process.argv.slice(1)]))";
  const PATH = join(process.execPath, "..");
  const spec = { file: "node", args: ["-e", script, "--", ...args], env: { PATH }, cwd: dir, endsWithOwner } as const;
  const said = await textOf(await start(t, spec));
  assert.deepEqual(JSON.parse(said), [realpathSync(dir), "node", args]);
});

test("a child that ends with its owner leads its group and ends by signals", onLinux, async (t) => {
  const child = await shell(t, "echo $$; exec sleep 30", { endsWithOwner });
  assert.equal(await firstLine(child), `${child.pid}`);
  assert.deepEqual(spawner.members(child.pid), [child.pid]);
  assert.deepEqual(spawner.identify(child.pid), child.id);
  spawner.signal({ pid: child.pid }, "SIGTERM");
  assert.deepEqual(await child.exited, { code: null, signal: "SIGTERM" });
  await child.closed;
});

test("a child that ends with its owner has no more open files than another", onLinux, async (t) => {
  const list = { file: "ls", args: ["/proc/self/fd"], env, cwd: "/" };
  const listed = async (more: Partial<SpawnSpec>) => textOf(await start(t, { ...list, ...more }));
  assert.equal(await listed({ endsWithOwner }), await listed({}));
  assert.equal(await listed({ endsWithOwner, channel: true }), await listed({ channel: true }));
});

test("a child that ends with its owner reads its input to the end and exits with its own code", async (t) => {
  const child = await shell(t, "cat; exit 7", { endsWithOwner, stdin: "pipe" });
  child.write("one\n");
  child.write("two");
  child.closeInput();
  assert.equal(await textOf(child), "one\ntwo");
  assert.deepEqual(await child.exited, { code: 7, signal: null });
});

test("the channel of a child that ends with its owner is at the same descriptors", async (t) => {
  const child = await shell(t, "read line <&3; echo got $line >&4", { endsWithOwner, channel: true });
  const said = new Promise((resolve) => child.channel?.onData((chunk) => resolve(chunk.toString())));
  child.channel?.send("hello\n");
  assert.equal(await said, "got hello\n");
});

test("what cannot be started fails with the system's error when it ends with its owner too", async (t) => {
  const dir = tempDir(t);
  const script = (name: string, first: string, mode: number) => {
    writeFileSync(join(dir, name), `${first}\n`, { mode });
    return join(dir, name);
  };
  const plain = script("plain", "text", 0o644);
  const broken = script("broken", "#!/no/such/interpreter", 0o755);
  for (const [file, code] of [
    ["/no/such/program", "ENOENT"],
    ["no-such-program", "ENOENT"],
    [dir, "EACCES"],
    [plain, "EACCES"],
    [broken, "ENOENT"],
  ] as const)
    await assert.rejects(spawner.spawn({ file, args: ["x"], cwd: "/", env, endsWithOwner }), {
      code,
      path: file,
      message: `spawn ${file} ${code}`,
    });
  await assert.rejects(
    spawner.spawn({ file: "true", args: [], cwd: "/no/such/directory", env, endsWithOwner }),
    /no such directory \/no\/such\/directory/,
  );
});

test("the name of a program may hold blanks and parentheses", () => {
  const fields = Array.from({ length: 40 }, (_, n) => n + 10).join(" ");
  const row = parseStat(`42 (a ) (Z) b) S 1 77 78 ${fields}`);
  assert.deepEqual(row, { pid: 42, parent: 1, group: 77, session: 78, zombie: false, start: "25" });
});

test("lines of ps are read with their start time", () => {
  const rows = parsePs(
    "  501     1   500      0 Ss   Mon Mar  2 10:00:01 2026\n    7   501     7      0 Z+   Mon Mar  2 10:00:02 2026\n",
  );
  assert.deepEqual(rows[0], {
    pid: 501,
    parent: 1,
    group: 500,
    session: 0,
    zombie: false,
    start: "Mon Mar 2 10:00:01 2026",
  });
  assert.equal(rows[1]?.zombie, true);
});

function shell(t: TestContext, script: string, more: Partial<SpawnSpec> = {}): Promise<Child> {
  return start(t, { file: "sh", args: ["-c", script], cwd: "/", env, ...more });
}

async function start(t: TestContext, spec: SpawnSpec): Promise<Child> {
  const child = await spawner.spawn(spec);
  t.after(async () => {
    await spawner.endGroup(child.pid, 0);
    await child.exited;
  });
  return child;
}

async function textOf(child: Child): Promise<string> {
  let text = "";
  child.onOutput((chunk) => {
    text += chunk.toString();
  });
  await child.closed;
  return text;
}

function firstLine(child: Child): Promise<string> {
  return new Promise((resolve) => child.onOutput((chunk) => resolve(chunk.toString().trim())));
}

/** The end of a process that is not our child is told by nothing; the shell's own exit makes this short. */
async function until(seen: () => boolean): Promise<void> {
  while (!seen()) await new Promise((resolve) => setImmediate(resolve));
}

function tempDir(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), "spawn-"));
  t.after(() => rmSync(dir, { recursive: true }));
  return dir;
}
