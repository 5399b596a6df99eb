import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../fixtures/ports/clock.js";
import { initialState } from "../model/initial-state.js";
import { BINDINGS } from "../model/keys.js";
import type { Message } from "../model/messages.js";
import type { State } from "../model/state.js";
import { update } from "../model/update.js";
import { ticking } from "./ticking.js";

const chat = (event: string, data: Readonly<Record<string, unknown>> = {}): Message => ({ type: "chat", event, data });
const ASKED = chat("clarify.requested", { request: "q", question: "?", choices: [], expires_at: 120_000 });

/** A screen whose time is told; `ticks` counts how often it was in a span. */
function setup(change: (state: State) => State = (state) => state) {
  const clock = manualClock();
  let state = change(initialState(120, 40, { owner: true, keymap: BINDINGS }));
  let count = 0;
  const dispatch = (message: Message) => {
    if (message.type === "tick") count += 1;
    [state] = update({ ...state, now: clock.mono(), wall: clock.now() }, message);
    ticks.look();
  };
  const timers = {
    after: (ms: number, fn: () => void) => clock.after(ms, fn),
    mono: () => clock.mono(),
    now: () => clock.now(),
  };
  const ticks = ticking(timers, () => state, dispatch);
  const passed = (ms: number) => {
    const before = count;
    clock.advance(ms);
    return count - before;
  };
  return { passed, dispatch, state: () => state };
}

test("W32: nothing is told of time where nothing would change", () => {
  const { passed, dispatch } = setup();
  assert.equal(passed(60_000), 0);
  dispatch(chat("turn.started"));
  dispatch(chat("turn.ended"));
  passed(1_000);
  assert.equal(passed(60_000), 0);
});

test("a spinner turns eight times a second while a turn works, and stands while the user is asked", () => {
  const { passed, dispatch } = setup();
  dispatch(chat("turn.started"));
  assert.equal(passed(10_000), 80);
  dispatch(ASKED);
  passed(1_000);
  assert.equal(passed(10_000), 10);
  dispatch(chat("clarify.resolved", { request: "q", answer: "a" }));
  passed(1_000);
  assert.equal(passed(10_000), 80);
});

test("without animation the time is told once a second", () => {
  const { passed, dispatch } = setup((state) => ({ ...state, display: { ...state.display, animation: false } }));
  dispatch(chat("turn.started"));
  assert.equal(passed(10_000), 10);
});

test("a message goes in time, and then there is rest", () => {
  const { passed, dispatch, state } = setup();
  dispatch({ type: "say", text: "copied", error: false });
  assert.equal(passed(3_999), 0);
  assert.equal(state().message?.text, "copied");
  assert.equal(passed(1), 1);
  assert.equal(state().message, undefined);
  assert.equal(passed(60_000), 0);
});

test("an error stays without anything being reported", () => {
  const { passed, dispatch, state } = setup();
  dispatch({ type: "say", text: "failed", error: true });
  assert.equal(passed(60_000), 0);
  assert.equal(state().message?.text, "failed");
});

test("a lost connection counts its seconds", () => {
  const { passed, dispatch } = setup();
  dispatch({ type: "connection", state: "lost" });
  assert.equal(passed(10_000), 10);
  dispatch({ type: "connection", state: "connected" });
  passed(5_000);
  assert.equal(passed(60_000), 0);
});
