import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { eventually } from "../../fixtures/e2e/eventually.js";
import { cpuOf, processesWith } from "./processes.js";
import { watchRunner, whenStill } from "./standstill.js";

test("a program that stands still is noticed, also behind the script that started it, and one at work is left alone", {
  skip: process.platform !== "linux",
}, async (t) => {
  const program = (work: string) => {
    const script = `require("node:child_process").spawnSync(process.execPath, ["-e", ${JSON.stringify(work)}])`;
    const child = spawn(process.execPath, ["-e", script], { detached: true, stdio: "ignore" });
    const { pid = 0 } = child;
    t.after(() => process.kill(-pid, "SIGKILL"));
    return pid;
  };
  const stood: string[] = [];
  const busy = program("for (;;) {}");
  const idle = program("setInterval(() => undefined, 1e6)");
  for (const [name, pid] of Object.entries({ busy, idle })) t.after(whenStill(pid, () => stood.push(name), 1_500, 50));
  await eventually(() => stood.length > 0);
  assert.deepEqual(stood, ["idle"]);
  assert.ok((cpuOf(idle) ?? 0) > 0);
});

/** Files of tests, as the runner gets them. */
const FILES = {
  waits: 'require("node:test").test("waits for ever", () => new Promise(() => setInterval(() => undefined, 1e6)));',
  leaves: `require("node:test").test("leaves somebody", () =>
    require("node:child_process").spawn("sleep", ["1000"], { stdio: "inherit", detached: true }).unref());`,
  passes: 'require("node:test").test("passes", () => undefined);',
};

test("a file of tests that stands still, and what holds its output open after its end, are reported and ended; the others pass", {
  skip: process.platform !== "linux",
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "standstill-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const files = Object.entries(FILES).map(([name, text]) => {
    writeFileSync(join(folder, `${name}.cjs`), text);
    return join(folder, `${name}.cjs`);
  });
  const mark = ["AGENT_TEST_RUN", folder] as const;
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn(process.execPath, ["--test", "--test-reporter=tap", ...files], {
    env: { ...env, [mark[0]]: mark[1] },
    detached: true,
  });
  let said = "";
  let shown = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    shown += text;
  });
  assert.ok(child.pid);
  const stop = watchRunner(child.pid, {
    mark: mark.join("="),
    stillMs: 1_500,
    lookMs: 50,
    say: (text) => (said += text),
  });
  await new Promise((resolve) => child.on("close", resolve));
  assert.equal(stop(), 2, said);
  assert.match(
    said,
    /stood still for 1500 ms:\n {2}\d+ .*waits\.cjs: [\d.]+ s of processor\n {4}(?:node|MainThread) S /,
  );
  assert.match(said, /its test has ended and the output is still open:\n {2}\d+ sleep 1000: 0 s of processor/);
  assert.match(shown, /# pass 2\n# fail 1\n/);
});

test("what was running when the run is cut off is reported and ended, also what has left the runner", {
  skip: process.platform !== "linux",
}, async () => {
  const mark = `AGENT_TEST_RUN=cut-${process.pid}`;
  const env = { AGENT_TEST_RUN: `cut-${process.pid}` };
  const script =
    'require("node:child_process").spawn("sleep", ["1001"], { detached: true }).unref(); setInterval(() => undefined, 1e6);';
  const child = spawn(process.execPath, ["-e", script], { env, stdio: "ignore", detached: true });
  await eventually(() => processesWith(mark).length === 2);
  let said = "";
  assert.ok(child.pid);
  const stop = watchRunner(child.pid, { mark, stillMs: 60_000, say: (text) => (said += text) });
  process.emit("SIGTERM", "SIGTERM");
  await eventually(() => processesWith(mark).length === 0);
  assert.equal(stop(), 1);
  assert.match(said, /^ended, because SIGTERM came:\n {2}\d+ .* -e /);
});
