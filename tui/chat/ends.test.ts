import assert from "node:assert/strict";
import { test } from "node:test";
import { key, openScreen } from "../../fixtures/tui/screen.js";

import type { SessionPage, TurnEnd } from "../../lib/contracts/wire/shapes/session-page.js";
import type { MessageJson } from "../../lib/contracts/wire/shapes/sessions.js";
import { DISPLAY } from "../app/display.js";
import type { Message } from "../model/messages.js";
import { itemsIn } from "./ends.js";

const chat = (event: string, data: Readonly<Record<string, unknown>> = {}): Message => ({ type: "chat", event, data });
const AT = new Date(2026, 10, 23, 14, 3).toISOString();
const NUMBERS = { input_tokens: 4_000, cache_read_tokens: 10_000, cache_write_tokens: 200, output_tokens: 1_100 };
const END = { ...NUMBERS, model: "big-1", duration_ms: 12_300, ended_at: AT, estimated_cost_usd: 0.123 };
const session: Message = { type: "session", id: "s", title: "t", model: "m", items: [] };

async function open(columns = 80) {
  const screen = await openScreen(columns, 24);
  await screen.send(session);
  return {
    ...screen,
    all: () =>
      screen
        .lines()
        .map((line) => line.trimEnd())
        .join("\n"),
  };
}

const message = (id: number, turn: string, role: "user" | "assistant", content: string): MessageJson =>
  ({ id, session_id: "s", turn_id: turn, ordinal: id, role, content, active: true, created_at: AT }) as MessageJson; // plain ids stand for branded ones
const answered = (id: number, content: string) =>
  chat("message.added", { ...message(id, "s:1", "assistant", content) });
const end = (turn: string, more: Partial<TurnEnd> = {}): TurnEnd => ({ turn_id: turn, ...END, ...more });

test("a line below a turn says how long it took, when it ended, its tokens, its price and which model answered", async (t) => {
  const screen = await open();
  t.after(() => screen.close());
  await screen.send(
    chat("message.added", { ...message(1, "s:1", "user", "go") }),
    chat("turn.started"),
    answered(2, "done"),
  );
  assert.doesNotMatch(screen.all(), /12 s/);
  await screen.send(chat("turn.ended", END));
  assert.match(screen.all(), /\n done\n\n 12 s · 14:03 · ↑14\.2k ↓1\.1k · \$0\.12 · big-1\n/);
  await screen.send(chat("message.added", { ...message(3, "s:2", "user", "more") }));
  assert.match(screen.all(), /big-1\n\n you/);
});

test("what is not known of a turn is left out of its line, and the price where prices are not shown", async (t) => {
  const screen = await open(40);
  t.after(() => screen.close());
  const free = {
    ...END,
    estimated_cost_usd: null,
    model: "",
    ended_at: undefined,
    input_tokens: 0,
    output_tokens: 0,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
  };
  await screen.send(
    chat("message.added", { ...message(1, "s:1", "user", "go") }),
    answered(2, "one"),
    chat("turn.ended", free),
  );
  assert.match(screen.all(), /\n one\n\n 12 s\n/);
  await screen.send(
    { type: "display", display: { ...DISPLAY, showCost: false, compact: true } },
    answered(4, "two"),
    chat("turn.ended", { ...END, model: "big\u001b[2J" }),
  );
  assert.match(screen.all(), /\n two\n 12 s · 14:03 · ↑14\.2k ↓1\.1k · big␛\n/);
});

test("a turn that is read from the store ends with the line that it had on the screen", async (t) => {
  const page: SessionPage = {
    messages: [
      message(1, "s:1", "user", "go"),
      message(2, "s:1", "assistant", "one"),
      message(3, "s:1", "assistant", "done"),
    ],
    older: null,
    newer: null,
    running: false,
    turns: [end("s:1")],
  };
  const live = await open();
  t.after(() => live.close());
  const said = page.messages.map((data) => chat("message.added", { ...data }));
  await live.send(...said, chat("turn.ended", END));
  const stored = await open();
  t.after(() => stored.close());
  await stored.send({ ...session, items: itemsIn(page) });
  const body = (text: string) => text.replace(/\n[^\n]*$/, ""); // the status line names the model that answers next
  assert.equal(body(stored.all()), body(live.all()));
  assert.equal(stored.all().split("14:03").length, 2, "once");
});

test("the line stands below the last of its turn: a call, calls in one row, and never a person's message", () => {
  const calls = {
    ...message(2, "s:1", "assistant", ""),
    tool_calls: [{ id: "a", name: "terminal", arguments: "{}" }],
  } as MessageJson; // as above
  const page = (messages: readonly MessageJson[]): SessionPage => ({
    messages,
    older: null,
    newer: null,
    turns: [end("s:1"), end("s:2"), end("s:9")],
  });
  const ends = (messages: readonly MessageJson[]) =>
    itemsIn(page(messages)).map(({ kind, ending }) => [kind, ending !== undefined]);
  assert.deepEqual(
    ends([
      message(1, "s:1", "user", "go"),
      calls,
      message(3, "s:2", "user", "and"),
      message(4, "s:2", "assistant", "yes"),
    ]),
    [
      ["user", false],
      ["tool", true],
      ["user", false],
      ["answer", true],
    ],
  );
  assert.deepEqual(ends([message(1, "s:1", "user", "go")]), [["user", false]]);
});

test("copying an answer gives its text without the line of its turn", async (t) => {
  const screen = await open();
  t.after(() => screen.close());
  await screen.send(answered(2, "done"), chat("turn.ended", END), key("f2"), { type: "text", text: "y" });
  assert.deepEqual(screen.effects.at(-1), { do: "copy", text: "done" });
});
