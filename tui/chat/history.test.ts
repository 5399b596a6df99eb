import assert from "node:assert/strict";
import { test } from "node:test";
import { key, openScreen } from "../../fixtures/tui/screen.js";
import type { Effect, Message } from "../model/messages.js";

const chat = (event: string, data: Readonly<Record<string, unknown>> = {}): Message => ({ type: "chat", event, data });
const session: Message = { type: "session", id: "one", title: "work", model: "m1", items: [] };

async function open(columns = 80, rows = 24) {
  const screen = await openScreen(columns, rows);
  await screen.send(session);
  const found = (part: string) => screen.lines().findIndex((line) => line.includes(part));
  return { ...screen, found, all: () => screen.lines().join("\n") };
}

const pagesAsked = (effects: readonly Effect[]) =>
  effects.flatMap((effect) => (effect.do === "call" && effect.method.startsWith("session.") ? [effect] : []));

const place = (ordinal: number) => ({ session_id: "one", ordinal });
const stored = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => ({
    id: from + at,
    role: "user",
    content: `message ${from + at}`,
    ...place(from + at),
  }));

test("older messages are asked for at the top, once, and what is read stays", async () => {
  const screen = await open();
  await screen.send({ ...session, older: place(200) }, ...stored(200, 240).map((data) => chat("message.added", data)));
  await screen.send(key("f2"), key("home"));
  const asked = pagesAsked(screen.effects);
  assert.deepEqual(asked, [
    {
      do: "call",
      method: "session.page",
      to: "chat.older",
      reads: true,
      params: { session_id: "one", limit: 200, before: place(200) },
    },
  ]);
  assert.match(screen.all(), /loading…/);
  const row = screen.found("message 200");
  await screen.send(key("down"), key("down"));
  const page = { messages: stored(0, 200), older: null, newer: null };
  await screen.send({ type: "called", to: "chat.older", ok: true, result: page });
  assert.ok(screen.found("message 200") >= 0, `it was at ${row}`);
  await screen.send(key("home"));
  assert.ok(screen.found("message 0") > 0);
  assert.equal(pagesAsked(screen.effects).length, 1);
  screen.close();
});

test("the wheel asks for older messages as well, and leaves the cursor where it is", async () => {
  const screen = await open();
  const mouse = (code: number): Message => ({ type: "mouse", code, x: 5, y: 5, up: false });
  await screen.send({ ...session, older: place(200) }, ...stored(200, 203).map((data) => chat("message.added", data)));
  screen.become({ ...screen.state(), display: { ...screen.state().display, mouse: true } });
  await screen.send(mouse(64));
  assert.equal(pagesAsked(screen.effects).length, 1);
  assert.equal(screen.state().chat.cursor, undefined);
  screen.close();
});

test("at most 2,000 items are kept, whichever way one scrolls, and the end comes back", async () => {
  const screen = await open();
  await screen.send(
    { ...session, older: place(9_800) },
    ...stored(9_800, 10_000).map((data) => chat("message.added", data)),
    key("f2"),
    key("home"),
  );
  for (let from = 9_600; from > 7_000; from -= 200) {
    const page = { messages: stored(from, from + 200), older: place(from), newer: null };
    await screen.send({ type: "called", to: "chat.older", ok: true, result: page }, key("home"));
  }
  assert.ok(screen.state().chat.items.length <= 2_200, `${screen.state().chat.items.length} items`);
  await screen.send(chat("message.added", stored(10_000, 10_001)[0] ?? {}), key("end"));
  const [last] = pagesAsked(screen.effects).slice(-1);
  assert.deepEqual(last, {
    do: "call",
    method: "session.page",
    to: "chat.end",
    reads: true,
    params: { session_id: "one", limit: 200 },
  });
  await screen.send({
    type: "called",
    to: "chat.end",
    ok: true,
    result: { messages: stored(9_801, 10_001), older: place(9_801), newer: null },
  });
  assert.ok(screen.found("message 10000") > 0);
  screen.close();
});

test("letters that come in one piece behind the slash are the search, not keys", async () => {
  const screen = await open();
  await screen.send(...stored(0, 5).map((data) => chat("message.added", data)), key("f2"));
  const before = screen.effects.length;
  await screen.send({ type: "text", text: "/rabbit u" });
  assert.equal(screen.state().chat.search?.text, "rabbit u");
  assert.deepEqual(screen.effects.slice(before), []);
  assert.equal(screen.state().overlay, undefined);
  screen.close();
});

test("a search goes over the whole conversation, also over what is not loaded", async () => {
  const screen = await open();
  await screen.send(...stored(900, 940).map((data) => chat("message.added", data)), key("f2"), key("/"));
  await screen.send({ type: "text", text: "message 91" });
  assert.ok(screen.found("message 919") > 0, "what is loaded is found while it is typed");
  await screen.send(key("enter"));
  const found = [
    { ...place(10), id: 10 },
    { ...place(919), id: 919 },
  ];
  await screen.send({ type: "called", to: "chat.found", ok: true, result: { found } });
  assert.match(screen.all(), /\/message 91 {2}2 of 2/);
  await screen.send(key("n"));
  const [last] = pagesAsked(screen.effects).slice(-1);
  assert.deepEqual(last?.params, { session_id: "one", limit: 200, before: place(30) });
  await screen.send({
    type: "called",
    to: "chat.place:m10",
    ok: true,
    result: { messages: stored(0, 30), older: null, newer: null },
  });
  assert.ok(screen.found("message 10") > 0);
  await screen.send(key("escape"));
  assert.equal(screen.state().chat.search, undefined);
  screen.close();
});

test("a search goes to the row that holds the words, within a long answer too, and n and N from row to row", async () => {
  const screen = await open();
  const paragraphs = Array.from({ length: 200 }, (_, n) =>
    n === 40 || n === 150 ? `here is a needle ${n}.` : `words ${n}.`,
  );
  const said = (id: number, role: string, content: string) =>
    chat("message.added", { id, role, content, session_id: "one", ordinal: id });
  await screen.send(said(1, "user", "a needle 1?"), said(2, "assistant", paragraphs.join("\n\n")), key("f2"), key("/"));
  await screen.send({ type: "text", text: "needle" });
  assert.ok(screen.found("needle 150.") > 0, "the last one first, while it is typed");
  await screen.send(key("enter"));
  const places = [1, 2].map((id) => ({ session_id: "one", ordinal: id, id }));
  await screen.send({ type: "called", to: "chat.found", ok: true, result: { found: places } });
  assert.ok(screen.found("needle 150.") > 0);
  for (const [pressed, wanted] of [
    ["n", "needle 40."],
    ["n", "needle 1?"],
    ["N", "needle 40."],
    ["N", "needle 150."],
    ["N", "needle 1?"],
  ] as const) {
    await screen.send({ type: "text", text: pressed });
    assert.ok(screen.found(wanted) > 0, `${pressed}: ${wanted}\n${screen.all()}`);
  }
  screen.close();
});
