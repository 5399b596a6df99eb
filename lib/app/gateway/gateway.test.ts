import assert from "node:assert/strict";
import { test } from "node:test";
import { chatGateway } from "../../../fixtures/sim/chat-gateway.js";

const texts = (seen: readonly { readonly text: string }[]) => seen.map(({ text }) => text);

test("a message in a chat is answered there, and the next one goes on in the same conversation", async (t) => {
  const world = await chatGateway(t, { script: [{ text: "PONG" }, { text: "again" }] });
  assert.equal(await world.say("1", "ping"), "accepted");
  assert.deepEqual(texts(await world.shown(1)), ["PONG"]);
  await world.say("2", "and now");
  assert.deepEqual(texts(await world.shown(2)), ["PONG", "again"]);
  const sessions = await world.owner.chat.list({ source: "msgt" });
  assert.equal(sessions.length, 1);
  assert.equal(sessions[0]?.message_count, 4);
});

test("an event that the platform delivers again is answered once", async (t) => {
  const world = await chatGateway(t, { script: [{ text: "PONG" }, { text: "END" }] });
  await world.say("1", "ping");
  assert.equal(await world.say("1", "ping"), "duplicate");
  await world.shown(1);
  assert.equal(await world.say("1", "ping"), "duplicate");
  await world.say("2", "end");
  assert.deepEqual(texts(await world.shown(2)), ["PONG", "END"]);
});

test("GW-11: a stranger gets nothing where an allowlist is set, and the model is not called", async (t) => {
  const world = await chatGateway(t, { script: [{ text: "PONG" }] });
  await world.say("1", "hello", "c9");
  await world.say("2", "/status", "c9");
  await world.say("3", "ping");
  assert.deepEqual(texts(await world.shown(1)), ["PONG"]);
  assert.equal(await world.state("1"), "refused");
  assert.equal(await world.state("2"), "refused");
  assert.equal(world.platform.calls.length, 1);
});

test("a long answer is cut into messages of the platform's size, and only the first one quotes", async (t) => {
  const world = await chatGateway(t, { script: [{ text: "word ".repeat(2000).trim(), chunk: 4000 }] });
  await world.say("1", "ping");
  const seen = await world.shown(3);
  assert.equal(seen.length, 3);
  assert.match(seen[2]?.text ?? "", / \(3\/3\)$/);
  for (const { text } of seen) assert.ok(text.length <= 4096);
});

test("a model that says to be silent is not shown", async (t) => {
  const world = await chatGateway(t, { script: [{ text: "[SILENT]" }, { text: "use [SILENT] for that" }] });
  await world.say("1", "ping");
  await world.say("2", "and?");
  assert.deepEqual(texts(await world.shown(1)), ["use [SILENT] for that"]);
});

test("a model that fails is told in the chat", async (t) => {
  const world = await chatGateway(t, { script: [{ status: 400, body: { error: { message: "no such model" } } }] });
  await world.say("1", "ping");
  assert.match((await world.shown(1))[0]?.text ?? "", /^⚠️ /);
  assert.equal(await world.state("1"), "failed");
});

test("an answer that was ready when the gateway had stopped is sent once, by the next one", async (t) => {
  const world = await chatGateway(t, { script: [{ text: "READY", hold: "model" }, { text: "END" }] });
  await world.say("1", "ping");
  await world.owner.model.arrived(1);
  await world.restart(async () => {
    world.owner.model.release("model");
    const [session] = await world.owner.chat.list({});
    if (session !== undefined) await world.owner.chat.idle(session.id);
  });
  await world.shown(1);
  await world.say("2", "end");
  assert.deepEqual(texts(await world.shown(2)), ["READY", "END"]);
});
