import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { bench } from "../../../fixtures/worlds/tool-context.js";
import process_ from "./process.js";
import { processesOf } from "./registry.js";
import terminal from "./terminal.js";

test("a background process is started, watched, waited for and its output kept", async (t) => {
  const { json, context } = bench(t);
  const started = await json(terminal, { command: "echo one; echo two; exit 3", background: true });
  assert.equal(started["output"], "Background process started");
  const id = String(started["session_id"]);
  assert.match(id, /^proc_[0-9a-f]{12}$/);
  const ended = await json(process_, { action: "wait", session_id: id });
  assert.deepEqual(
    [ended["status"], ended["exit_code"], ended["output"], ended["completion_reason"]],
    ["exited", 3, "one\ntwo\n", "exited"],
  );
  const log = await json(process_, { action: "log", session_id: id, limit: 1 });
  assert.deepEqual(log, { output: "two", total_lines: 2, showing: "lines 2-2 of 2" });
  const dir = join(context.home.cache, "processes", context.session);
  assert.equal(readFileSync(join(dir, readdirSync(dir)[0] ?? ""), "utf8"), "one\ntwo\n");
});

test("a process is killed with its children, and killing it again says so", async (t) => {
  const { json } = bench(t);
  const id = (await json(terminal, { command: "bash -c 'sleep 60' ; true", background: true }))["session_id"];
  assert.equal((await json(process_, { action: "poll", session_id: id }))["status"], "running");
  assert.equal((await json(process_, { action: "kill", session_id: id }))["status"], "killed");
  assert.equal((await json(process_, { action: "kill", session_id: id }))["status"], "already_exited");
  const listed = (await json(process_, { action: "list" }))["processes"] as Record<string, unknown>[];
  assert.deepEqual([listed[0]?.["completion_reason"], listed[0]?.["termination_source"]], ["terminated", "agent"]);
});

test("lines are sent to a process, and its input is closed", async (t) => {
  const { json } = bench(t);
  const id = (await json(terminal, { command: "cat", background: true }))["session_id"];
  await json(process_, { action: "write", session_id: id, data: "a" });
  await json(process_, { action: "submit", session_id: id, data: "b" });
  await json(process_, { action: "close", session_id: id });
  assert.equal((await json(process_, { action: "wait", session_id: id }))["output"], "ab\n");
});

test("what is sent to a shell is asked about as a command", async (t) => {
  const { json, asked } = bench(t);
  const id = (await json(terminal, { command: "bash", background: true }))["session_id"];
  await json(process_, { action: "submit", session_id: id, data: "rm -rf /" });
  assert.deepEqual([asked.at(-1)?.kind, asked.at(-1)?.command], ["command", "rm -rf /"]);
  await json(process_, { action: "kill", session_id: id });
});

test("what is sent to a client with commands of its own is asked about as its input", async (t) => {
  const { json, asked } = bench(t);
  const id = (await json(terminal, { command: "ed", background: true }))["session_id"];
  await json(process_, { action: "submit", session_id: id, data: "!touch x" });
  assert.deepEqual([asked.at(-1)?.kind, asked.at(-1)?.command], ["command", "ed <<'EOF'\n!touch x\nEOF"]);
  await json(process_, { action: "kill", session_id: id });
});

test("the end is reported once, unless it was seen", async (t) => {
  const { json, context } = bench(t);
  const notices: string[] = [];
  processesOf(context.state, context.ports.spawner).hooks = {
    redact: (text) => text,
    notify: (text) => notices.push(text),
  };
  const id = String(
    (await json(terminal, { command: "echo hi", background: true, notify_on_complete: true }))["session_id"],
  );
  await processesOf(context.state, context.ports.spawner).all.get(id)?.done;
  assert.equal(notices.length, 1);
  assert.match(notices[0] ?? "", /finished: exit code 0 \(completed\)\. Command: echo hi Output: hi/);
});

test("a line with a pattern is reported", async (t) => {
  const { json, context } = bench(t);
  const notices: string[] = [];
  processesOf(context.state, context.ports.spawner).hooks = {
    redact: (text) => text,
    notify: (text) => notices.push(text),
  };
  const id = String(
    (await json(terminal, { command: "echo up; echo ready on 80", background: true, watch_patterns: ["ready"] }))[
      "session_id"
    ],
  );
  await processesOf(context.state, context.ports.spawner).all.get(id)?.done;
  assert.match(notices[0] ?? "", /printed "ready":\nready on 80/);
});

test("an unknown id is reported as such", async (t) => {
  assert.equal((await bench(t).json(process_, { action: "poll", session_id: "proc_0" }))["status"], "not_found");
});
