import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { key, openScreen } from "../../fixtures/tui/screen.js";
import { PANE_DEFINITIONS } from "../index.gen.js";
import type { Message } from "./messages.js";

const SESSION: Message = { type: "session", id: "s_1", title: "x", model: "m", items: [], fresh: true };

async function setup(t: TestContext, columns = 160, rows = 40) {
  const made = await openScreen(columns, rows);
  t.after(made.close);
  const shown = async (...messages: Message[]) => (await made.send(...messages)).join("\n");
  return { ...made, shown };
}

test("a conversation that is long in coming says how much is read, and says nothing at first", async (t) => {
  const { shown, at, state } = await setup(t);
  assert.match(await shown(), /Opening a session…/);
  at(1_000);
  assert.doesNotMatch(await shown({ type: "opening", messages: 1_204 }), /Opening|loading 1/);
  assert.ok((PANE_DEFINITIONS.chat.changesIn?.(state()) ?? 0) >= 125);
  assert.match(await shown({ type: "tick", now: 1_150, wall: 0 }), /loading 1,204 messages…/);
  assert.match(await shown(SESSION), /New session\. Type a message, \/ for commands, F1 for keys\./);
});

test("a conversation that cannot be opened says why, and r retries", async (t) => {
  const { shown, effects } = await setup(t);
  assert.match(
    await shown({ type: "opening", failed: "there is no session s_9" }),
    /Failed to open the session\.[\s\S]*there is no session s_9[\s\S]*r retries/,
  );
  await shown(key("f2"), key("r"));
  assert.ok(effects.some((one) => one.do === "reload"));
});

test("while nothing is there yet the other panes say so", async (t) => {
  const { shown } = await setup(t);
  assert.match(await shown(SESSION), /triage … +todo …/);
});

test("a lost connection is told in the head of each pane and in the status line, and all stays readable", async (t) => {
  const { shown } = await setup(t);
  await shown(SESSION);
  const lost = await shown({ type: "connection", state: "lost" });
  assert.match(lost, /1 chat─ x disconnected/);
  assert.match(lost, /2 board─ default.* disconnected/);
  assert.match(lost, /^ disconnected/m);
  assert.doesNotMatch(await shown({ type: "connection", state: "connected" }), /disconnected/);
});

for (const [columns, rows] of [
  [160, 40],
  [80, 24],
  [40, 12],
] as const)
  test(`every pane says something at ${columns} x ${rows} with nothing to show`, async (t) => {
    const { shown } = await setup(t, columns, rows);
    await shown(SESSION);
    for (const pane of ["f2", "f3", "f4", "f5"]) {
      const text = await shown(key(pane));
      assert.match(text, /New session|triage …|…|No lines|Nothing/, pane);
    }
  });
