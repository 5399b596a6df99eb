import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { key, openScreen } from "../../../fixtures/tui/screen.js";
import type { Message } from "../../model/messages.js";

const IDLE = { turns: [], children: [], processes: [], workers: [] };
const BUSY = { turns: ["fix the parser"], children: [], processes: ["npm run \u001b[2Jdev"], workers: ["t_1", "t_2"] };

const answer = (result: unknown): Message => ({ type: "called", to: "quit.under_way", ok: true, result });
const typed = (text: string): Message => ({ type: "text", text });

async function setup(t: TestContext) {
  const made = await openScreen(120, 40);
  t.after(made.close);
  await made.send(key("d", { ctrl: true }));
  assert.deepEqual(made.effects, [
    { do: "call", method: "owner.under_way", params: {}, to: "quit.under_way", reads: true, withinMs: 250 },
  ]);
  return { ...made, last: () => made.effects.at(-1) };
}

test("the owner with nothing under way just leaves", async (t) => {
  const { send, last } = await setup(t);
  await send(answer(IDLE));
  assert.deepEqual(last(), { do: "leave", how: "stop" });
});

test("the owner with work under way lists it and says what each choice does", async (t) => {
  const { send } = await setup(t);
  const shown = (await send(answer(BUSY))).join("\n");
  for (const line of [
    "1 turn: fix the parser",
    "1 background process: npm run ␛dev",
    "2 board workers: t_1, t_2",
    "adopts 2 board workers",
  ])
    assert.ok(shown.includes(line), shown);
});

const CHOICES = [
  ["d", { do: "leave", how: "detach" }],
  ["s", { do: "leave", how: "stop" }],
  ["S", { do: "call", method: "owner.stop_workers", params: {}, to: "quit.stopped" }],
] as const;
for (const [letter, effect] of CHOICES)
  test(`${letter} in the quit dialog does what it says`, async (t) => {
    const { send, last, effects } = await setup(t);
    await send(answer(BUSY), typed(letter));
    assert.deepEqual(
      effects.findLast((one) => one.do !== "tell"),
      effect,
    );
    assert.ok(last());
  });

test("workers that could not be stopped keep the screen open, and the reason is said", async (t) => {
  const { send, last, state } = await setup(t);
  await send(answer(BUSY), typed("S"));
  await send({
    type: "called",
    to: "quit.stopped",
    ok: true,
    result: { stopped: [], kept: [{ task: "t_1", why: "it is stuck" }] },
  });
  assert.match(state().message?.text ?? "", /t_1 is still running: it is stuck/);
  await send({ type: "called", to: "quit.stopped", ok: true, result: { stopped: ["t_1"], kept: [] } });
  assert.deepEqual(last(), { do: "leave", how: "stop" });
});

test("Escape in the quit dialog goes back to work", async (t) => {
  const { send, state, effects } = await setup(t);
  await send(answer(BUSY), key("escape"));
  assert.equal(state().overlay, undefined);
  assert.ok(!effects.some((one) => one.do === "leave"));
});
