import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionId, TurnId } from "../../../base/units.js";
import type { MessageJson } from "../../../contracts/wire/shapes/sessions.js";
import { heard, NO_TRANSCRIPT, type PageTranscript, withOlder, withPage, withView } from "./state.js";

const message = (id: number, role: MessageJson["role"], content: string): MessageJson => ({
  id,
  role,
  content,
  session_id: "s" as SessionId,
  turn_id: "u" as TurnId,
  ordinal: id, // ids of this test
  created_at: "2026-01-01T00:00:00.000Z",
  active: true,
});

type Told = readonly [event: string, data: Readonly<Record<string, unknown>>, second?: number | undefined];

const heardAt = (now: PageTranscript, [event, data, second = 0]: Told): PageTranscript =>
  heard(now, { event, data, at: new Date(second * 1_000).toISOString() });

const after = (events: readonly Told[], from: PageTranscript = NO_TRANSCRIPT): PageTranscript =>
  events.reduce(heardAt, from);

const added = (one: MessageJson, second?: number): Told => ["message.added", { ...one }, second];

test("an answer grows as it streams, and its stored message takes its place", () => {
  const streaming = after([
    ["turn.started", {}],
    added(message(1, "user", "hello")),
    ["text.delta", { text: "Hel" }],
    ["text.delta", { text: "lo", offset: 3 }],
  ]);
  assert.deepEqual([streaming.answer, streaming.phase, streaming.messages.length], ["Hello", "writing", 1]);
  const stored = after([added(message(2, "assistant", "Hello"))], streaming);
  assert.deepEqual([stored.answer, stored.messages.map(({ content }) => content)], ["", ["hello", "Hello"]]);
});

test("a piece that came before is not shown twice", () => {
  const now = after([
    ["text.delta", { text: "one two", offset: 0 }],
    ["text.delta", { text: "two three", offset: 4 }],
  ]);
  assert.equal(now.answer, "one two three");
});

test("a piece that comes after its message was stored is not shown below the calls of that message", () => {
  const late = after([
    ["turn.started", {}, 1],
    ["text.delta", { text: "I look", offset: 0 }, 2],
    added(message(2, "assistant", "I look it up."), 3),
    ["text.delta", { text: " it up.", offset: 6 }, 2],
    ["reasoning.delta", { text: "hm" }, 3],
  ]);
  assert.deepEqual([late.answer, late.thinking, late.messages.at(-1)?.content], ["", "", "I look it up."]);
  const next = after([["text.delta", { text: "Found.", offset: 0 }, 4]], late);
  assert.equal(next.answer, "Found.");
});

test("a message that is reported twice stands once, and all stand in their order", () => {
  const now = after([added(message(3, "tool", "c")), added(message(1, "user", "a")), added(message(3, "tool", "c"))]);
  assert.deepEqual(
    now.messages.map(({ id }) => id),
    [1, 3],
  );
});

test("a call shows what it does while it works, and nothing of it when it is over", () => {
  const running = after([
    ["tool.started", { call_id: "c1", name: "terminal", preview: "make test" }],
    ["tool.progress", { call_id: "c1", text: "ok 1\n" }],
    ["tool.progress", { call_id: "c1", text: "ok 2\n" }],
  ]);
  assert.deepEqual(running.working.get("c1"), { name: "terminal", preview: "make test", output: "ok 1\nok 2\n" });
  assert.equal(running.phase, "terminal");
  assert.equal(after([["tool.ended", { call_id: "c1" }]], running).working.size, 0);
});

test("a turn that fails says why, one that ends leaves nothing running", () => {
  const now = after([
    ["turn.started", {}],
    ["text.delta", { text: "half" }],
    ["turn.ended", { error: { message: "the provider refused the key" } }],
  ]);
  assert.deepEqual(
    [now.answer, now.phase, now.notices[0]?.text, now.notices[0]?.level],
    ["", undefined, "the provider refused the key", "error"],
  );
});

test("who begins to look in the middle of an answer sees what was said of it", () => {
  const now = withView(NO_TRANSCRIPT, { turn_id: "u1", phase: "writing", streamed: "so far" });
  assert.deepEqual([now.phase, now.answer], ["writing", "so far"]);
  assert.equal(withView(now, { turn_id: null }).phase, undefined);
});

test("older messages come before those that are shown, each once", () => {
  const shown = withPage(NO_TRANSCRIPT, {
    messages: [message(5, "user", "e")],
    older: { session_id: "s", ordinal: 5 },
    newer: null,
  });
  const all = withOlder(shown, {
    messages: [message(4, "user", "d"), message(5, "user", "e")],
    older: null,
    newer: null,
  });
  assert.deepEqual([all.messages.map(({ id }) => id), all.older], [[4, 5], null]);
});

test("events of a newer owner are passed over", () => {
  assert.equal(heardAt(NO_TRANSCRIPT, ["something.new", { text: "x" }]), NO_TRANSCRIPT);
});
