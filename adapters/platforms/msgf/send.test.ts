import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { rateLimit, refused } from "../../../fixtures/servers/msgf/server.js";
import type { Fate } from "../../../fixtures/servers/shared/fate.js";
import { quiet } from "../../../fixtures/sim/gateway-world.js";
import { type MsgfWorldOptions, messageEvent, msgfWorld } from "../../../fixtures/worlds/msgf-world.js";
import type { SendPayload, SendTarget } from "../../../lib/contracts/gateway/outbox.js";

async function connected(t: TestContext, options: MsgfWorldOptions = {}) {
  const world = await msgfWorld(t, options);
  await world.reaches("connected");
  world.server.state.known.set("om_1", { chat: "oc_1", text: "hi" });
  const { account } = world.platform;
  const target = (more: Partial<SendTarget> = {}): SendTarget => ({
    platform: "msgf",
    account,
    chatId: "oc_1",
    threadId: null,
    replyTo: null,
    ...more,
  });
  return { ...world, target };
}

const _payload = (more: Partial<SendPayload> = {}): SendPayload => ({
  text: "words",
  format: "plain",
  silent: false,
  ...more,
});

test("GW-91: an answer is a reply with the kind text and the row's key", async (t) => {
  const { send, settled, server, target } = await connected(t);
  await send("PONG", { target: target({ replyTo: "om_1" }), markdown: true });
  const [row] = await settled();
  assert.deepEqual([row?.state, row?.platform_message_id], ["sent", "om_bot_1"]);
  const [call] = server.of("reply");
  assert.equal(call?.path, "/open-apis/im/v1/messages/om_1/reply");
  assert.deepEqual(call?.body, {
    msg_type: "text",
    content: '{"text":"PONG"}',
    reply_in_thread: false,
    uuid: row?.idem_key,
  });
  assert.match(row?.idem_key ?? "", /^[0-9a-f-]{36}$/);
});

for (const code of [230_011, 231_003]) {
  test(`GW-95: a reply that is refused with ${code} becomes a new message of the chat with the same key`, async (t) => {
    const { send, settled, server, target } = await connected(t);
    server.next("reply", refused(code, "The message is withdrawn"));
    await send("PONG", { target: target({ replyTo: "om_1" }) });
    const [row] = await settled();
    assert.equal(row?.state, "sent");
    const [reply] = server.of("reply");
    const [sent] = server.of("send");
    assert.deepEqual(
      [sent?.body["receive_id"], sent?.body["uuid"], reply?.body["uuid"]],
      ["oc_1", row?.idem_key, row?.idem_key],
    );
    assert.equal(server.shown.length, 1);
  });
}

test("a reply in a thread whose message is gone is not sent to the chat", async (t) => {
  const { send, settled, server, target } = await connected(t);
  server.next("reply", refused(230_011, "The message is withdrawn"));
  await send("PONG", { kind: "notice", target: target({ replyTo: "om_1", threadId: "omt_1" }) });
  assert.equal((await settled())[0]?.state, "failed");
  assert.equal(server.of("send").length, 0);
});

test("an answer in a thread that quotes nothing answers the last message there", async (t) => {
  const { send, settled, server, received, target } = await connected(t);
  server.state.known.set("om_9", { chat: "oc_1", text: "in the thread" });
  server.push(messageEvent("om_9", "in the thread", { message: { thread_id: "omt_1" } }));
  await received(1);
  await send("PONG", { target: target({ threadId: "omt_1" }) });
  assert.equal((await settled())[0]?.state, "sent");
  assert.deepEqual(
    server.of("reply").map(({ path, body }) => [path.split("/")[5], body["reply_in_thread"]]),
    [["om_9", true]],
  );
});

const KINDS: readonly (readonly [what: string, text: string, markdown: boolean, type: string])[] = [
  ["plain words", "words, and 2*3", true, "text"],
  ["Markdown", "**bold** words", true, "post"],
  ["a table", "| a | b |\n|---|---|\n| **1** | 2 |", true, "text"],
  ["Markdown that is meant as it is", "**bold**", false, "text"],
];

for (const [what, text, markdown, type] of KINDS) {
  test(`${what}: sent as ${type}`, async (t) => {
    const { send, settled, server } = await connected(t);
    await send(text, { chat: "oc_1", markdown });
    assert.equal((await settled())[0]?.state, "sent");
    assert.deepEqual(
      server.shown.map((one) => one.type),
      [type],
    );
  });
}

test("a post that the platform refuses is sent as text", async (t) => {
  const { send, settled, server } = await connected(t);
  server.next("send", refused(230_001, "invalid post content"));
  await send("**bold**", { chat: "oc_1", markdown: true });
  assert.equal((await settled())[0]?.state, "sent");
  assert.deepEqual(
    server
      .of("send")
      .map(({ body }) => [body["msg_type"], body["uuid"]])
      .map(([type]) => type),
    ["post", "text"],
  );
  assert.deepEqual(
    server.shown.map(({ content }) => content),
    [{ text: "**bold**" }],
  );
});

test("a text rings for no one, whatever stands in it", async (t) => {
  const { send, settled, server } = await connected(t);
  await send('<at user_id="all">everybody</at>', { chat: "oc_1" });
  await settled();
  assert.doesNotMatch(JSON.stringify(server.shown[0]?.content), /<at/);
});

const FATES: readonly (readonly [what: string, fate: Fate, calls: number])[] = [
  ["a connection that breaks after the delivery", { do: "drop", after: true }, 2],
  ["a connection that breaks before the delivery", { do: "drop", after: false }, 2],
  ["a page of a broken gateway after the delivery", { do: "answer", status: 502, body: "<html>", after: true }, 2],
  ["an error of the platform itself", refused(230_020, "This operation triggers the frequency limit"), 2],
  ["an internal error in the platform's format", refused(2200, "Internal Error", 500), 2],
];

for (const [what, fate, calls] of FATES) {
  test(`after ${what} the message is sent again with its key, and shown once`, async (t) => {
    const { send, settled, server, clock } = await connected(t);
    server.next("send", fate);
    await send("once", { chat: "oc_1" });
    await settled();
    clock.advance(10_000);
    const [row] = await settled();
    assert.equal(row?.state, "sent");
    assert.deepEqual([server.of("send").length, server.shown.length], [calls, 1]);
    assert.equal(new Set(server.of("send").map(({ body }) => body["uuid"])).size, 1);
  });
}

test("an answer that never comes is asked for again within the hour of its key, and shown once", async (t) => {
  const { send, settled, server, clock } = await connected(t);
  server.next("send", { do: "hang", after: true });
  await send("once", { chat: "oc_1" });
  await server.until(() => server.shown.length === 1);
  clock.advance(20_000);
  await settled();
  clock.advance(10_000);
  assert.equal((await settled())[0]?.state, "sent");
  assert.equal(server.shown.length, 1);
});

test("a rate limit is waited for as long as the platform says", async (t) => {
  const { send, settled, server, clock } = await connected(t);
  server.next("send", rateLimit(7));
  await send("once", { chat: "oc_1" });
  assert.equal((await settled())[0]?.state, "pending");
  clock.advance(6999);
  await quiet();
  assert.equal(server.of("send").length, 1);
  clock.advance(1);
  assert.equal((await settled())[0]?.state, "sent");
});

test("a rate limit of the app that comes with 400 is waited for as long as the platform says", async (t) => {
  const { send, settled, server, clock } = await connected(t);
  const limited = refused(99_991_400, "request trigger frequency limit");
  server.next("send", { ...limited, headers: { "x-ogw-ratelimit-reset": "9" } } as Fate); // it is an answer
  await send("once", { chat: "oc_1" });
  await settled();
  clock.advance(8999);
  await quiet();
  assert.equal(server.of("send").length, 1);
  clock.advance(1);
  assert.equal((await settled())[0]?.state, "sent");
});

test("401 with a code that no one knows is about the token: a new one is tried, then the adapter stops and the message waits", async (t) => {
  const { send, settled, server, reaches } = await connected(t);
  const denied = refused(99_990_000, "no", 401);
  server.next("send", denied, denied);
  await send("later", { chat: "oc_1" });
  assert.equal((await settled())[0]?.state, "pending");
  assert.equal((await reaches("fatal")).error_code, "auth_failed");
  assert.deepEqual([server.of("token").length, server.of("send").length], [2, 2]);
});

test("a token that is too old is renewed, and the message goes out with the new one", async (t) => {
  const { send, settled, server } = await connected(t);
  server.forgetTokens();
  await send("once", { chat: "oc_1" });
  assert.equal((await settled())[0]?.state, "sent");
  assert.deepEqual([server.of("token").length, server.shown.length], [2, 1]);
});

test("one token serves many messages, and is renewed before its end", async (t) => {
  const { send, settled, server, clock } = await connected(t);
  for (const chat of ["oc_1", "oc_2", "oc_3"]) await send("hi", { chat });
  await settled(3);
  assert.equal(server.of("token").length, 1);
  clock.advance(7_100_000);
  await send("later", { chat: "oc_1" });
  await settled();
  assert.equal(server.of("token").length, 2);
});

test("a secret that is refused stops the adapter, and the message waits", async (t) => {
  const { send, settled, server, reaches } = await connected(t);
  server.forgetTokens();
  server.next("token", refused(10_014, "app secret invalid", 200));
  await send("later", { chat: "oc_1" });
  assert.equal((await settled())[0]?.state, "pending");
  assert.equal((await reaches("fatal")).error_code, "auth_failed");
});

const REFUSED: readonly (readonly [what: string, fate: Fate])[] = [
  ["a bot that is in no such group", refused(230_002, "Bot/User can NOT be out of the chat.")],
  ["a person who cannot be reached", refused(230_013, "Bot has NO availability to this user.")],
];

for (const [what, fate] of REFUSED) {
  test(`${what} makes a message failed after one call`, async (t) => {
    const { send, settled, server } = await connected(t);
    server.next("send", fate);
    await send("x", { kind: "notice", chat: "oc_1" });
    assert.equal((await settled())[0]?.state, "failed");
    await quiet();
    assert.equal(server.of("send").length, 1);
  });
}
