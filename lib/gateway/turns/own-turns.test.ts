import assert from "node:assert/strict";
import { test } from "node:test";
import { chatGateway } from "../../../fixtures/sim/chat-gateway.js";

const texts = (seen: readonly { readonly text: string }[]) => seen.map(({ text }) => text);

test("what a conversation says by itself comes to its chat once", async (t) => {
  const world = await chatGateway(t, { script: [{ text: "FIRST" }, { text: "NEWS" }, { text: "LAST" }] });
  await world.say("1", "hello");
  await world.shown(1);
  const [session] = await world.owner.chat.list({});
  assert.ok(session);
  await world.owner.chat.queueAdd(session.id, {
    text: "something has ended",
    kind: "process_notice",
    source: "background",
  });
  assert.deepEqual(texts(await world.shown(2)), ["FIRST", "NEWS"]);
  await world.say("2", "and?");
  assert.deepEqual(texts(await world.shown(3)), ["FIRST", "NEWS", "LAST"]);
});

test("what is sent to a chat that has a conversation arrives once, and the conversation knows it", async (t) => {
  const world = await chatGateway(t, { script: [{ text: "FIRST" }, { text: "LAST" }] });
  await world.say("1", "hello");
  await world.shown(1);
  const { messages } = await world.owner.app.couriers();
  const { signal } = new AbortController();
  const { sent } = await messages.send({ target: "msgt:c1", text: "BACKUP DONE", wait: 10_000 }, signal);
  assert.deepEqual([sent[0]?.state, sent[0]?.mirrored], ["sent", true]);
  await world.say("2", "and?");
  assert.deepEqual(texts(await world.shown(3)), ["FIRST", "BACKUP DONE", "LAST"]);
  const [session] = await world.owner.chat.list({});
  assert.ok(session);
  const said = (await world.owner.messages(session.id))
    .filter(({ role }) => role === "assistant")
    .map(({ content }) => content);
  assert.deepEqual(said, ["FIRST", "BACKUP DONE", "LAST"]);
});

test("send_message to the chat that it works for arrives once and does not wait for its own turn", async (t) => {
  const call = { name: "send_message", arguments: { target: "msgt:c1", message: "HALFWAY" } };
  const world = await chatGateway(t, { script: [{ tool_calls: [call] }, { text: "DONE" }, { text: "LAST" }] });
  await world.say("1", "go");
  await world.shown(2);
  await world.say("2", "and?");
  assert.deepEqual(texts(await world.shown(3)), ["HALFWAY", "DONE", "LAST"]);
});

test("a job's output to a chat that has a conversation arrives once", async (t) => {
  const world = await chatGateway(t, { script: [{ text: "FIRST" }, { text: "LAST" }] });
  await world.say("1", "hello");
  await world.shown(1);
  const { courier } = await world.owner.app.couriers();
  const { places } = await courier.find("msgt:c1");
  const [place] = places;
  assert.ok(place);
  const { rows } = await courier.draft(place, {
    kind: "cron",
    text: "REPORT",
    format: "markdown",
    files: [],
    key: "cron:1",
  });
  await courier.put(rows);
  await world.shown(2);
  await world.say("2", "and?");
  assert.deepEqual(texts(await world.shown(3)), ["FIRST", "REPORT", "LAST"]);
});
