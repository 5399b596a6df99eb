import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { key, openScreen } from "../../fixtures/tui/screen.js";
import { displayAtFirst } from "../app/display.js";
import type { Message } from "../model/messages.js";
import { roundIn, toItems } from "./items.js";
import { onlyLooked, toolRows } from "./look/tool.js";
import { resultOf } from "./results.js";
import type { ChatItem, ToolItem } from "./state.js";

const chat = (event: string, data: Readonly<Record<string, unknown>> = {}): Message => ({ type: "chat", event, data });
const assistant = (id: number, calls: readonly string[], created_at = "1970-01-01T00:00:00.000Z") => ({
  id,
  role: "assistant",
  content: "",
  created_at,
  tool_calls: calls.map((command, at) => ({
    id: `call_${at}`,
    name: "terminal",
    arguments: JSON.stringify({ command }),
  })),
});
const result = (id: number, call: string, output: string) => ({
  id,
  role: "tool",
  tool_call_id: call,
  tool_name: "terminal",
  status: "ok",
  duration_ms: 5,
  content: JSON.stringify({ output, exit_code: 0 }),
});

async function setup(t: TestContext) {
  const made = await openScreen(100, 30, "none");
  t.after(made.close);
  made.at(1_000, 2_000_000);
  await made.send({ type: "session", id: "s", title: "", model: "m", items: [], fresh: true });
  return { ...made, shown: async (...messages: Message[]) => (await made.send(...messages)).join("\n") };
}

/** What the owner tells of one answer with calls. */
const round = (id: number, commands: readonly string[]): readonly Message[] => [
  chat("message.added", assistant(id, commands)),
  ...commands.map((command, at) => chat("tool.started", { call_id: `call_${at}`, name: "terminal", preview: command })),
  ...commands.flatMap((command, at) => [
    chat("tool.ended", {
      call_id: `call_${at}`,
      name: "terminal",
      status: "ok",
      duration_ms: 5,
      preview: `out of ${command}`,
    }),
    chat("message.added", result(id + 1 + at, `call_${at}`, `out of ${command}`)),
  ]),
];

test("a server that numbers the calls of each answer from 0 gets a row for every call", async (t) => {
  const { shown, state } = await setup(t);
  const screen = await shown(
    chat("turn.started"),
    ...round(10, ["one", "two"]),
    ...round(20, ["three", "four"]),
    ...round(30, ["five"]),
  );
  for (const command of ["one", "two", "three", "four", "five"])
    assert.match(screen, new RegExp(`✓ terminal ${command} `));
  const texts = state().chat.items.flatMap((item) => (item.kind === "tool" ? [item.result?.text] : []));
  assert.deepEqual(texts, ["out of one", "out of two", "out of three", "out of four", "out of five"]);
});

/** What an item of the conversation is about. */
const aboutOf = (item: ChatItem): string =>
  item.kind === "tool" ? item.preview : "text" in item ? item.text : item.kind;
const MODEL_SAYS = { ...assistant(10, ["one", "two"]), content: "I look first.", reasoning: "Where is it?" };
const ORDER = ["Where is it?", "I look first.", "one", "two"];
const STREAMS: readonly (readonly [what: string, before: readonly Message[]])[] = [
  ["of which nothing streamed", []],
  ["whose thinking streamed", [chat("reasoning.delta", { text: "Where" })]],
  [
    "whose thinking streamed, with a notice behind it",
    [chat("reasoning.delta", { text: "Where" }), chat("tool.generating"), chat("notice", { text: "" })],
  ],
  [
    "that streamed",
    [chat("reasoning.delta", { text: "Where is it?" }), chat("text.delta", { text: "I look", offset: 0 })],
  ],
];

for (const [what, before] of STREAMS)
  test(`a message with calls ${what} stands above its calls, as it does when it is read`, async (t) => {
    const { shown, state } = await setup(t);
    await shown(
      chat("turn.started"),
      chat("turn.phase", { phase: "waiting_model" }),
      ...before,
      chat("message.added", MODEL_SAYS),
    );
    await shown(...round(10, ["one", "two"]).slice(1));
    const told = state().chat.items.filter(({ kind }) => kind !== "notice");
    assert.deepEqual(told.map(aboutOf), ORDER);
    assert.deepEqual(toItems([MODEL_SAYS]).map(aboutOf), ORDER);
  });

test("thinking before calls without a word is shown, whether it streamed or not", async (t) => {
  const { shown, state } = await setup(t);
  await shown(
    chat("turn.started"),
    chat("message.added", { ...MODEL_SAYS, content: "" }),
    ...round(10, ["one", "two"]).slice(1),
  );
  assert.deepEqual(state().chat.items.map(aboutOf), ["Where is it?", "one", "two"]);
});

test("F2 and o show the output of the last call, whatever was said behind it", async (t) => {
  const { shown, state } = await setup(t);
  const said = chat("message.added", { id: 40, role: "assistant", content: "That is all." });
  await shown(chat("turn.started"), ...round(10, ["one"]), ...round(20, ["two"]), said, chat("turn.ended"), key("f2"));
  assert.match(await shown({ type: "text", text: "o" }), /│ out of two[\s\S]*That is all/);
  assert.equal(state().message, undefined);
});

test("stored calls whose ids come again each have their own result", () => {
  const messages = [
    assistant(1, ["one"]),
    result(2, "call_0", "first"),
    assistant(3, ["two"]),
    result(4, "call_0", "second"),
  ];
  const texts = toItems(messages).flatMap((item) => (item.kind === "tool" ? [[item.preview, item.result?.text]] : []));
  assert.deepEqual(texts, [
    ["one", "first"],
    ["two", "second"],
  ]);
});

test("rows that were read are the rows that were told: a call that goes on is not shown twice", async (t) => {
  const { shown, state } = await setup(t);
  const messages = [assistant(7, ["sleep 9"], new Date(1_997_000).toISOString())];
  await shown({
    type: "session",
    id: "s",
    title: "",
    model: "m",
    items: toItems(messages, true),
    round: roundIn(messages),
  });
  await shown(chat("tool.started", { call_id: "call_0", name: "terminal", preview: "sleep 9" }));
  assert.equal(state().chat.items.length, 1);
});

test("a call that is read while it runs is shown as running, with its time and its output so far", async (t) => {
  const { shown } = await setup(t);
  const messages = [assistant(7, ["make all"], new Date(1_997_000).toISOString())];
  const view = {
    turn_id: "t_1",
    turn_started_at: 1_990_000,
    phase: "tool",
    streamed: "",
    output: { call_0: "compiling a\ncompiling b\n" },
  };
  const opened: Message = {
    type: "session",
    id: "s",
    title: "",
    model: "m",
    items: toItems(messages, true),
    round: 7,
    fresh: true,
  };
  const screen = await shown(opened, { type: "view", view });
  assert.match(screen, /terminal make all +3\.0 s/);
  assert.doesNotMatch(screen, /– terminal/);
  assert.match(screen, /│ compiling b/);
  const more = await shown(chat("tool.progress", { call_id: "call_0", text: "linking\n" }));
  assert.match(more, /compiling b[\s\S]*│ linking/);
  assert.match(
    await shown(chat("tool.ended", { call_id: "call_0", name: "terminal", status: "ok", duration_ms: 5_000 })),
    /✓ terminal make all +5\.0 s/,
  );
});

test("a call without a result whose turn is over was stopped", () => {
  const [item] = toItems([assistant(7, ["make all"])]);
  assert.equal(item?.kind === "tool" && item.state, "stopped");
});

for (const [exit, content, said] of [
  [2, { output: "make: *** No rule\nmore", exit_code: 2 }, "exit 2: make: *** No rule"],
  [1, { output: "", exit_code: 1 }, "exit 1"],
  [-1, { output: "", exit_code: -1, error: "The command detaches itself." }, "The command detaches itself."],
] as const)
  test(`a failed row with exit code ${exit} says: ${said}`, async (t) => {
    const { shown } = await setup(t);
    const ended = chat("tool.ended", {
      call_id: "call_0",
      name: "terminal",
      status: "error",
      duration_ms: 5,
      exit_code: exit,
    });
    const stored = chat("message.added", {
      ...result(8, "call_0", ""),
      status: "error",
      content: JSON.stringify(content),
    });
    const started = chat("tool.started", { call_id: "call_0", name: "terminal", preview: "make" });
    const screen = await shown(
      chat("turn.started"),
      chat("message.added", assistant(7, ["make"])),
      started,
      stored,
      ended,
    );
    assert.ok(screen.includes(`✗ terminal make  ${said} `), screen);
  });

/** A command that has ended, as the owner tells it. */
const ran = (command: string, content: Readonly<Record<string, unknown>>): readonly Message[] => {
  const status = content["exit_code"] === 0 ? "ok" : "error";
  return [
    chat("turn.started"),
    chat("message.added", assistant(7, [command])),
    chat("tool.started", { call_id: "call_0", name: "terminal", preview: command }),
    chat("message.added", { ...result(8, "call_0", ""), status, content: JSON.stringify(content) }),
    chat("tool.ended", { call_id: "call_0", name: "terminal", status, duration_ms: 5 }),
  ];
};

test("a command that ended well shows the last line that it wrote, where there is room", async (t) => {
  const { shown, state } = await setup(t);
  const alone = async (command: string, content: Readonly<Record<string, unknown>>) =>
    (await setup(t)).shown(...ran(command, content));
  const output = `${"ok 1 lexer\n".repeat(900)}\u001b[32m8 passed,\t0 failed\u001b[0m\n\n`;
  assert.match(
    await shown(...ran("npm test", { output, exit_code: 0 })),
    /✓ terminal npm test {2}␛8 passed, 0 failed␛ +0\.0 s/,
  );
  const [item] = state().chat.items;
  assert.equal(item?.kind === "tool" && item.result?.cut, true, "also of what is kept in part");
  const long = `echo ${"a".repeat(74)}`;
  assert.match(await alone(long, { output: "a line that has no room", exit_code: 0 }), /a{74} +0\.0 s\n/);
  assert.match(await alone("true", { output: "", exit_code: 0 }), /✓ terminal true +0\.0 s/);
});

test("why a call failed has a row of its own where it does not fit beside the command, and both are read whole", async (t) => {
  const { shown } = await setup(t);
  const command = 'rm -rf build && git commit -qam "lexer: keep the last character" && git push';
  const screen = await shown(...ran(command, { output: "fatal: no remote repository is set\nmore", exit_code: 128 }));
  assert.ok(screen.includes(`✗ terminal ${command} `), screen);
  assert.match(screen, /\n {3}│ exit 128: fatal: no remote repository is set *\n/);
});

test("the name of a call that failed has the colour of its mark, that of one that ran well has not", async (t) => {
  const screen = await openScreen(80, 24, "truecolor");
  t.after(() => screen.close());
  await screen.send({ type: "session", id: "s", title: "", model: "m", items: [], fresh: true });
  const colours = async (messages: readonly Message[]) => {
    const lines = await screen.send(...messages);
    const y = lines.findLastIndex((line) => line.includes(" terminal "));
    const colour = (x: number) => screen.term.buffer.active.getLine(y)?.getCell(x)?.getFgColor();
    const x = (lines[y] ?? "").indexOf("terminal");
    return colour(x) === colour(x - 2);
  };
  assert.equal(await colours(ran("npm test", { output: "8 passed", exit_code: 0 })), false);
  assert.equal(await colours(ran("npm test", { output: "7 passed", exit_code: 1 })), true);
});

const ITEM: ToolItem = {
  kind: "tool",
  key: "t1",
  callId: "c1",
  name: "read_file",
  preview: "cat.png",
  state: "ok",
  since: 0,
  ms: 5,
  inner: [],
  result: resultOf("{}", undefined, [{ path: "/cat.png", name: "cat.png", width: 400, height: 300 }]),
};

test("a picture of a result takes rows of its own where the terminal shows pictures, and is named by a line where it does not", () => {
  const marks = (pictures: "kitty" | "off", bands: boolean) => {
    const look = {
      display: { ...displayAtFirst({}), pictures },
      open: () => undefined,
      whole: undefined,
      spin: "",
      now: 0,
      bands,
      output: [],
    };
    return toolRows(ITEM, look, 60)
      .map((row) => row.map(([, text]) => text).join(""))
      .filter((text) => /[\u{100000}-\u{100fff}]/u.test(text)).length;
  };
  assert.equal(marks("kitty", true), 14);
  assert.equal(marks("off", true), 0);
  assert.equal(marks("kitty", false), 0, "rows that are written for good have none");
  assert.match(ITEM.result?.text ?? "", /\[picture: \/cat\.png, 400x300\]/);
  assert.equal(onlyLooked(ITEM), false, "it is not folded into a group of reads");
});
