import assert from "node:assert/strict";
import { test } from "node:test";
import { proves } from "../../../fixtures/requirements.js";
import { callIdOf, createProjector } from "./items.js";

const STREAM: readonly Record<string, unknown>[] = [
  { type: "userMessage", id: "u1", content: [{ type: "text", text: "hi" }] },
  { type: "reasoning", id: "r1", summary: ["first", "second"], content: [] },
  {
    type: "commandExecution",
    id: "c1",
    command: "false",
    cwd: "/w",
    status: "failed",
    aggregatedOutput: "no\n",
    exitCode: 1,
  },
  { type: "commandExecution", id: "c2", command: "rm x", cwd: "/w", status: "declined", aggregatedOutput: null },
  {
    type: "fileChange",
    id: "f1",
    status: "completed",
    changes: [{ path: "/w/a", kind: { type: "add" }, diff: "x" }],
  },
  {
    type: "mcpToolCall",
    id: "m1",
    server: "files",
    tool: "read.file",
    arguments: { b: 1, a: 2 },
    status: "completed",
    result: { content: [{ type: "text", text: "y" }], structuredContent: null },
  },
  {
    type: "mcpToolCall",
    id: "m2",
    server: "files",
    tool: "read",
    arguments: {},
    status: "failed",
    error: { message: "gone" },
  },
  { type: "dynamicToolCall", id: "d1", tool: "t", arguments: {}, contentItems: [], success: false },
  {
    type: "userMessage",
    id: "u2",
    content: [
      { type: "text", text: "also" },
      { type: "localImage", path: "/p" },
    ],
  },
  { type: "somethingNew", id: "s1", startedAtMs: 5, value: { z: 1, a: "x".repeat(2_000) } },
  { type: "agentMessage", id: "a1", text: "done" },
];

const project = () => {
  const projector = createProjector();
  const items = STREAM.flatMap((item) => projector.project(item) ?? []);
  return { items, answer: projector.answer() };
};

test("finished items become messages, each kind in its form, and unknown ones notes", (t) => {
  proves(t, "appserver.items");
  const { items, answer } = project();
  const messages = items.flatMap((item) => item.messages);
  assert.equal(answer, "done");
  assert.deepEqual(
    items.map(({ key }) => key),
    ["c1", "c2", "f1", "m1", "m2", "d1", "u2", "s1", "a1"],
    "the echo of the input and reasoning are no messages of their own",
  );
  assert.equal(messages[0]?.reasoning, "first\n\nsecond");
  assert.equal(messages[0]?.toolCalls?.[0]?.arguments, '{"command":"false","cwd":"/w"}');
  const results = messages.filter(({ role }) => role === "tool").map(({ content, status }) => [content, status]);
  assert.deepEqual(results.slice(0, 3), [
    ["[exit code 1]\nno\n", "error"],
    ["[declined by user]", "denied"],
    ["completed: 1 file", "ok"],
  ]);
  assert.deepEqual(results.slice(3), [
    ['{"content":[{"text":"y","type":"text"}]}', "ok"],
    ["[error] gone", "error"],
    ["[error] []", "error"],
  ]);
  assert.deepEqual(items[2]?.changed, ["/w/a"]);
  assert.equal(messages.find(({ role }) => role === "user")?.content, "also\n[image attached]");
  const note = messages.find(({ content }) => content.startsWith("[app-server somethingNew] "));
  assert.equal(note?.role, "assistant");
  assert.equal(note?.content.length, "[app-server somethingNew] ".length + 1_500);
});

test("the same stream projected twice has the same ids and bytes", (t) => {
  proves(t, "appserver.call-ids");
  assert.equal(JSON.stringify(project().items), JSON.stringify(project().items));
  assert.equal(callIdOf("exec", "call_5"), "as_exec_call_5");
  assert.equal(callIdOf("mcp_my server_read.file", "é"), "as_mcp_my_server_read_file__");
  const long = callIdOf("exec", "x".repeat(100));
  assert.equal(long.length, 64);
  assert.match(long, /_[0-9a-f]{8}$/);
  assert.notEqual(long, callIdOf("exec", `${"x".repeat(99)}y`));
});
