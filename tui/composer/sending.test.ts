import assert from "node:assert/strict";
import { test } from "node:test";
import { alt, ENTER, opened, session, text, turn } from "../../fixtures/tui/composer-screen.js";
import { key } from "../../fixtures/tui/screen.js";
import type { Message } from "../model/messages.js";
import type { State } from "../model/state.js";

const items = (...texts: string[]): Message => ({
  type: "chat",
  event: "queue.changed",
  data: {
    items: texts.map((words) => ({ id: `q_${words}`, text: words, kind: "message", by: "", source: "workspace" })),
    paused: false,
  },
});

const RULES: readonly (readonly [
  what: string,
  messages: readonly Message[],
  says: RegExp,
  change?: (state: State) => State,
])[] = [
  ["nothing runs", [text("hi")], /Enter: send/],
  ["a turn runs", [turn, text("hi")], /Enter: queue .*Alt\+S: steer/],
  ["a command is typed while a turn runs", [turn, text("/status ")], /Enter: run \/status at once/],
  ["a shell line is typed while a turn runs", [turn, text("!git status")], /Enter: run in the shell /],
  ["a shell line for the model is typed", [text("!! make test")], /Enter: run in the shell, for the model too/],
  ["marks alone are typed", [text("!!!")], /Enter: send/],
  ["a path is typed", [text("/etc/passwd is")], /Enter: send/],
  ["the connection is lost", [text("hi"), { type: "connection", state: "lost" }], /not connected: Enter keeps it/],
  ["only a question mark is typed", [text("?")], /Enter: help/],
];

for (const [what, messages, says] of RULES)
  test(`the line above the text says what Enter does when ${what}`, async (t) => {
    const { send, lines, close } = await opened(120, 30);
    t.after(close);
    await send(...messages);
    assert.match(lines().join("\n"), says);
  });

for (const [busyMode, says, mode] of [
  ["auto", /Enter: queue/, "queue"],
  ["steer", /Enter: steer/, "steer"],
  ["interrupt", /Enter: interrupt and send/, "interrupt"],
] as const)
  test(`display.busy_input_mode ${busyMode} holds at once, and Enter does what is said`, async (t) => {
    const { send, lines, state, effects, close } = await opened(120, 30);
    t.after(close);
    await send(turn, { type: "display", display: { ...state().display, busyMode } }, text("hi"));
    assert.match(lines().join("\n"), says);
    await send(ENTER);
    assert.ok(effects.some((one) => one.do === "submit" && one.mode === mode));
  });

test("Alt+S steers and Alt+I interrupts, whatever Enter does", async (t) => {
  const { send, effects, close } = await opened();
  t.after(close);
  await send(turn, text("one"), alt("s"), { type: "sent", id: 1, outcome: "taken" }, text("two"), alt("i"));
  assert.deepEqual(
    effects.flatMap((one) => (one.do === "submit" ? [[one.text, one.mode]] : [])),
    [
      ["one", "steer"],
      ["two", "interrupt"],
    ],
  );
});

test("W08: three messages typed during a turn are edited, moved and sent at once from the queue", async (t) => {
  const { send, lines, typed, effects, close } = await opened(100, 30);
  t.after(close);
  const shown = await send(turn, items("one", "two", "three", "four"));
  assert.match(shown.join("\n"), /─ queue 4 · \+1 more ─+\n 1 one *\n 2 two *\n 3 three *\n─ Enter: queue/);
  await send(text("draft"), alt("q"), key("down"), key("e"));
  assert.equal(typed(), "two");
  assert.match(lines().join("\n"), /Enter: save to the queue/);
  await send(text(" times"), ENTER);
  assert.equal(typed(), "draft", "what was typed before is there again");
  const calls = () =>
    effects.flatMap((one) => (one.do === "call" && one.method.startsWith("queue.") ? [[one.method, one.params]] : []));
  assert.deepEqual(calls(), [["queue.edit", { session_id: "s", item: "q_two", text: "two times" }]]);
  await send(alt("q"), text("J"));
  assert.deepEqual(calls().at(-1), ["queue.move", { session_id: "s", item: "q_one", before: "q_three" }]);
  await send(text("K"));
  assert.deepEqual(calls().at(-1), ["queue.move", { session_id: "s", item: "q_one", before: "q_two" }]);
  await send(key("down"), text("n"));
  assert.deepEqual(calls().at(-1), ["queue.send_now", { session_id: "s", item: "q_two" }]);
  assert.equal(typed(), "draft");
});

test("what is removed from the queue comes back with U for ten seconds", async (t) => {
  const { send, effects, lines, at, close } = await opened();
  t.after(close);
  at(1_000);
  await send(turn, items("one", "two"), alt("q"), text("x"));
  assert.doesNotMatch(lines().join("\n"), /1 one/);
  at(9_000);
  await send(text("U"));
  const calls = effects.flatMap((one) =>
    one.do === "call" && one.method.startsWith("queue.")
      ? [[one.method, one.params["text"] ?? one.params["item"]]]
      : [],
  );
  assert.deepEqual(calls, [
    ["queue.remove", "q_one"],
    ["queue.add", "one"],
  ]);
  at(30_000);
  await send(items("two"), text("U"));
  assert.equal(effects.filter((one) => one.do === "call" && one.method.startsWith("queue.")).length, 2);
});

test("the text of a queued message that begins while it is edited stays, as a message of its own", async (t) => {
  const { send, typed, lines, close } = await opened();
  t.after(close);
  await send(turn, items("one"), alt("q"), ENTER, text(" more"), items());
  assert.equal(typed(), "one more");
  assert.match(lines().join("\n"), /is already running/);
});

test("a message that the owner refuses is in the composer again, or to be had by going up", async (t) => {
  const { send, typed, close } = await opened();
  t.after(close);
  await send(text("one"), ENTER, { type: "sent", id: 1, outcome: "refused" });
  assert.equal(typed(), "one");
  await send(ENTER, text("next"), { type: "sent", id: 2, outcome: "refused" });
  assert.equal(typed(), "next");
  await send(key("up"));
  assert.equal(typed(), "one");
});

test("messages typed while no one is connected wait, marked, and are sent once in order to the conversation they were typed in", async (t) => {
  const { send, lines, effects, close } = await opened(100, 30);
  t.after(close);
  const shown = await send({ type: "connection", state: "lost" }, text("one"), ENTER, text("two"), ENTER);
  assert.match(shown.join("\n"), /1 one +not sent yet/);
  await send({ ...session, id: "other" }, { type: "connection", state: "connected" });
  for (const id of [1, 2]) await send({ type: "sent", id, outcome: "taken" });
  assert.deepEqual(
    effects.flatMap((one) => (one.do === "submit" ? [[one.text, one.session]] : [])),
    [
      ["one", "s"],
      ["two", "s"],
    ],
  );
  assert.doesNotMatch(lines().join("\n"), /not sent yet/);
});

test("keys that were meant for the queue are never typed, also when its last message has begun meanwhile", async (t) => {
  const { send, typed, lines, close } = await opened(100, 30);
  t.after(close);
  await send(turn, items("one"), alt("q"), items(), text("x"), text("hello"));
  assert.equal(typed(), "");
  assert.match(lines().join("\n"), /queue: empty/);
  await send(key("escape"), text("hello"));
  assert.equal(typed(), "hello");
});
