import assert from "node:assert/strict";
import { test } from "node:test";
import type { Clock } from "../../base/time/clock.js";
import { systemClock } from "../../base/time/clock.js";
import type { ChatMessage, ModelEvent, ModelRequest, ToolSchema } from "../../contracts/models/model.js";
import { offlineProvider } from "./provider.js";
import { describeAssistant } from "./texts.js";

const NOON: Clock = { ...systemClock, now: () => Date.UTC(2026, 2, 29, 12, 30, 5) };
const TOOLS = [
  "search_files",
  "read_file",
  "write_file",
  "patch",
  "terminal",
  "session_search",
  "memory",
  "todo",
  "web_extract",
  "clarify",
];
const BOARD = [...TOOLS, "kanban_create", "kanban_list"];
const WORKER = [...TOOLS, "kanban_show", "kanban_complete", "kanban_block"];

const CALLS: readonly (readonly [
  asked: string,
  calls: readonly (readonly [tool: string, args: Record<string, unknown>])[],
])[] = [
  ["list files", [["search_files", { pattern: "*", target: "files" }]]],
  ["List the files in src", [["search_files", { pattern: "*", target: "files", path: "src" }]]],
  ["find files *.ts", [["search_files", { pattern: "*.ts", target: "files" }]]],
  ["read a.txt", [["read_file", { path: "a.txt" }]]],
  ['show "my file.txt"', [["read_file", { path: "my file.txt" }]]],
  ["write hello.txt: hello there", [["write_file", { path: "hello.txt", content: "hello there" }]]],
  ["create hello.txt with hello", [["write_file", { path: "hello.txt", content: "hello" }]]],
  ['Create a file named a.txt with "one\\ntwo"', [["write_file", { path: "a.txt", content: "one\ntwo" }]]],
  ["write a.txt: first then second", [["write_file", { path: "a.txt", content: "first then second" }]]],
  ["First, please write a.txt: x", [["write_file", { path: "a.txt", content: "x" }]]],
  ["- then read a.txt", [["read_file", { path: "a.txt" }]]],
  [
    "replace foo with bar in a.txt",
    [["patch", { mode: "replace", path: "a.txt", old_string: "foo", new_string: "bar" }]],
  ],
  ["search TODO in lib", [["search_files", { pattern: "TODO", target: "content", path: "lib" }]]],
  ["grep needle", [["search_files", { pattern: "needle", target: "content" }]]],
  ["run echo 'a then b'", [["terminal", { command: "echo 'a then b'" }]]],
  ["$ ls -la", [["terminal", { command: "ls -la" }]]],
  ["run `true`", [["terminal", { command: "true" }]]],
  ["what did we say about zebras?", [["session_search", { query: "zebras" }]]],
  ["search sessions zebra", [["session_search", { query: "zebra" }]]],
  ["remember that tea is at five", [["memory", { action: "add", target: "memory", content: "tea is at five" }]]],
  ["forget tea", [["memory", { action: "remove", target: "memory", old_text: "tea" }]]],
  ["add task write the page for writer", [["kanban_create", { title: "write the page", assignee: "writer" }]]],
  ["add task clean up", [["kanban_create", { title: "clean up", assignee: "default" }]]],
  ["list tasks", [["kanban_list", {}]]],
  ["open https://example.com/x", [["web_extract", { urls: ["https://example.com/x"] }]]],
  ["ask me tea, coffee or water", [["clarify", { question: "Which one?", choices: ["tea", "coffee", "water"] }]]],
  [
    "read a.txt and read b.txt",
    [
      ["read_file", { path: "a.txt" }],
      ["read_file", { path: "b.txt" }],
    ],
  ],
  [
    "read a.txt and b.txt",
    [
      ["read_file", { path: "a.txt" }],
      ["read_file", { path: "b.txt" }],
    ],
  ],
];

for (const [asked, calls] of CALLS) {
  test(`"${asked}" calls ${calls.map(([tool]) => tool).join(" and ")}`, async () => {
    const done = await ask(user(asked), BOARD);
    assert.deepEqual(
      done.toolCalls.map((call) => [call.name, JSON.parse(call.arguments)]),
      calls,
    );
    assert.equal(done.finish, "tool_calls");
  });
}

const SAYS: readonly (readonly [asked: string, answer: string])[] = [
  ["2 + 3 * 4", "2 + 3 * 4 = 14"],
  ["what is (1.5 - 4) / -2?", "(1.5 - 4) / -2 = 1.25"],
  ["0.1+0.2", "0.1+0.2 = 0.3"],
  ["1/0", "That divides by zero."],
  ["time", "It is 12:30:05 UTC."],
  ["what date is it", "It is Sunday, 2026-03-29 (UTC)."],
  ["count to 3", "1\n2\n3"],
  ["count to 20001", "I count to 20000 at most."],
];

for (const [asked, answer] of SAYS) {
  test(`"${asked}" is answered without a tool`, async () => {
    const done = await ask([...user("hello"), { role: "assistant", content: "x" }, ...user(asked)], BOARD);
    assert.equal(done.content, answer);
    assert.deepEqual(done.toolCalls, []);
  });
}

test("the first answer says what answers here and how to get a real model", async () => {
  const done = await ask(user("2+2"), TOOLS);
  assert.ok(done.content.startsWith("2+2 = 4\n\n"));
  assert.ok(
    done.content.includes("no language model") &&
      done.content.includes("agent setup") &&
      done.content.includes("11434"),
  );
});

test("only what its tools can do is offered", async () => {
  const done = await ask(user("help"), ["read_file", "terminal"]);
  assert.match(done.content, /read FILE[\s\S]*run COMMAND/);
  assert.doesNotMatch(done.content, /remember TEXT|open URL|todo|add task|ask me/);
});

test("what is not understood is named, with the list of what is", async () => {
  const done = await ask(
    [...user("hello"), { role: "assistant", content: "x" }, ...user("write me a poem about rain")],
    TOOLS,
  );
  assert.ok(done.content.startsWith("I don't understand: write me a poem about rain"));
  assert.ok(done.content.endsWith(describeAssistant(new Set(TOOLS))));
});

test("steps run one after the other and the answer shows each result", async () => {
  const messages: ChatMessage[] = [
    { role: "user", content: "hi" },
    { role: "assistant", content: "x" },
    ...user("write a.txt: one then read a.txt"),
  ];
  const first = await ask(messages, TOOLS);
  assert.deepEqual(
    first.toolCalls.map((call) => call.name),
    ["write_file"],
  );
  messages.push(...round(first, ['{"bytes_written": 3}']));
  const second = await ask(messages, TOOLS);
  assert.deepEqual(
    second.toolCalls.map((call) => call.name),
    ["read_file"],
  );
  assert.notEqual(second.toolCalls[0]?.id, first.toolCalls[0]?.id);
  messages.push(...round(second, ['{"content": "1|one", "total_lines": 1}']));
  assert.equal((await ask(messages, TOOLS)).content, "Wrote a.txt (3 bytes).\n\none");
});

test("a failed call is reported with its error", async () => {
  const messages: ChatMessage[] = [...user("hi"), { role: "assistant", content: "x" }, ...user("read nope.txt")];
  messages.push(...round(await ask(messages, TOOLS), ['{"error": "File not found: nope.txt"}']));
  assert.equal((await ask(messages, TOOLS)).content, "read_file failed: File not found: nope.txt");
});

test("done N keeps the text of the item", async () => {
  const messages: ChatMessage[] = user("todo milk; bread");
  const made = await ask(messages, TOOLS);
  messages.push(
    ...round(made, [`{"todos": ${JSON.stringify(JSON.parse(made.toolCalls[0]?.arguments ?? "{}").todos)}}`]),
  );
  messages.push({ role: "assistant", content: "ok" }, ...user("done 2"));
  const done = await ask(messages, TOOLS);
  assert.deepEqual(JSON.parse(done.toolCalls[0]?.arguments ?? ""), {
    merge: true,
    todos: [{ content: "bread", id: "2", status: "completed" }],
  });
});

test("the same conversation gives the same bytes", async () => {
  const messages = user("count to 500 then list files");
  assert.deepEqual(await events(messages, TOOLS), await events(messages, TOOLS));
});

test("a tool that is not offered is named instead of called", async () => {
  const done = await ask(user("add task x"), TOOLS);
  assert.ok(done.content.startsWith("I can't do that: the kanban_create tool isn't available here."));
});

test("without tools after a tool round it sums up what was found", async () => {
  const messages: ChatMessage[] = [...user("hi"), { role: "assistant", content: "x" }, ...user("read a.txt")];
  messages.push(...round(await ask(messages, TOOLS), ['{"content": "1|one"}']), ...user("Sum up now."));
  assert.equal((await ask(messages, [])).content, "one");
});

test("an interrupt ends a long count at once", async () => {
  const control = new AbortController();
  const seen: ModelEvent[] = [];
  for await (const event of offlineProvider(NOON).stream(requestOf(user("count to 20000"), TOOLS), control.signal)) {
    seen.push(event);
    if (seen.length === 10) control.abort();
  }
  const last = seen.at(-1);
  assert.ok(last?.type === "failed" && last.failure.class === "aborted");
  assert.equal(last.partial, "1\n2\n3\n4\n5\n6\n7\n8\n9\n10");
});

test("a board worker shows its task, does the lines it understands and completes it", async () => {
  const messages: ChatMessage[] = user("work on the task");
  const show = await ask(messages, WORKER);
  assert.deepEqual(
    show.toolCalls.map((call) => call.name),
    ["kanban_show"],
  );
  const body = "Please be quick.\n- write hello.txt: hello\n- run true";
  messages.push(...round(show, [JSON.stringify({ task: { id: "t_00000001", title: "greet", body } })]));
  const write = await ask(messages, WORKER);
  assert.deepEqual(
    write.toolCalls.map((call) => call.name),
    ["write_file"],
  );
  messages.push(...round(write, ['{"bytes_written": 5}']));
  const run = await ask(messages, WORKER);
  assert.deepEqual(
    run.toolCalls.map((call) => call.name),
    ["terminal"],
  );
  messages.push(...round(run, ['{"output": "", "exit_code": 0, "error": null}']));
  const complete = await ask(messages, WORKER);
  assert.deepEqual(
    complete.toolCalls.map((call) => call.name),
    ["kanban_complete"],
  );
  const summary = String(JSON.parse(complete.toolCalls[0]?.arguments ?? "").summary);
  assert.ok(
    summary.startsWith("wrote hello.txt; ran true") && summary.includes("not understood: Please be quick."),
    summary,
  );
  messages.push(...round(complete, ['{"ok": true}']));
  assert.equal((await ask(messages, WORKER)).content, "The task is settled.");
});

test("a board worker blocks a task of which it understands nothing", async () => {
  const messages: ChatMessage[] = user("work on the task");
  messages.push(
    ...round(await ask(messages, WORKER), [JSON.stringify({ task: { title: "improve morale", body: null } })]),
  );
  const end = await ask(messages, WORKER);
  assert.equal(end.toolCalls[0]?.name, "kanban_block");
  assert.ok(end.toolCalls[0]?.arguments.includes("improve morale"));
});

test("a board worker blocks a task whose step failed", async () => {
  const messages: ChatMessage[] = user("work on the task");
  messages.push(...round(await ask(messages, WORKER), [JSON.stringify({ task: { title: "x", body: "run false" } })]));
  messages.push(...round(await ask(messages, WORKER), ['{"output": "", "exit_code": 1, "error": null}']));
  const end = await ask(messages, WORKER);
  assert.equal(end.toolCalls[0]?.name, "kanban_block");
  assert.ok(end.toolCalls[0]?.arguments.includes("exit code 1"));
});

const user = (content: string): ChatMessage[] => [{ role: "user", content }];

function requestOf(messages: readonly ChatMessage[], tools: readonly string[]): ModelRequest {
  const schemas: ToolSchema[] = tools.map((name) => ({ name, description: "", parameters: {} }));
  return { requestId: "r", model: "offline-1", messages, tools: schemas };
}

async function events(messages: readonly ChatMessage[], tools: readonly string[]): Promise<ModelEvent[]> {
  const seen: ModelEvent[] = [];
  const signal = new AbortController().signal;
  for await (const event of offlineProvider(NOON).stream(requestOf(messages, tools), signal)) seen.push(event);
  return seen;
}

type Done = Extract<ModelEvent, { type: "done" }>;

async function ask(messages: readonly ChatMessage[], tools: readonly string[]): Promise<Done> {
  const last = (await events(messages, tools)).at(-1);
  assert.ok(last?.type === "done");
  return last;
}

/** The assistant message and the results of its calls. */
function round(done: Done, results: readonly string[]): ChatMessage[] {
  return [
    { role: "assistant", content: done.content, toolCalls: done.toolCalls },
    ...done.toolCalls.map(
      (call, n): ChatMessage => ({ role: "tool", toolCallId: call.id, name: call.name, content: results[n] ?? "{}" }),
    ),
  ];
}
