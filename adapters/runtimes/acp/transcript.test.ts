import assert from "node:assert/strict";
import { test } from "node:test";
import { recordingHost } from "../../../fixtures/agents/recording-host.js";
import { silentLog } from "../../../lib/base/log/log.js";
import { createTranscript } from "./transcript.js";

const chunk = (text: string, more: object = {}) => ({
  sessionUpdate: "agent_message_chunk",
  content: { type: "text", text },
  ...more,
});

async function told(updates: readonly unknown[]) {
  const host = recordingHost();
  const transcript = createTranscript({ host, log: silentLog, cwd: "/ws", mark: "m", used: new Map() });
  for (const update of updates) await transcript.update(update);
  const answer = await transcript.finish();
  return { host, answer, items: host.items, window: transcript.window() };
}

const SHELL = { toolCallId: "call:1", title: "ls", kind: "execute", rawInput: { command: ["ls", "-l"], cwd: "sub" } };

test("pieces of a message become one, with what was thought before it", async () => {
  const { items, answer } = await told([
    { sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "hm" } },
    chunk("hel"),
    chunk("lo"),
  ]);
  assert.deepEqual(items, [
    { key: "m/message/1", messages: [{ role: "assistant", content: "hello", reasoning: "hm" }] },
  ]);
  assert.equal(answer, "hello");
});

test("another message id begins another message", async () => {
  const { items, answer } = await told([chunk("one", { messageId: "a" }), chunk("two", { messageId: "b" })]);
  assert.deepEqual(
    items.map(({ messages }) => messages[0]?.content),
    ["one", "two"],
  );
  assert.equal(answer, "two");
});

test("a command is stored once, when it is over, with its exit code", async () => {
  const { items, host } = await told([
    chunk("I look."),
    { sessionUpdate: "tool_call", ...SHELL, status: "in_progress" },
    {
      sessionUpdate: "tool_call_update",
      toolCallId: "call:1",
      status: "completed",
      rawOutput: { exitCode: 2, stdout: "no" },
    },
    { sessionUpdate: "tool_call_update", toolCallId: "call:1", status: "failed" },
  ]);
  const call = { id: "acp_call_1", name: "exec_command", arguments: '{"command":"ls -l","cwd":"/ws/sub"}' };
  assert.deepEqual(items[1], {
    key: "m/call/call:1",
    messages: [
      { role: "assistant", content: "", toolCalls: [call] },
      { role: "tool", content: "[exit code 2]\nno", toolCallId: "acp_call_1", toolName: "exec_command", status: "ok" },
    ],
  });
  assert.equal(items.length, 2);
  assert.deepEqual(host.lives.at(-1), { kind: "called", callId: "acp_call_1", ok: true });
});

test("a file change names its files, relative ones below the directory", async () => {
  const { items } = await told([
    {
      sessionUpdate: "tool_call",
      toolCallId: "e",
      title: "Edit",
      kind: "edit",
      status: "completed",
      content: [
        { type: "diff", path: "new.txt", oldText: null, newText: "x" },
        { type: "diff", path: "/ws/old.txt", oldText: "a", newText: "b" },
      ],
    },
  ]);
  assert.deepEqual(items[0]?.changed, ["/ws/new.txt", "/ws/old.txt"]);
  assert.equal(items[0]?.messages[1]?.content, "completed: 2 changes");
  assert.match(items[0]?.messages[0]?.toolCalls?.[0]?.arguments ?? "", /"kind":"add","path":"\/ws\/new.txt"/);
});

test("an id that a program uses again is another call", async () => {
  const begin = { sessionUpdate: "tool_call", toolCallId: "1", title: "t", kind: "read", status: "completed" };
  const { items } = await told([begin, begin]);
  assert.deepEqual(
    items.map(({ key }) => key),
    ["m/call/1", "m/call/1/2"],
  );
  assert.deepEqual(
    items.map(({ messages }) => messages[1]?.toolCallId),
    ["acp_1", "acp_1_2"],
  );
});

test("a call that the end of its turn finds open is stored as interrupted", async () => {
  const { items } = await told([{ sessionUpdate: "tool_call", ...SHELL, status: "in_progress" }]);
  assert.equal(items[0]?.messages[1]?.status, "interrupted");
  assert.equal(items[0]?.messages[1]?.content, "[interrupted]");
});

test("the last plan is noted before the last message, and the window is kept", async () => {
  const plan = (status: string) => ({ sessionUpdate: "plan", entries: [{ content: "a", priority: "high", status }] });
  const { items, answer, host, window } = await told([
    plan("in_progress"),
    chunk("done"),
    plan("completed"),
    { sessionUpdate: "usage_update", used: 5, size: 1000 },
  ]);
  assert.deepEqual(
    items.map(({ messages }) => messages[0]?.content),
    ['[plan] [{"content":"a","status":"completed"}]', "done"],
  );
  assert.equal(answer, "done");
  assert.deepEqual(host.lives[0], { kind: "status", text: "plan: 0 of 1 done: a" });
  assert.equal(window, 1000);
});

test("updates of unknown kinds and forms add nothing", async () => {
  const { items } = await told([
    null,
    7,
    { sessionUpdate: "constructor" },
    { sessionUpdate: "tool_call" },
    { sessionUpdate: "tool_call_update", toolCallId: 5 },
    { sessionUpdate: "agent_message_chunk", content: "x" },
    { sessionUpdate: "plan", entries: "x" },
    { sessionUpdate: "user_message_chunk", content: { type: "text", text: "echo" } },
  ]);
  assert.deepEqual(items, []);
});

test("the same updates give the same items", async () => {
  const updates = [chunk("a"), { sessionUpdate: "tool_call", ...SHELL, status: "failed" }, chunk("b")];
  assert.equal(JSON.stringify((await told(updates)).items), JSON.stringify((await told(updates)).items));
});

test("a long id of a call is shortened and stays apart from others", async () => {
  const call = (id: string) => ({ sessionUpdate: "tool_call", toolCallId: id, title: "t", status: "completed" });
  const { items } = await told([call(`${"x".repeat(80)}1`), call(`${"x".repeat(80)}2`)]);
  const ids = items.map(({ messages }) => messages[1]?.toolCallId ?? "");
  assert.equal(new Set(ids).size, 2);
  assert.ok(ids.every((id) => id.length <= 64));
});

test("output that comes in pieces beside a call is its result, with the exit code", async () => {
  const update = (meta: object) => ({ sessionUpdate: "tool_call_update", toolCallId: "call:1", _meta: meta });
  const { items, host } = await told([
    { sessionUpdate: "tool_call", ...SHELL, status: "in_progress" },
    update({ terminal_output_delta: { data: "one\n" } }),
    update({ terminal_output_delta: { data: "two\n" } }),
    { ...update({ terminal_exit: { exit_code: 1 } }), status: "completed" },
  ]);
  assert.equal(items[0]?.messages[1]?.content, "[exit code 1]\none\ntwo\n");
  assert.deepEqual(
    host.lives.filter(({ kind }) => kind === "output").map((event) => ("text" in event ? event.text : "")),
    ["one\n", "two\n"],
  );
});

test("a command that fails while its turn is stopped was interrupted", async () => {
  const host = recordingHost();
  const transcript = createTranscript({ host, log: silentLog, cwd: "/ws", mark: "m", used: new Map() });
  await transcript.update({ sessionUpdate: "tool_call", ...SHELL, status: "in_progress" });
  assert.equal(transcript.runs(), true);
  transcript.stopped();
  await transcript.update({ sessionUpdate: "tool_call_update", toolCallId: "call:1", status: "failed" });
  assert.equal(transcript.runs(), false);
  assert.equal(host.items[0]?.messages[1]?.status, "interrupted");
});

test("a message that is too long says how many characters are missing, in however many pieces it came", async () => {
  const limit = 1 << 20;
  const { answer } = await told([chunk("x".repeat(limit - 1)), chunk("yz"), chunk("z".repeat(10))]);
  assert.equal(answer.slice(limit - 1), "y\n[... 11 more characters]");
});
