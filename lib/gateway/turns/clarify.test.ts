import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { askingChat } from "../../../fixtures/sim/asking-chat.js";
import { chatGateway } from "../../../fixtures/sim/chat-gateway.js";

const ASKS = { tool_calls: [{ name: "clarify", arguments: { question: "Which one?", choices: ["red", "blue"] } }] };

test("a question of the model is answered by a button, a number or the next text", async (t) => {
  const world = await askingChat(t, [ASKS, ASKS, ASKS, { text: "DONE" }]);
  await world.say("1", "paint");
  await world.shown(1);
  await world.press("2", world.buttons()[1]?.data ?? "");
  await world.shown(4);
  await world.say("3", "1");
  await world.shown(6);
  await world.say("4", "green, please");
  while (!world.sent.some(({ payload }) => payload.text === "DONE"))
    await world.shown(world.platform.ledger.length + 1);
  const [session] = await world.owner.chat.list({});
  const results = session === undefined ? [] : await world.owner.results(session.id);
  assert.deepEqual(
    results.map((one) => (one as { user_response: string }).user_response),
    ["blue", "red", "green, please"],
  ); // results of clarify
});

test("the sign of typing rests while someone is asked", async (t) => {
  const clock = manualClock();
  const signs: boolean[] = [];
  const platform = { typing: async (_: string, on: boolean) => void signs.push(on) };
  const world = await chatGateway(t, { script: [ASKS, { text: "DONE" }], clock, platform });
  await world.say("1", "paint");
  await world.shown(1);
  const before = signs.length;
  assert.deepEqual(signs.slice(-2), [true, false]);
  clock.advance(6_000);
  assert.equal(signs.length, before);
  await world.say("2", "red");
  while (!world.platform.ledger.some(({ text }) => text === "DONE"))
    await world.shown(world.platform.ledger.length + 1);
  assert.equal(signs.at(-1), false);
});
