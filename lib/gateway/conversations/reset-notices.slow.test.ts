import assert from "node:assert/strict";
import { test } from "node:test";
import { chatGateway } from "../../../fixtures/sim/chat-gateway.js";
import { systemClock } from "../../base/time/clock.js";
import type { PlatformTag } from "../../contracts/board/platform-tag.js";

const DAY = 86_400_000;

/** The machine's clock, set forward by the test. */
function jumping() {
  const ahead = { ms: 0 };
  return { ahead, clock: { ...systemClock, now: () => systemClock.now() + ahead.ms } };
}

const texts = (seen: readonly { readonly text: string }[]) => seen.map(({ text }) => text);

async function overNight(t: Parameters<typeof chatGateway>[0], tag: PlatformTag, config = "") {
  const { ahead, clock } = jumping();
  const script = [{ text: "ONE" }, { text: "TWO" }, { text: "THREE" }];
  const world = await chatGateway(t, { script, clock, tag, config });
  await world.say("1", "my name is Ann");
  await world.shown(1);
  ahead.ms += DAY + 60_000;
  await world.say("2", "who am I?");
  return { world, ahead };
}

test("GW-30: a chat that rested begins again: a notice, the answer, and the model sees nothing of before", async (t) => {
  const { world } = await overNight(t, "msgt");
  const seen = texts(await world.shown(3));
  assert.match(seen[1] ?? "", /^↻ .*\/resume/);
  assert.equal(seen[2], "TWO");
  assert.doesNotMatch(JSON.stringify(world.owner.model.requests.at(-1)), /Ann/);
  await world.say("3", "and now?");
  assert.equal(texts(await world.shown(4))[3], "THREE", "it is told once");
  assert.equal((await world.owner.chat.list({})).length, 2);
});

test("where messages cost, the notice of a new beginning is the first line of the answer", async (t) => {
  const { world } = await overNight(t, "msgx");
  assert.match(texts(await world.shown(2))[1] ?? "", /^↻ .*\n\nTWO$/);
});

test("a new beginning is not told where no one wants it", async (t) => {
  const { world } = await overNight(t, "msgt", "session_reset:\n  notify_exclude_platforms: [msgt]\n");
  assert.deepEqual(texts(await world.shown(2)), ["ONE", "TWO"]);
  assert.equal((await world.owner.chat.list({})).length, 2);
});

test("a chat of a platform that never begins again goes on where it was", async (t) => {
  const { world } = await overNight(t, "msgt", "reset_by_platform:\n  msgt:\n    mode: none\n");
  assert.deepEqual(texts(await world.shown(2)), ["ONE", "TWO"]);
  assert.match(JSON.stringify(world.owner.model.requests.at(-1)), /Ann/);
});

test("a chat in which nothing was said begins again without a word", async (t) => {
  const { ahead, clock } = jumping();
  const world = await chatGateway(t, { script: [{ text: "ONE" }], clock });
  await world.say("1", "/title plan");
  await world.shown(1);
  ahead.ms += DAY + 60_000;
  await world.say("2", "hello");
  assert.equal(texts(await world.shown(2))[1], "ONE");
});

test("one more conversation than may run at once waits, its author is told once, and commands work meanwhile", async (t) => {
  const script = [{ text: "FIRST", hold: "first" }, { text: "SECOND" }];
  const world = await chatGateway(t, { script, config: "max_concurrent_sessions: 1\n" });
  await world.say("1", "work");
  await world.owner.model.arrived(1);
  await world.say("2", "me too", "c2");
  assert.match(texts(await world.shown(1))[0] ?? "", /\(1\/1\).*queued/);
  await world.say("3", "/whoami", "c2");
  await world.shown(2);
  world.owner.model.release("first");
  assert.deepEqual(texts(await world.shown(4)).slice(2), ["FIRST", "SECOND"]);
});
