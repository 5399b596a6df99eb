import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { gatewayWorld } from "../../../fixtures/sim/gateway-world.js";
import { simPlatform } from "../../../fixtures/sim/platform.js";
import { LIMITS } from "../../base/limits.js";
import type { NewSend } from "../../contracts/gateway/outbox.js";
import type { Platform } from "../../contracts/gateway/platform.js";
import { toReceipt } from "./send-outcome.js";

const ANSWER = (chatId: string, text: string): NewSend => ({
  kind: "answer",
  target: { platform: "msgx", account: "bot", chatId, threadId: null, replyTo: null },
  payload: { text, format: "plain", silent: false },
});

/** More chats than calls may run at once, and than are looked at. */
const MANY = Array.from({ length: 3 * LIMITS.sendsAtOnce }, (_, n) => `paced-${n}`);
const PACE_MS = 1_500;

async function paced(t: TestContext, more: (port: Platform) => Partial<Platform>) {
  const clock = manualClock();
  const platform = simPlatform("msgx", () => clock.now(), toReceipt);
  Object.assign(platform.port, more({ ...platform.port }));
  const world = await gatewayWorld({ platforms: [platform], clock });
  t.after(world.stop);
  await world.start();
  await world.quiet();
  const seen = () => platform.ledger.map(({ chat }) => chat);
  return { ...world, seen, platform, states: async () => (await world.rows()).outbox.map(({ state }) => state) };
}

test("chats that may not be written to yet take no place: other chats are sent to, and theirs follow when it is time, without an attempt before", async (t) => {
  const until = { paced: PACE_MS };
  const world = await paced(t, () => ({
    resting: () => (until.paced === 0 ? new Map() : new Map(MANY.map((chat) => [chat, until.paced]))),
  }));
  await world.outbox.insert([...MANY, "other"].map((chat) => ANSWER(chat, "x")));
  await world.quiet();
  assert.deepEqual(world.seen(), ["other"]);
  assert.ok((await world.rows()).outbox.every(({ chat_id, attempts }) => attempts === (chat_id === "other" ? 1 : 0)));
  world.clock.advance(PACE_MS - 1);
  until.paced = 1;
  await world.quiet();
  assert.deepEqual(world.seen(), ["other"]);
  until.paced = 0;
  world.clock.advance(1);
  for (let calls = 0; calls < MANY.length; calls += LIMITS.sendsAtOnce) await world.quiet();
  assert.equal(world.seen().length, MANY.length + 1);
});

test("a message of several parts that rests between them holds up no other chat, and no more wait at once than are looked at", async (t) => {
  let most = 0;
  let now = 0;
  const world = await paced(t, (port) => ({
    send: async (row, signal, rest) => {
      if (row.target.chatId.startsWith("paced")) {
        now += 1;
        most = Math.max(most, now);
        await rest?.(PACE_MS);
        now -= 1;
      }
      return port.send(row, signal);
    },
  }));
  await world.outbox.insert([...MANY.slice(0, LIMITS.sendsAtOnce), "other"].map((chat) => ANSWER(chat, "x")));
  await world.quiet();
  assert.deepEqual(world.seen(), ["other"]);
  await world.outbox.insert(MANY.slice(LIMITS.sendsAtOnce).map((chat) => ANSWER(chat, "x")));
  await world.quiet();
  for (let calls = 0; calls < MANY.length; calls += LIMITS.sendsAtOnce) {
    world.clock.advance(PACE_MS);
    await world.quiet();
  }
  assert.equal(world.seen().length, MANY.length + 1);
  assert.equal(most, 2 * LIMITS.sendsAtOnce);
  assert.ok((await world.states()).every((state) => state === "sent"));
});

test("a drain waits for what only the pace of its chat holds back", async (t) => {
  const until = { paced: PACE_MS };
  const world = await paced(t, () => ({ resting: () => new Map(until.paced === 0 ? [] : [["c1", until.paced]]) }));
  await world.outbox.insert([ANSWER("c1", "second chunk")]);
  await world.quiet();
  let drained: boolean | undefined;
  const drain = world.drain(60_000).then((done) => {
    drained = done;
  });
  await world.quiet();
  assert.equal(drained, undefined);
  until.paced = 0;
  world.clock.advance(PACE_MS);
  await drain;
  assert.deepEqual([drained, world.seen()], [true, ["c1"]]);
});
