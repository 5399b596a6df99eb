import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { distFile } from "../../base/fs/dist.js";
import { systemSpawner as spawner } from "../../base/process/spawn-system.js";
import { startRunner, type WorkerRunner } from "./runner.js";
import { type ExitRecord, parseLine, type RunnerOrder } from "./runner-messages.js";

const ends = [
  { title: "exit code", script: "exit 3", record: { code: 3, signal: null } },
  { title: "signal", script: "kill -KILL $$", record: { code: null, signal: "SIGKILL" } },
  { title: "exit code that looks like a signal", script: "exit 143", record: { code: 143, signal: null } },
];

for (const { title, script, record } of ends) {
  test(`the ${title} of a worker is recorded`, async (t) => {
    const { order, start } = setup(t, script);
    const runner = await start();
    runner.go(order);
    assert.deepEqual(await runner.answer, { started: true });
    await runner.child.exited;
    const { ended_at, ...rest } = recorded(order);
    assert.deepEqual(rest, record);
    assert.ok(Math.abs(ended_at - Date.now() / 1000) < 60);
    assert.equal(statSync(order.exit).mode & 0o777, 0o600);
  });
}

test("nothing of the worker runs before go, and nothing at all when the owner goes away", async (t) => {
  const { dir, start } = setup(t, "touch started");
  const runner = await start();
  runner.abandon();
  assert.deepEqual(await runner.child.exited, { code: 0, signal: null });
  assert.ok(!existsSync(join(dir, "started")));
});

test("the log gets the header and then both streams of the worker", async (t) => {
  const { order, start } = setup(t, "echo out; echo err >&2");
  const runner = await start();
  runner.go(order);
  await runner.child.exited;
  assert.equal(readFileSync(order.log, "utf8"), "=== run 1 ===\nout\nerr\n");
});

test("a program that cannot be started is reported and recorded", async (t) => {
  const { order, start } = setup(t, "", "/nonexistent");
  const runner = await start();
  runner.go(order);
  const answer = await runner.answer;
  assert.match(answer.started ? "" : answer.error, /cannot start \/nonexistent: .*ENOENT/);
  await runner.child.exited;
  assert.match(recorded(order).start_error ?? "", /nonexistent/);
});

test("what the worker leaves in the group ends with it, also what ignores SIGTERM or stands still", async (t) => {
  const { order, start } = setup(t, `(trap '' TERM; while :; do sleep 1; done) & sleep 30 & kill -STOP $!; exit 0`);
  const runner = await start();
  runner.go(order);
  await runner.child.exited;
  assert.deepEqual(spawner.members(runner.child.pid), []);
});

test("SIGTERM to the group ends the worker; the runner records how", async (t) => {
  const { dir, order, start } = setup(t, "trap 'exit 143' TERM; echo up > up; while :; do sleep 0.01; done");
  const runner = await start();
  runner.go(order);
  await until(() => existsSync(join(dir, "up")));
  spawner.signal({ group: runner.child.pid }, "SIGTERM");
  await runner.child.exited;
  assert.equal(recorded(order).code, 143);
});

test("the class that a worker reported for itself is in the record", async (t) => {
  const { order, start } = setup(t, 'echo \'{"class":"throttled"}\' > report; exit 75');
  const runner = await start();
  runner.go(order);
  await runner.child.exited;
  assert.equal(recorded(order).error_class, "throttled");
});

test("a worker goes on when its owner is gone", async (t) => {
  const { dir, order, start } = setup(t, "read line < gate; echo late >&2; exit 5");
  const gate = join(dir, "gate");
  execFileSync("mkfifo", [gate]);
  const runner = await start();
  runner.go(order);
  await runner.answer;
  runner.abandon();
  await writeFile(gate, "go\n"); // opens when the worker reads
  await runner.child.exited;
  assert.equal(recorded(order).code, 5);
});

function setup(t: TestContext, script: string, file = "sh") {
  const dir = mkdtempSync(join(tmpdir(), "runner-"));
  const path = (name: string) => join(dir, name);
  const order: RunnerOrder = {
    file,
    args: ["-c", script],
    cwd: dir,
    env: { PATH: process.env["PATH"] ?? "" },
    log: path("log"),
    header: "=== run 1 ===",
    exit: path("exit"),
    report: path("report"),
    graceMs: 100,
  };
  const program = { file: process.execPath, args: [distFile("runner.cjs")] };
  const start = async (): Promise<WorkerRunner> => {
    const runner = await startRunner(spawner, program, { log: order.log, env: {} });
    t.after(() => spawner.endGroup(runner.child.pid, 0));
    return runner;
  };
  t.after(() => rmSync(dir, { recursive: true }));
  return { dir, order, start };
}

function recorded(order: RunnerOrder): ExitRecord {
  const record = parseLine<ExitRecord>(readFileSync(order.exit, "utf8"));
  assert.ok(record);
  return record;
}

async function until(seen: () => boolean): Promise<void> {
  while (!seen()) await new Promise((resolve) => setImmediate(resolve));
}
