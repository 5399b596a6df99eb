import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { acpRuntime } from "../../../fixtures/agents/acp-world.js";
import { recordingHost, turnOf } from "../../../fixtures/agents/recording-host.js";

test("agent acp works turns of another agent, and goes on with its session after a restart", async (t) => {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), "own-agent-")));
  const program = [process.execPath, resolve("dist/agent.cjs"), "acp"];
  const command = ["env", `AGENT_HOME=${join(cwd, "home")}`, ...program];
  const runtime = acpRuntime(t, { command, cwd });
  // After the program has ended: until then it writes its home.
  t.after(() => rmSync(cwd, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }));
  const host = recordingHost();
  const never = new AbortController().signal;
  const first = await runtime.turn(turnOf("hello"), host, never);
  assert.equal(first.status, "completed", first.error?.message ?? "");
  assert.notEqual(first.answer, "");
  await runtime.close();
  const [thread = ""] = host.threads;
  const second = await runtime.turn(turnOf("again", { thread }), host, never);
  assert.equal(second.status, "completed", second.error?.message ?? "");
  assert.deepEqual(host.threads, [thread, thread]);
  assert.equal(host.items.length, 2);
});
