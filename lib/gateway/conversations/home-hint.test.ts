import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { chatGateway } from "../../../fixtures/sim/chat-gateway.js";

test("the first answer on a platform without a home channel says so, once; /sethome sets it", async (t) => {
  const world = await chatGateway(t, { script: [{ text: "one" }, { text: "two" }], hints: true });
  await world.say("1", "ping");
  const [answer, hint] = await world.shown(2);
  assert.equal(answer?.text, "one");
  assert.match(hint?.text ?? "", /No home channel is set for this platform\. \/sethome/);
  await world.say("2", "/sethome");
  assert.equal((await world.shown(3))[2]?.text, "🏠 This chat is now the home channel of msgt.");
  assert.match(readFileSync(world.owner.home.env, "utf8"), /^MSGT_HOME_CHANNEL=c1$/m);
  const { courier } = await world.owner.app.couriers();
  assert.deepEqual(courier.homes(), [{ platform: "msgt", chatId: "c1", threadId: null, name: "Home" }]);
  await world.say("3", "ping");
  assert.equal((await world.shown(4))[3]?.text, "two");
});

test("on a platform whose messages cost money the hint is the last line of the answer", async (t) => {
  const world = await chatGateway(t, { script: [{ text: "one" }], hints: true, tag: "msgl" });
  await world.say("1", "ping");
  assert.match((await world.shown(1))[0]?.text ?? "", /^one\n\n🏠 No home channel/);
});
