import assert from "node:assert/strict";
import test from "node:test";
import { initialState } from "../model/initial-state.js";
import { BINDINGS } from "../model/keys.js";
import type { State } from "../model/state.js";
import { update } from "../model/update.js";
import { titleOf } from "../terminal/look.js";
import { attention } from "./notify.js";

const [start] = update(initialState(80, 24, { owner: true, keymap: BINDINGS }), {
  type: "session",
  id: "s",
  title: "fix it",
  model: "",
  items: [],
});
const at = (state: State, now: number): State => ({ ...state, now });
const begun = at(update(start, { type: "chat", event: "turn.started", data: {} })[0], 0);
const ended = (now: number, focused?: boolean): State => {
  const looks = { ...begun, terminal: { ...begun.terminal, focused } };
  return update(at(looks, now), { type: "chat", event: "turn.ended", data: {} })[0];
};

test("the end of a long turn is told when no one is known to look", () => {
  assert.deepEqual(attention(begun, ended(31_000)), { text: "agent: fix it is done" });
  assert.deepEqual(attention(begun, ended(31_000, false)), { text: "agent: fix it is done" });
});

test("who looks is not told, nor of a short turn", () => {
  assert.equal(attention(begun, ended(31_000, true)), undefined);
  assert.equal(attention(begun, ended(5_000)), undefined);
});

test("display.notify and display.bell_on_complete say how", () => {
  const long = ended(31_000);
  assert.deepEqual(attention(begun, { ...long, display: { ...long.display, notify: "bell" } }), { ring: true });
  assert.equal(attention(begun, { ...long, display: { ...long.display, notify: "off" } }), undefined);
  const short = ended(1_000, true);
  assert.deepEqual(attention(begun, { ...short, display: { ...short.display, bellOnComplete: true } }), { ring: true });
});

test("the title tells the conversation, and whether it works or waits", () => {
  assert.equal(titleOf(start), "✓ agent: fix it");
  assert.equal(titleOf(begun), "◐ agent: fix it");
  assert.equal(titleOf({ ...start, display: { ...start.display, setTitle: false } }), undefined);
});
