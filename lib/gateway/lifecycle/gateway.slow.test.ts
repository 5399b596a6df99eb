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
  assert.doesNotMatch(JSON.stringify(world.owner.model.requests), /hello/);
});

test("GW-22: a long answer with a block of code comes in messages of the platform's size, numbered, each with whole blocks, and none of it is missing", async (t) => {
  const lines = Array.from({ length: 150 }, (_, n) => `const value${n} = compute(${n});`).join("\n");
  const text = `${"word ".repeat(300).trim()}\n\`\`\`ts\n${lines}\n\`\`\`\n${"more ".repeat(500).trim()}`;
  assert.ok(text.length > 8_000);
  const world = await chatGateway(t, { script: [{ text, chunk: 4000 }] });
  await world.say("1", "ping");
  const seen = texts(await world.shown(3));
  assert.ok(seen.length >= 2);
  for (const [at, one] of seen.entries()) {
    assert.ok(one.length <= 4096 && one.endsWith(`(${at + 1}/${seen.length})`), one.slice(-20));
    assert.equal((one.match(/^```/gm) ?? []).length % 2, 0);
  }
  const plain = (one: string) =>
    one
      .replace(/\s\(\d+\/\d+\)$/, "")
      .replace(/^```\w*$/gm, "")
      .replace(/\s+/g, "");
  assert.equal(seen.map(plain).join(""), plain(text));
});

test("GW-21: a model that says to be silent is not shown, and its word is kept; a text that names the word is", async (t) => {
  const world = await chatGateway(t, { script: [{ text: "[SILENT]" }, { text: "use [SILENT] for that" }] });
  await world.say("1", "ping");
  await world.say("2", "and?");
  assert.deepEqual(texts(await world.shown(1)), ["use [SILENT] for that"]);
  const [session] = await world.owner.chat.list({ source: "msgt" });
  assert.ok(session);
  const said = (await world.owner.messages(session.id)).map(({ content }) => content);
  assert.deepEqual(said, ["ping", "[SILENT]", "and?", "use [SILENT] for that"]);
  assert.equal(world.platform.calls.length, 1);
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
