import assert from "node:assert/strict";
import { test } from "node:test";
import { chatGateway } from "../../../fixtures/sim/chat-gateway.js";
import { noteTurn } from "../../../storage/tables/gateway-sessions.js";
import type { SessionId } from "../../base/units.js";

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

test("GW-14: an unknown command is answered with its name and where the commands are, without the model", async (t) => {
  const world = await chatGateway(t, { script: [] });
  await world.say("1", "/nosuchthing");
  const [answer] = texts(await world.shown(1));
  assert.match(answer ?? "", /\/nosuchthing/);
  assert.match(answer ?? "", /\/commands/);
  assert.equal(world.owner.model.requests.length, 0);
});

test("GW-15: a path at the beginning of a message is text", async (t) => {
  const world = await chatGateway(t, { script: [{ text: "PONG" }] });
  await world.say("1", "/usr/bin/env is broken");
  assert.deepEqual(texts(await world.shown(1)), ["PONG"]);
});

test("GW-17: /status is answered while a turn runs, and the turn goes on", async (t) => {
  const world = await chatGateway(t, { script: [{ text: "LATE", hold: "model" }] });
  await world.say("1", "ping");
  await world.owner.model.arrived(1);
  await world.say("2", "/status");
  assert.match((await world.shown(1))[0]?.text ?? "", /home: /);
  world.owner.model.release("model");
  assert.equal((await world.shown(2))[1]?.text, "LATE");
});

test("GW-18: /stop ends a turn whose model never answers, and the next message is answered", async (t) => {
  const world = await chatGateway(t, { script: [{ text: "NEVER", hold: "never" }, { text: "PONG" }] });
  await world.say("1", "ping");
  await world.owner.model.arrived(1);
  await world.say("2", "/stop");
  assert.match((await world.shown(1))[0]?.text ?? "", /^⚡/);
  await world.say("3", "hi");
  assert.deepEqual(texts((await world.shown(2)).slice(1)), ["PONG"]);
  assert.equal(await world.state("1"), "answered");
});

test("/new begins a new conversation, and the old one stays as it was", async (t) => {
  const world = await chatGateway(t, { script: [{ text: "one" }, { text: "two" }] });
  await world.say("1", "first");
  await world.shown(1);
  await world.say("2", "/new");
  await world.shown(2);
  await world.say("3", "second");
  assert.equal((await world.shown(3))[2]?.text, "two");
  assert.equal((await world.owner.chat.list({})).length, 2);
});

test("GW-33: a conversation of somebody else cannot be opened from a chat", async (t) => {
  const world = await chatGateway(t, { script: [{ text: "mine" }] });
  const other = await world.owner.open();
  await world.say("1", `/resume ${other.id}`);
  assert.match((await world.shown(1))[0]?.text ?? "", /^⛔/);
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

test("a command that an earlier owner had begun is not run a second time, and its writer is told", async (t) => {
  const world = await chatGateway(t, { script: [] });
  await world.restart(async () => {
    const store = await world.owner.app.stores.state();
    await world.say("1", "/title changed");
    const begun = { turn: "command:1", root: "command:1", session_id: "" as SessionId, begun_at: world.owner.app.options.clock.now() }; // as the router notes it
    await store.write("test", (tx) => noteTurn(tx, begun));
  });
  assert.match((await world.shown(1))[0]?.text ?? "", /may have been carried out/);
  assert.equal((await world.owner.chat.list({})).length, 0);
});
