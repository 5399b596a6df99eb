import assert from "node:assert/strict";
import { test } from "node:test";
import { initialState } from "../model/initial-state.js";
import { BINDINGS } from "../model/keys.js";
import type { Message } from "../model/messages.js";
import type { State } from "../model/state.js";
import { update } from "../model/update.js";
import { toItems } from "./items.js";

const chat = (event: string, data: Readonly<Record<string, unknown>>): Message => ({ type: "chat", event, data });
const session: Message = { type: "session", id: "one", title: "work", model: "m1", items: [] };
const after = (...messages: readonly Message[]): State =>
  [session, ...messages].reduce<State>(
    (state, message) => update(state, message)[0],
    initialState(100, 30, { owner: true, keymap: BINDINGS }),
  );
const notices = (state: State) => state.chat.items.map((item) => (item.kind === "notice" ? item.text : item.kind));

const STARTED = { reason: "round", tokens: 65_200, trigger: 64_000, window: 128_000, messages: 48 };
const ENDED = {
  ok: true,
  reason: "round",
  tokens_before: 65_200,
  tokens_after: 14_100,
  messages_before: 48,
  messages_after: 11,
  method: "model",
  new_session_id: "two",
  duration_ms: 900,
  count: 1,
};

test("a compaction is shown by its lines, and what is sent then goes to the new segment", () => {
  const state = after(chat("compaction.started", STARTED), chat("compaction.ended", ENDED));
  assert.deepEqual(notices(state), [
    "Compacting: 65.2k of 128k tokens, 48 messages",
    "Compacted 48 messages to 11 (65.2k → 14.1k tokens). Undo: /compress undo",
  ]);
  assert.equal(state.session.id, "two");
});

test("the answer says what a compaction by command did: only the dividing line is added", () => {
  const state = after(
    chat("compaction.started", { ...STARTED, reason: "manual" }),
    chat("compaction.ended", { ...ENDED, reason: "manual" }),
  );
  const rules = state.chat.items.map((item) => (item.kind === "notice" ? [item.text, item.rule] : item.kind));
  assert.deepEqual(rules, [["", "compacted: 48 → 11 messages · /compress undo"]]);
  assert.equal(state.session.id, "two");
});

test("a compaction that failed says why and leaves the conversation where it is", () => {
  const state = after(chat("compaction.ended", { ...ENDED, ok: false, new_session_id: null, error: "interrupted" }));
  assert.deepEqual(notices(state), ["Not compacted: interrupted"]);
  assert.equal(state.session.id, "one");
});

test("an undone compaction leads back", () => {
  const undone = {
    new_session_id: "one",
    tokens_before: 15_000,
    tokens_after: 66_000,
    messages_before: 13,
    messages_after: 50,
  };
  const state = after(chat("compaction.ended", ENDED), chat("compaction.undone", undone));
  assert.equal(notices(state).at(-1), "Compaction undone: 13 → 50 messages, 15k → 66k tokens");
  assert.equal(state.session.id, "one");
});

test("the summary stands as one line in a conversation that is shown again, and notes for the model do not", () => {
  const items = toItems([
    { id: 1, role: "user", content: "hi" },
    { id: 2, role: "assistant", kind: "summary", content: "[CONTEXT ...]" },
    { id: 3, role: "user", kind: "note", content: "[STATE ...]" },
  ]);
  assert.deepEqual(
    items.map((item) => ("text" in item ? item.text : "")),
    ["hi", "Earlier messages were compacted into a summary."],
  );
});
