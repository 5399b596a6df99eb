import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { proves } from "../../../fixtures/requirements.js";
import { BOT, CHANNEL, DIRECT, GUILD, PERSON } from "../../../fixtures/servers/msgd/server.js";
import { type MsgdWorldOptions, msgdWorld } from "../../../fixtures/worlds/msgd-world.js";
import type { Inbound } from "../../../lib/contracts/board/platform-tag.js";
import { eventOf } from "../../../lib/gateway/inbox/batches.js";

const US = { id: BOT, username: "helper", bot: true };
const CALL = {
  channel_id: CHANNEL,
  content: `<@${BOT}> what   is up <@55>?`,
  mentions: [US, { id: "55", username: "bob" }],
};

async function connected(t: TestContext, options: MsgdWorldOptions = {}) {
  const world = await msgdWorld(t, options);
  await world.reaches("connected");
  const event = async (count = 1): Promise<Inbound> => {
    const found = eventOf((await world.received(count)).at(-1) ?? { payload: null });
    assert.ok(found);
    return found;
  };
  return { ...world, event };
}

test("a direct message comes in as the platform told it", async (t) => {
  proves(t, "platform.msgd.exists");
  const { server, event } = await connected(t);
  const { id } = server.say({ content: "hello", channel_id: DIRECT });
  const found = await event();
  assert.deepEqual([found.eventId, found.text, found.kind, found.account], [id, "hello", "message", BOT]);
  const { chatId, chatType, userId, userIdAlt, userName, threadId } = found.source;
  assert.deepEqual(
    [chatId, chatType, userId, userIdAlt, userName, threadId],
    [DIRECT, "dm", PERSON, null, "Ann", null],
  );
});

test("GW-60 a message that calls the bot belongs to a thread on it, without mention markup", async (t) => {
  const { server, event } = await connected(t);
  const { id } = server.say(CALL);
  const found = await event();
  assert.equal(found.text, "what is up @bob?");
  const { chatId, chatType, threadId, guildId } = found.source;
  assert.deepEqual([chatId, chatType, threadId, guildId], [CHANNEL, "thread", id, GUILD]);
});

const OTHER_BOT = { id: "55", username: "other", bot: true };

const DROPPED: readonly (readonly [what: string, message: Record<string, unknown>, env: Record<string, string>])[] = [
  ["GW-61 a message of a channel that does not call the bot", { channel_id: CHANNEL }, {}],
  ["GW-62 the bot's own message", { author: US }, {}],
  ["GW-62 a message of another bot", { author: OTHER_BOT }, {}],
  ["a message of another bot that does not call this one", { author: OTHER_BOT }, { MSGD_ALLOW_BOTS: "mentions" }],
  ["a message of a webhook", { webhook_id: "77" }, {}],
  ["a message of the system", { type: 7 }, {}],
  ["a message that calls another bot", { content: "<@55> hi", mentions: [OTHER_BOT] }, {}],
  ["a message of a channel that is not allowed", CALL, { MSGD_ALLOWED_CHANNELS: "1" }],
  ["a message of a channel that is ignored", CALL, { MSGD_IGNORED_CHANNELS: CHANNEL }],
];

for (const [what, message, env] of DROPPED) {
  test(`${what} is not taken`, async (t) => {
    const { server, event } = await connected(t, { env });
    server.say(message);
    server.say({ content: "the next", channel_id: DIRECT });
    assert.equal((await event()).text, "the next");
  });
}

const TAKEN: readonly (readonly [
  what: string,
  message: Record<string, unknown>,
  env: Record<string, string>,
  decided?: string,
])[] = [
  [
    "a message of a channel where nobody has to call",
    { channel_id: CHANNEL },
    { MSGD_FREE_RESPONSE_CHANNELS: CHANNEL },
  ],
  ["a message without a call, where none is wanted", { channel_id: CHANNEL }, { MSGD_REQUIRE_MENTION: "no" }],
  [
    "a message that calls another bot, where that does not matter",
    { mentions: [OTHER_BOT] },
    { MSGD_IGNORE_NO_MENTION: "no" },
  ],
  ["a message of another bot, where bots may talk", { author: OTHER_BOT }, { MSGD_ALLOW_BOTS: "all" }, "bot"],
  [
    "a message of another bot that calls this one",
    { ...CALL, author: OTHER_BOT },
    { MSGD_ALLOW_BOTS: "mentions" },
    "bot",
  ],
  [
    "a message of somebody with an allowed role",
    { ...CALL, member: { roles: ["8"] } },
    { MSGD_ALLOWED_ROLES: "7,8" },
    "role",
  ],
];

for (const [what, message, env, decided] of TAKEN) {
  test(`${what} is taken`, async (t) => {
    const { server, event } = await connected(t, { env });
    const { id } = server.say(message);
    const found = await event();
    assert.deepEqual([found.eventId, found.decided], [id, decided]);
  });
}

test("roles count in a direct chat only in the server that is named for it", async (t) => {
  const { server, event } = await connected(t, {
    env: { MSGD_ALLOWED_ROLES: "8" },
    block: { dm_role_auth_guild: GUILD },
  });
  server.say();
  assert.equal((await event()).decided, undefined);
  server.state.roles.set(`${GUILD}/${PERSON}`, ["8"]);
  server.say();
  assert.equal((await event(2)).decided, "role");
});

const THREAD = "300000000000000001";
const IN_THREAD = { id: THREAD, type: 11, name: "topic", guild_id: GUILD, parent_id: CHANNEL };

test("a thread that the bot takes part in needs no call, and the platform remembers it", async (t) => {
  const { server, event } = await connected(t);
  server.channel(IN_THREAD);
  server.state.members.set(THREAD, new Set([BOT]));
  server.say({ channel_id: THREAD, guild_id: GUILD, content: "go on" });
  const { source } = await event();
  assert.deepEqual(
    [source.chatId, source.threadId, source.chatType, source.parentChatId],
    [CHANNEL, THREAD, "thread", CHANNEL],
  );
});

test("after a restart a thread that the bot wrote in needs no call, although the platform does not say that it takes part", async (t) => {
  const first = await connected(t);
  const { server, disk } = first;
  server.channel(IN_THREAD);
  server.say({ ...CALL, channel_id: THREAD, guild_id: GUILD });
  await first.event();
  const target = { platform: "msgd", account: BOT, chatId: CHANNEL, threadId: THREAD, replyTo: null } as const;
  await first.send("here I am", { target });
  assert.equal((await first.settled())[0]?.state, "sent");
  await first.stop();
  server.state.members.clear();
  const second = await connected(t, { server, disk });
  const { id } = server.say({ channel_id: THREAD, guild_id: GUILD, content: "go on" });
  assert.equal((await second.event(2)).eventId, id);
});

test("a thread of others needs a call, and is asked about once", async (t) => {
  const { server, event } = await connected(t);
  server.channel(IN_THREAD);
  for (const content of ["one", "two"]) server.say({ channel_id: THREAD, guild_id: GUILD, content });
  server.say({ content: "direct" });
  assert.equal((await event()).text, "direct");
  assert.equal(server.of("member").length <= 2, true);
  const { id } = server.say({ ...CALL, channel_id: THREAD, guild_id: GUILD });
  const found = await event(2);
  assert.deepEqual([found.eventId, found.source.threadId], [id, THREAD]);
});

test("a message in a thread waits for an answer about the thread instead of being dropped", async (t) => {
  const { server, event, clock, warned } = await connected(t);
  server.channel(IN_THREAD);
  server.state.members.set(THREAD, new Set([BOT]));
  server.next("channel", { do: "answer", status: 502, body: "<html>" });
  server.say({ channel_id: THREAD, guild_id: GUILD, content: "go on" });
  await server.until(() => server.of("channel")[0]?.status === 502);
  const waiting = event();
  while (server.of("channel").length < 2) {
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(1000);
  }
  assert.equal((await waiting).text, "go on");
  assert.equal(typeof warned, "function");
});

const NO_THREAD: readonly (readonly [what: string, message: Record<string, unknown>, env: Record<string, string>])[] = [
  ["an answer to a message", { ...CALL, type: 19 }, {}],
  ["a channel where nobody has to call", CALL, { MSGD_FREE_RESPONSE_CHANNELS: CHANNEL }],
  ["a channel without threads", CALL, { MSGD_NO_THREAD_CHANNELS: CHANNEL }],
  ["a bot that opens none", CALL, { MSGD_AUTO_THREAD: "off" }],
];

for (const [what, message, env] of NO_THREAD) {
  test(`no thread is opened for ${what}`, async (t) => {
    const { server, event } = await connected(t, { env });
    server.say(message);
    const { source } = await event();
    assert.deepEqual([source.threadId, source.chatType, source.chatId], [null, "channel", CHANNEL]);
  });
}

test("what was said in the channel since the bot's last message comes along, bots marked or left out", async (t) => {
  const { server, event } = await connected(t, { env: { MSGD_ALLOW_BOTS: "mentions" } });
  const before = (author: unknown, content: string, type = 0) =>
    void server.state.said.push({
      id: String(1000 + server.state.said.length),
      channel_id: CHANNEL,
      author,
      content,
      type,
      mentions: [],
    });
  before({ id: PERSON, username: "ann" }, "long ago");
  before(US, "the bot's answer");
  before({ id: PERSON, username: "ann", global_name: "Ann" }, `see <#${CHANNEL}>`);
  before(OTHER_BOT, "beep");
  before({ id: PERSON, username: "ann" }, "joined", 7);
  server.say(CALL);
  assert.equal((await event()).context, "[Recent channel messages]\n[Ann] see #general\n[other (bot)] beep");
});

test("a quoted message comes along, cut", async (t) => {
  const { server, event } = await connected(t);
  const quoted = { id: "9", channel_id: DIRECT, author: US, content: "q".repeat(600) };
  server.say({ content: "yes", type: 19, referenced_message: quoted });
  const found = await event();
  assert.deepEqual([found.replyToMessageId, found.replyToText?.length], ["9", 500]);
});

const file = (name: string, size: number, type: string | null = null) => ({
  id: "5",
  filename: name,
  size,
  url: `https://cdn.discordapp.com/attachments/1/2/${name}`,
  content_type: type,
});

const FILES: readonly (readonly [
  what: string,
  files: readonly unknown[],
  block: Record<string, unknown>,
  kinds: string[],
  text: string,
])[] = [
  ["GW-63 a note", [file("notes.md", 2048)], {}, ["document"], ""],
  ["GW-64 a file of 33 MiB", [file("big.zip", 33 << 20)], {}, [], "[file big.zip skipped: size]"],
  [
    "GW-64 a file of 33 MiB without a limit",
    [file("big.zip", 33 << 20)],
    { max_attachment_bytes: 0 },
    ["document"],
    "",
  ],
  ["a program", [file("a.exe", 5)], {}, [], "[file a.exe skipped: type]"],
  ["a program where all is taken", [file("a.exe", 5)], { allow_any_attachment: true }, ["document"], ""],
  [
    "a picture and a sound",
    [file("a.png", 5, "image/png"), file("b.mp3", 5, "audio/mpeg")],
    {},
    ["image", "audio"],
    "",
  ],
];

for (const [what, attachments, block, kinds, text] of FILES) {
  test(`${what} comes in as ${kinds.join(", ") || "words"}`, async (t) => {
    proves(t, "msgd.limit.attachments");
    const { server, event } = await connected(t, { block });
    server.say({ content: "", attachments });
    const found = await event();
    assert.deepEqual([found.media.map(({ kind }) => kind), found.text], [kinds, text]);
  });
}

test("files of a forwarded message and of the quoted one come along", async (t) => {
  const { server, event } = await connected(t);
  const forwarded = { message: { content: "look", attachments: [file("a.txt", 1)] } };
  const quoted = { id: "9", channel_id: DIRECT, author: US, content: "q", attachments: [file("b.txt", 1)] };
  server.say({ content: "", message_snapshots: [forwarded], referenced_message: quoted });
  const found = await event();
  assert.deepEqual(
    found.media.map(({ name }) => name),
    ["a.txt", "b.txt"],
  );
  assert.equal(found.text, "[Forwarded message]\nlook");
});

test("a message with nothing in it says so", async (t) => {
  const { server, event } = await connected(t);
  server.say({ content: "" });
  assert.equal((await event()).text, "[message without text]");
});

test("a file is fetched from the platform, and from nowhere else, up to its limit", async (t) => {
  const { server, platform } = await connected(t, { block: { max_attachment_bytes: 10 } });
  server.state.files.set("1/a.txt", Buffer.from("ten bytes!"));
  server.state.files.set("1/b.txt", Buffer.from("eleven bytes"));
  const media = (url: string) => ({ kind: "document", mime: null, name: "a.txt", size: null, ref: { url } });
  const fetch = async (url: string) => {
    const pieces: Uint8Array[] = [];
    for await (const piece of (await platform.fetchMedia?.(media(url), new AbortController().signal)) ?? [])
      pieces.push(piece);
    return Buffer.concat(pieces).toString();
  };
  assert.equal(await fetch(`${server.url}/attachments/1/a.txt`), "ten bytes!");
  await assert.rejects(fetch(`${server.url}/attachments/1/b.txt`));
  await assert.rejects(fetch(`${server.url}/attachments/1/c.txt`), /404/);
  await assert.rejects(fetch("https://example.org/a.txt"), /not the platform's/);
  await assert.rejects(fetch("http://cdn.discordapp.com/a.txt"), /not the platform's/);
});

test("an application command is taken as its text and acknowledged, and its answer takes the place of the sign", async (t) => {
  const { server, event, send, settled, platform } = await connected(t);
  const { id } = server.interact({
    type: 2,
    data: { name: "kanban-list", options: [{ name: "words", type: 3, value: "--json" }] },
  });
  const found = await event();
  assert.deepEqual(
    [found.eventId, found.kind, found.text, found.source.userId],
    [id, "command", "/kanban-list --json", PERSON],
  );
  await server.until(() => server.of("callback").some(({ status }) => status === 204));
  assert.deepEqual(server.of("callback")[0]?.body, { type: 5 });
  const target = { platform: "msgd", account: platform.account, chatId: DIRECT, threadId: null, replyTo: id } as const;
  await send("the board", { kind: "reply", target });
  assert.equal((await settled())[0]?.state, "sent");
  assert.deepEqual(
    server.of("original").map(({ body }) => body["content"]),
    ["the board"],
  );
  assert.equal(server.of("send").length, 0);
});

test("a press is taken as its data, acknowledged, and answered to the one who pressed alone", async (t) => {
  const { server, event, send, settled } = await connected(t);
  server.interact({ type: 3, data: { custom_id: "approve:1" }, message: { id: "77", content: "May I?" } });
  const found = await event();
  assert.deepEqual(
    [found.kind, found.text, found.source.messageId, found.extra?.["messageText"]],
    ["button", "approve:1", "77", "May I?"],
  );
  await server.until(() => server.of("callback").some(({ status }) => status === 204));
  assert.deepEqual(server.of("callback")[0]?.body, { type: 6 });
  assert.ok(found.replyGrant);
  await send("", {
    kind: "reply",
    via: "reply",
    payload: { text: "⛔ no", format: "plain", silent: false, grant: found.replyGrant },
  });
  assert.equal((await settled())[0]?.state, "sent");
  assert.deepEqual(
    server.shown().map(({ content, hidden }) => [content, hidden]),
    [["⛔ no", true]],
  );
});

test("one event that is told fifty times is one row", async (t) => {
  const { server, event, received } = await connected(t);
  server.say({ content: "once" });
  server.sockets.again(49);
  server.say({ content: "the end" });
  assert.equal((await event(2)).text, "the end");
  assert.equal((await received(2)).length, 2);
});

test("what the platform makes up does not stop what comes after it", async (t) => {
  const { server, event } = await connected(t);
  for (const d of [null, 5, {}, { id: 5 }, { id: "1", channel_id: "x" }, { id: "1", channel_id: "2", author: {} }]) {
    for (const type of ["MESSAGE_CREATE", "INTERACTION_CREATE", "GUILD_CREATE", "CHANNEL_UPDATE"])
      server.sockets.dispatch(type, d);
  }
  server.say({ content: "fine" });
  assert.equal((await event()).text, "fine");
});
