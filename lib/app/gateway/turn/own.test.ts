import assert from "node:assert/strict";
import { test } from "node:test";
import { chatGateway } from "../../../../fixtures/sim/chat-gateway.js";

const texts = (seen: readonly { readonly text: string }[]) => seen.map(({ text }) => text);

test("the answer of /background comes to the chat that asked, and the conversation goes on beside it", async (t) => {
  const world = await chatGateway(t, { script: [{ text: "FIRST" }, { text: "ASIDE" }] });
  await world.say("1", "hello");
  await world.shown(1);
  await world.say("2", "/background what else");
  const seen = texts(await world.shown(3));
  assert.match(seen[1] ?? "", /will be posted here/);
  assert.match(seen[2] ?? "", /ASIDE/);
});

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
