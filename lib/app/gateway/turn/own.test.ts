import assert from "node:assert/strict";
import { test } from "node:test";
import { chatGateway } from "../../../../fixtures/sim/chat-gateway.js";

const texts = (seen: readonly { readonly text: string }[]) => seen.map(({ text }) => text);

test("what a conversation says by itself comes to its chat once", async (t) => {
  const world = await chatGateway(t, { script: [{ text: "FIRST" }, { text: "NEWS" }, { text: "LAST" }] });
  await world.say("1", "hello");
  await world.shown(1);
  const [session] = await world.owner.chat.list({});
  assert.ok(session);
  await world.owner.chat.queueAdd(session.id, { text: "something has ended", kind: "process_notice", source: "background" });
  assert.deepEqual(texts(await world.shown(2)), ["FIRST", "NEWS"]);
  await world.say("2", "and?");
  assert.deepEqual(texts(await world.shown(3)), ["FIRST", "NEWS", "LAST"]);
});
