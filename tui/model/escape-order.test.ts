import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { key, openScreen } from "../../fixtures/tui/screen.js";
import { HELP } from "../overlays/help/state.js";
import { PALETTE } from "../overlays/palette/state.js";
import { PERMISSIONS } from "../overlays/permissions/state.js";
import { PANES } from "./panes.gen.js";

const CTRL_C = key("c", { ctrl: true });
const ESCAPE = key("escape");

async function setup(t: TestContext, busy = true) {
  const made = await openScreen(160, 40, "none");
  t.after(made.close);
  await made.send({ type: "session", id: "s_1", title: "", model: "m", items: [] });
  if (busy) await made.send({ type: "chat", event: "turn.started", data: {} });
  const done = () => made.effects.filter((one) => one.do === "interrupt" || one.do === "leave");
  return { ...made, done };
}

test("W06 Ctrl+C interrupts the turn and says so, again within two seconds it forces", async (t) => {
  const { send, at, done } = await setup(t);
  assert.match((await send(CTRL_C)).join("\n"), /interrupting/);
  at(1_900);
  await send(CTRL_C);
  assert.deepEqual(done(), [
    { do: "interrupt", force: false },
    { do: "interrupt", force: true },
  ]);
});

test("the third Ctrl+C within five seconds leaves an owner that does not answer", async (t) => {
  const { send, at, done } = await setup(t);
  await send({ type: "connection", state: "lost" });
  for (const now of [0, 2_400, 4_900]) {
    at(now);
    await send(CTRL_C);
  }
  assert.deepEqual(done().at(-1), { do: "leave", how: "stop" });
});

test("three turns interrupted within five seconds do not quit: a press counts for its own turn alone", async (t) => {
  const { send, at, done } = await setup(t);
  for (const now of [100, 1_000, 1_900, 2_800]) {
    at(now);
    await send({ type: "chat", event: "turn.started", data: {} });
    at(now + 400);
    await send(CTRL_C, { type: "chat", event: "turn.ended", data: {} });
  }
  assert.deepEqual(
    done(),
    Array.from({ length: 4 }, () => ({ do: "interrupt", force: false })),
  );
});

test("Ctrl+C over a dialog that has replaced the help closes it, and does not bring back what the help covered", async (t) => {
  const { send, become, state } = await setup(t, false);
  become({ ...state(), overlay: PERMISSIONS, below: PALETTE });
  await send(CTRL_C);
  assert.deepEqual([state().overlay, state().below], [undefined, undefined]);
  become({ ...state(), overlay: HELP, below: PALETTE });
  await send(CTRL_C);
  assert.deepEqual([state().overlay?.kind, state().below], ["palette", undefined]);
});

test("three presses of Ctrl+C far apart only interrupt", async (t) => {
  const { send, at, done } = await setup(t);
  for (const now of [0, 4_000, 8_000]) {
    at(now);
    await send(CTRL_C);
  }
  assert.ok(done().every((one) => one.do === "interrupt"));
});

test("Escape twice within 800 ms interrupts the turn, from a pane too", async (t) => {
  for (const focus of ["composer", ...PANES]) {
    const { send, at, done } = await setup(t);
    await send({ type: "act", action: focus === "composer" ? "composer" : `pane.${focus}` }, ESCAPE);
    assert.deepEqual(done(), []);
    at(700);
    await send(ESCAPE);
    assert.deepEqual(done(), [{ do: "interrupt", force: false }], focus);
  }
});

test("two slow Escapes interrupt nothing, and without a turn two quick ones neither", async (t) => {
  const slow = await setup(t);
  await slow.send(ESCAPE);
  slow.at(900);
  await slow.send(ESCAPE);
  const idle = await setup(t, false);
  await idle.send(ESCAPE, ESCAPE);
  assert.deepEqual([slow.done(), idle.done()], [[], []]);
});

test("W07 Ctrl+C clears the text, the history has it back, and two more presses quit", async (t) => {
  const { send, at, state, effects } = await setup(t, false);
  await send({ type: "text", text: "half a thought" }, CTRL_C);
  assert.equal(state().composer.editor.text, "");
  await send(key("up"));
  assert.equal(state().composer.editor.text, "half a thought");
  await send(CTRL_C, CTRL_C);
  at(1_500);
  await send(CTRL_C);
  assert.ok(effects.some((one) => one.do === "call" && one.method === "owner.under_way"));
  await send({
    type: "called",
    to: "quit.under_way",
    ok: true,
    result: { turns: [], children: [], processes: [], workers: [] },
  });
  assert.deepEqual(effects.at(-1), { do: "leave", how: "stop" });
});

test("Ctrl+C closes what is open before it touches anything else", async (t) => {
  const { send, state, done } = await setup(t);
  for (const open of [key("f1"), key("p", { ctrl: true }), key("o", { ctrl: true })]) {
    await send(open);
    assert.notEqual(state().overlay, undefined);
    await send(CTRL_C);
    assert.equal(state().overlay, undefined);
  }
  assert.deepEqual(done(), []);
});

test("W02 Tab goes through all panes and back, and the focused one is seen without colour", async (t) => {
  const { send, state, lines } = await setup(t, false);
  const seen: string[] = [];
  for (let step = 0; step < 5; step++) {
    await send(key("tab"));
    seen.push(state().focus);
    const focused = lines()
      .join("\n")
      .match(/╔[^╗]*?\d (\w+)/)?.[1];
    assert.equal(focused, state().focus === "composer" ? undefined : state().focus);
  }
  assert.deepEqual(seen, ["chat", "board", "runs", "logs", "composer"]);
  const back: string[] = [];
  for (let step = 0; step < 5; step++) {
    await send(key("tab", { shift: true }));
    back.push(state().focus);
  }
  assert.deepEqual(back, ["logs", "runs", "board", "chat", "composer"]);
});

test("an unbound letter in a pane says how to type", async (t) => {
  const { send, state } = await setup(t, false);
  await send(key("f5"), { type: "text", text: "~" });
  assert.equal(state().message?.text, "i or Esc to type");
});
