import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { BOT, CHANNEL, DIRECT, GUILD, rateLimit, refused } from "../../../fixtures/servers/msgd/server.js";
import type { Fate } from "../../../fixtures/servers/shared/fate.js";
import { quiet } from "../../../fixtures/sim/gateway-world.js";
import { type MsgdWorldOptions, msgdWorld } from "../../../fixtures/worlds/msgd-world.js";
import type { SendPayload, SendTarget } from "../../../lib/contracts/gateway/outbox.js";
import { splitText } from "../../../lib/gateway/text/split-text.js";

async function connected(t: TestContext, options: MsgdWorldOptions = {}) {
  const world = await msgdWorld(t, options);
  await world.reaches("connected");
  const words = () => world.server.shown().map(({ content }) => content);
  const send = (text: string, more: Parameters<typeof world.send>[1] = {}) =>
    world.send(text, { chat: DIRECT, ...more });
  return { ...world, words, send };
}

const target = (more: Partial<SendTarget> = {}): SendTarget => ({
  platform: "msgd",
  account: BOT,
  chatId: DIRECT,
  threadId: null,
  replyTo: null,
  ...more,
});
const payload = (more: Partial<SendPayload> = {}): SendPayload => ({
  text: "words",
  format: "markdown",
  silent: false,
  ...more,
});

test("an answer is one call with a key of its own, calls no one but who is named, and keeps the platform's id", async (t) => {
  const { send, settled, server } = await connected(t);
  await send("PONG @everyone", { target: target({ replyTo: "5" }) });
  const [row] = await settled();
  const [posted] = server.shown();
  assert.deepEqual([row?.state, row?.platform_message_id], ["sent", posted?.id]);
  const [call] = server.of("send");
  assert.deepEqual(call?.body, {
    content: "PONG @everyone",
    message_reference: { message_id: "5", fail_if_not_exists: false },
    allowed_mentions: { parse: ["users"], replied_user: true },
    nonce: row?.idem_key,
    enforce_nonce: true,
  });
  assert.equal(row?.idem_key.length, 20);
});

test("GW-65 an answer of 4500 characters is three messages of at most 2000, and only the first quotes", async (t) => {
  const { send, settled, server } = await connected(t);
  const parts = splitText("word ".repeat(900).trim(), 2000);
  for (const [at, text] of parts.entries()) await send(text, { target: target({ replyTo: at === 0 ? "5" : null }) });
  await settled(3);
  const sent = server.of("send").map(({ body }) => body);
  assert.deepEqual([sent.length, sent.every(({ content }) => String(content).length <= 2000)], [3, true]);
  assert.deepEqual(
    sent.map((body) => body["message_reference"] !== undefined),
    [true, false, false],
  );
});

test("nothing is quoted where that is switched off, and mentions can be narrowed", async (t) => {
  const { send, settled, server } = await connected(t, {
    env: { MSGD_REPLY_TO_MODE: "off" },
    block: { allow_mentions: ["replied_user"] },
  });
  await send("hi", { target: target({ replyTo: "5" }) });
  await settled();
  const [call] = server.of("send");
  assert.deepEqual(
    [call?.body["message_reference"], call?.body["allowed_mentions"]],
    [undefined, { parse: [], replied_user: true }],
  );
});

test("GW-66 a send that is held past the client's limit is repeated with its key, and one message is there", async (t) => {
  const { send, settled, server, clock, words } = await connected(t);
  server.next("send", { do: "hang", after: true });
  await send("once");
  await server.until(() => server.shown().length === 1);
  clock.advance(20_000);
  assert.equal((await settled())[0]?.state, "pending");
  clock.advance(2000);
  assert.equal((await settled())[0]?.state, "sent");
  assert.deepEqual(words(), ["once"]);
  assert.deepEqual(new Set(server.of("send").map(({ body }) => body["nonce"])).size, 1);
});

test("a program that ends between the call and its answer sends the message again with its key, and one is there", async (t) => {
  const first = await connected(t);
  const { server, disk } = first;
  server.next("send", { do: "hang", after: true });
  await first.send("once");
  await server.until(() => server.shown().length === 1);
  await first.stop();
  const second = await connected(t, { server, disk });
  while ((await second.settled(0))[0]?.state !== "sent") {
    await quiet();
    if (server.of("send").length < 2) second.clock.advance(500);
  }
  assert.deepEqual([server.of("send").length, second.words()], [2, ["once"]]);
});

const CUTS: readonly (readonly [what: string, fate: Fate])[] = [
  ["a connection that breaks after the delivery", { do: "drop", after: true }],
  ["a connection that breaks before the delivery", { do: "drop", after: false }],
  ["a page of a broken gateway after the delivery", { do: "answer", status: 502, body: "<html>", after: true }],
  [
    "an error of the platform itself",
    { do: "answer", status: 500, body: { message: "Internal Server Error", code: 0 } },
  ],
];

for (const [what, fate] of CUTS) {
  test(`${what} leads to one message`, async (t) => {
    const { send, settled, server, clock, words } = await connected(t);
    server.next("send", fate);
    await send("once");
    assert.equal((await settled())[0]?.state, "pending");
    clock.advance(2000);
    assert.equal((await settled())[0]?.state, "sent");
    assert.deepEqual([words(), server.of("send").length], [["once"], 2]);
  });
}

test("a send that stays uncertain until its key is worth nothing is unknown, and not repeated", async (t) => {
  const { send, settled, server, clock } = await connected(t);
  server.always("send", { do: "drop", after: false });
  await send("once", { kind: "notice" });
  await settled();
  clock.advance(2000);
  await settled();
  clock.advance(120_000);
  await quiet();
  assert.equal((await settled(0))[0]?.state, "unknown");
  clock.advance(600_000);
  await quiet();
  assert.equal(server.of("send").length, 2);
});

test("a rate limit is waited for, the one of the whole bot by every chat", async (t) => {
  const { send, settled, server, clock, words } = await connected(t);
  server.next("send", rateLimit(3, true));
  await send("first");
  assert.equal((await settled())[0]?.state, "pending");
  await send("second", { chat: CHANNEL });
  await settled();
  assert.equal(server.of("send").length, 1);
  clock.advance(3000);
  await settled(2);
  assert.deepEqual(words().toSorted(), ["first", "second"]);
});

test("a bucket that the platform calls empty is not asked before its time", async (t) => {
  const { send, settled, server, clock, words } = await connected(t);
  const headers = { "x-ratelimit-bucket": "b1", "x-ratelimit-remaining": "0", "x-ratelimit-reset-after": "2.5" };
  server.next("send", { do: "answer", status: 200, body: { id: "1" }, headers, after: true });
  await send("first");
  await settled();
  await send("second");
  await send("elsewhere", { chat: CHANNEL });
  const rows = await settled(2);
  assert.deepEqual(
    rows.map(({ state }) => state),
    ["sent", "pending", "sent"],
  );
  clock.advance(2500);
  await settled();
  assert.deepEqual(words(), ["first", "elsewhere", "second"]);
});

test("a token that is refused stops the adapter, and the message waits", async (t) => {
  const { send, settled, server, reaches } = await connected(t);
  server.next("send", refused(401, 0, "401: Unauthorized"));
  await send("later");
  assert.equal((await settled())[0]?.state, "pending");
  assert.equal((await reaches("fatal")).error_code, "auth_failed");
});

test("a chat that may not be written to makes a message failed", async (t) => {
  const { send, settled, server } = await connected(t);
  server.next("send", refused(403, 50007, "Cannot send messages to this user"));
  await send("no", { kind: "notice" });
  const [row] = await settled();
  assert.deepEqual([row?.state, row?.error], ["failed", "Cannot send messages to this user"]);
});

test("GW-60 the thread is opened on the message when the work begins, and the answer goes there without a quote", async (t) => {
  const { send, settled, server, received, platform } = await connected(t);
  const call = { channel_id: CHANNEL, content: `<@${BOT}> ${"long ".repeat(30)}`, mentions: [{ id: BOT, bot: true }] };
  const { id } = server.say(call);
  const [row] = await received(1);
  assert.equal(server.of("thread").length, 0);
  await platform.onTurn?.(JSON.parse(row?.payload ?? ""), "begun", new AbortController().signal);
  await send("PONG", { target: target({ chatId: CHANNEL, threadId: id, replyTo: id }) });
  await settled();
  const opened = server
    .of("thread")
    .map(({ path, body }) => [path, body["auto_archive_duration"], String(body["name"]).length]);
  assert.deepEqual(opened, [[`/channels/${CHANNEL}/messages/${id}/threads`, 1440, 80]]);
  assert.deepEqual(
    server.shown().map(({ channel, content }) => [channel, content]),
    [[id, "PONG"]],
  );
  assert.equal(server.of("send")[0]?.body["message_reference"], undefined);
});

test("a process that began again opens the thread that its answer needs", async (t) => {
  const { send, settled, server } = await connected(t);
  server.state.said.push({
    id: "600000000000000001",
    channel_id: CHANNEL,
    content: `<@${BOT}> hi`,
    author: { id: "42", username: "a" },
  });
  await send("PONG", { target: target({ chatId: CHANNEL, threadId: "600000000000000001" }) });
  await settled();
  assert.deepEqual(
    server.of("thread").map(({ body }) => body["name"]),
    ["hi"],
  );
  assert.deepEqual(
    server.shown().map(({ channel }) => channel),
    ["600000000000000001"],
  );
});

const THREADS: readonly (readonly [what: string, fates: readonly Fate[], shown: (id: string) => readonly unknown[]])[] =
  [
    ["on a message of the bot", [refused(403, 50013, "Missing Permissions")], () => ["🧵 hi", "PONG"]],
    [
      "nowhere",
      [refused(403, 50013, "Missing Permissions"), refused(403, 50013, "Missing Permissions")],
      () => ["🧵 hi", "PONG"],
    ],
  ];

for (const [what, fates, shown] of THREADS) {
  test(`a thread that cannot be opened on a message is opened ${what}, and the answer arrives`, async (t) => {
    const { send, settled, server, received, words } = await connected(t);
    const { id } = server.say({ channel_id: CHANNEL, content: `<@${BOT}> hi`, mentions: [{ id: BOT, bot: true }] });
    await received(1);
    server.next("thread", ...fates);
    await send("PONG", { target: target({ chatId: CHANNEL, threadId: id, replyTo: id }) });
    assert.equal((await settled())[0]?.state, "sent");
    assert.deepEqual(words(), shown(id));
    const place = server.shown().at(-1)?.channel;
    assert.equal(place, fates.length === 1 ? server.shown()[0]?.id : CHANNEL);
  });
}

test("a message to a forum is a post of its own, and one that may be there is not made again", async (t) => {
  const { send, settled, server, clock } = await connected(t);
  const forum = "150000000000000001";
  server.channel({ id: forum, type: 15, name: "ideas", guild_id: GUILD });
  await send("An idea", { chat: forum });
  await settled();
  server.next("forum", { do: "drop", after: true });
  await send("Another", { chat: forum, kind: "notice" });
  await settled();
  clock.advance(2000);
  await settled();
  clock.advance(120_000);
  await quiet();
  assert.equal((await settled(0))[1]?.state, "unknown");
  assert.deepEqual(
    server.of("forum").map(({ body }) => body["name"]),
    ["An idea", "Another"],
  );
});

test("a file goes along with its words; one that is too large becomes a line", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "msgd-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  writeFileSync(join(dir, "a.txt"), "bytes");
  const { send, settled, server, words } = await connected(t);
  const file = { path: join(dir, "a.txt"), name: "ä b.txt", mime: "text/plain", kind: "document" } as const;
  await send("", { payload: payload({ text: "see", file }) });
  await settled();
  const [posted] = server.shown();
  assert.deepEqual(
    posted?.files.map(({ field, name, bytes }) => [field, name, bytes.toString()]),
    [["files[0]", "ä b.txt", "bytes"]],
  );
  server.next("send", refused(413, 40005, "Request entity too large"));
  await send("", { payload: payload({ text: "see", file }) });
  await settled();
  assert.match(words()[1] ?? "", /^see\n\[file ä b\.txt could not be sent/);
  await send("", { payload: payload({ file: { ...file, path: join(dir, "gone") } }), kind: "notice" });
  assert.equal((await settled()).at(-1)?.state, "failed");
});

test("buttons are rows under the message, and an edit takes them away", async (t) => {
  const { send, settled, server } = await connected(t);
  const buttons = [
    [{ text: "Once", data: "a:1" }],
    Array.from({ length: 6 }, (_, at) => ({ text: `${at}`, data: `b:${at}` })),
  ];
  await send("", { payload: payload({ extra: { buttons } }) });
  const [row] = await settled();
  const rows = server.of("send")[0]?.body["components"];
  assert.ok(Array.isArray(rows));
  assert.deepEqual(
    rows.map((one) => one.components.length),
    [1, 5, 1],
  );
  assert.deepEqual(rows[0].components[0], { type: 2, style: 2, label: "Once", custom_id: "a:1" });
  await send("", {
    via: "edit",
    payload: payload({ text: "done", messageId: row?.platform_message_id ?? "", extra: { buttons: [] } }),
  });
  await settled();
  assert.deepEqual(server.of("edit")[0]?.body, {
    content: "done",
    allowed_mentions: { parse: ["users"], replied_user: true },
    components: [],
  });
});

test("an edit goes to the place of its message; what is too long for it goes on in a new one", async (t) => {
  const { send, settled, server, words } = await connected(t);
  await send("short");
  const [row] = await settled();
  await send("", {
    via: "edit",
    payload: payload({ text: "x".repeat(2500), messageId: row?.platform_message_id ?? "" }),
  });
  assert.equal((await settled())[1]?.state, "sent");
  assert.deepEqual(
    words().map((one) => one.length),
    [2000, 500],
  );
  assert.equal(server.of("edit").length, 1);
});

test("a message that is gone already is removed", async (t) => {
  const { send, settled, server } = await connected(t);
  await send("", { via: "remove", payload: payload({ messageId: "123456789012345678" }) });
  assert.equal((await settled())[0]?.state, "sent");
  assert.equal(server.of("delete").length, 1);
});

test("an answer to a command whose right is over goes to the channel", async (t) => {
  const { send, settled, server, words } = await connected(t);
  const grant = { token: "command:1:gone", expiresAt: null };
  await send("", { kind: "reply", via: "reply", payload: payload({ grant }) });
  assert.equal((await settled())[0]?.state, "sent");
  assert.deepEqual([server.of("original").length, words()], [1, ["words"]]);
});

test("work on a message shows as reactions, where they are wanted", async (t) => {
  const { server, platform, received } = await connected(t);
  const { id } = server.say({ content: "hi" });
  const event = JSON.parse((await received(1))[0]?.payload ?? "");
  const { signal } = new AbortController();
  await platform.onTurn?.(event, "begun", signal);
  assert.deepEqual([...server.state.reactions], [`${DIRECT}/${id}/👀`]);
  await platform.onTurn?.(event, "failed", signal);
  assert.deepEqual([...server.state.reactions], [`${DIRECT}/${id}/❌`]);
  await platform.typing?.(DIRECT, true, signal);
  await platform.react?.(DIRECT, id, { emoji: "👍", on: true }, signal);
  assert.equal(server.state.reactions.has(`${DIRECT}/${id}/👍`), true);
  assert.deepEqual(await platform.listChannels?.(signal), [{ chatId: CHANNEL, name: "general", type: "channel" }]);
  assert.deepEqual(await platform.chatInfo?.(DIRECT, signal), { chatId: DIRECT, name: "ann", type: "dm" });
});

test("that an answer is written is shown in the thread where it will be", async (t) => {
  const { server, platform, received } = await connected(t);
  const { id } = server.say({ channel_id: CHANNEL, content: `<@${BOT}> hi`, mentions: [{ id: BOT, bot: true }] });
  await received(1);
  await platform.typing?.(CHANNEL, true, new AbortController().signal, id);
  assert.deepEqual(
    server.of("typing").map(({ path }) => path),
    [`/channels/${id}/typing`],
  );
});

test("the list of commands is reported by its differences, and what is not ours is taken away", async (t) => {
  const { server } = await connected(t);
  await server.until(() => server.of("commands.add").some(({ status }) => status === 201));
  assert.deepEqual(
    server.state.commands.map(({ name }) => name),
    ["kanban-list"],
  );
});
