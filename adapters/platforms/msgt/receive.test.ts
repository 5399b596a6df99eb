import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { rateLimit, refused, startMsgt } from "../../../fixtures/servers/msgt/server.js";
import { quiet } from "../../../fixtures/sim/gateway-world.js";
import { type MsgtWorldOptions, msgtWorld, TOKEN } from "../../../fixtures/worlds/msgt-world.js";
import type { Inbound } from "../../../lib/contracts/board/platform-tag.js";

const PRIVATE = { id: 42, type: "private" };
const PERSON = { id: 42, is_bot: false, first_name: "A" };
const text = (words: string, more = {}) => ({
  message: { message_id: 5, date: 1767225600, chat: PRIVATE, from: PERSON, text: words, ...more },
});
const inGroup = (words: string, more = {}) =>
  text(words, { chat: { id: -100, type: "supergroup", title: "Team" }, ...more });

/** A server with updates that wait, and a gateway that is connected to it. */
async function connected(t: TestContext, updates: readonly object[], options: Omit<MsgtWorldOptions, "server"> = {}) {
  const server = await startMsgt({ token: TOKEN });
  for (const update of updates) server.update({ ...update });
  const world = await msgtWorld(t, { ...options, server });
  await world.reaches("connected");
  await server.until(() => server.of("getUpdates").length > 0);
  return world;
}

const payloadOf = (row: { readonly payload: string | null } | undefined): Inbound => JSON.parse(row?.payload ?? "{}");

/** What became of one update. */
async function eventOf(
  t: TestContext,
  update: object,
  options: Omit<MsgtWorldOptions, "server"> = {},
): Promise<Inbound> {
  const { received } = await connected(t, [update], options);
  return payloadOf((await received(1))[0]);
}

test("GW-41 updates that waited before the first start are received, and none is dropped at the platform", async (t) => {
  const { received, server } = await connected(t, [text("one"), text("two")]);
  const rows = await received(2);
  assert.deepEqual(
    rows.map((row) => payloadOf(row).text),
    ["one", "two"],
  );
  assert.deepEqual(
    server.of("deleteWebhook").map(({ params }) => params),
    [{ drop_pending_updates: false }],
  );
});

test("the next poll names the update behind the last that is stored", async (t) => {
  const { received, server } = await connected(t, [text("one"), text("two")]);
  await received(2);
  await server.until(() => server.of("getUpdates").length === 2);
  const polls = server.of("getUpdates").map(({ params }) => params);
  assert.equal("offset" in (polls[0] ?? {}), false);
  assert.equal(polls[1]?.["offset"], 3);
  assert.equal(polls[1]?.["timeout"], 30);
  assert.deepEqual(server.waiting(), []);
});

test("after a restart it goes on where it was, and what came meanwhile is received once", async (t) => {
  const first = await connected(t, [text("one")]);
  await first.received(1);
  await first.stop();
  first.server.update(text("two"));
  const before = first.server.of("getUpdates").length;
  const second = await msgtWorld(t, { server: first.server, disk: first.disk });
  const rows = await second.received(2);
  assert.deepEqual(
    rows.map(({ event_id: id }) => id),
    ["1", "2"],
  );
  assert.equal(first.server.of("getUpdates")[before]?.params["offset"], 2);
});

test("an update that comes twice is stored once", async (t) => {
  const { server, received } = await connected(t, [text("one")]);
  await received(1);
  server.again({ update_id: 1, ...text("one") });
  server.update(text("two"));
  assert.deepEqual(
    (await received(2)).map(({ event_id: id }) => id),
    ["1", "2"],
  );
});

test("updates that cannot be read are left without holding up the others", async (t) => {
  const { received } = await connected(t, [{ message: { message_id: "no" } }, { poll: { id: 1 } }, text("fine")]);
  assert.deepEqual(
    (await received(1)).map(({ event_id: id }) => id),
    ["3"],
  );
});

const FIELDS: readonly (readonly [what: string, update: object, expected: object])[] = [
  ["a text", text("hi"), { kind: "message", type: "text", text: "hi" }],
  ["a command", text("/new now"), { kind: "command", type: "command", text: "/new now" }],
  ["a command to the bot by name", inGroup("/new@the_test_bot"), { kind: "command", text: "/new" }],
  ["an edited message", { edited_message: text("better").message }, { kind: "edit", text: "better" }],
  [
    "a photo with a caption",
    text("", {
      text: undefined,
      caption: "look",
      photo: [
        { file_id: "s", file_size: 1 },
        { file_id: "l", file_size: 9 },
      ],
    }),
    {
      type: "photo",
      text: "look",
      media: [{ kind: "image", mime: "image/jpeg", name: null, size: 9, ref: { fileId: "l" } }],
    },
  ],
  [
    "a document",
    text("", { document: { file_id: "d", file_name: "a.md", mime_type: "text/markdown", file_size: 3 } }),
    {
      type: "document",
      media: [{ kind: "document", mime: "text/markdown", name: "a.md", size: 3, ref: { fileId: "d" } }],
    },
  ],
  [
    "a sticker",
    text("", { sticker: { file_id: "x", emoji: "😀" } }),
    { type: "sticker", text: "[sticker 😀]", media: [] },
  ],
  ["a location", text("", { location: { latitude: 1, longitude: 2 } }), { type: "location", text: "[location 1, 2]" }],
  [
    "a quoted message",
    text("yes", { reply_to_message: { message_id: 4, chat: PRIVATE, text: "q".repeat(600) } }),
    { replyToMessageId: "4", replyToText: "q".repeat(500) },
  ],
  ["a time of zero", text("hi", { date: 0 }), { sentAt: null }],
];

for (const [what, update, expected] of FIELDS) {
  test(`${what} is received with what it holds`, async (t) => {
    const event = await eventOf(t, update);
    assert.deepEqual(
      Object.fromEntries(Object.keys(expected).map((key) => [key, event[key as keyof Inbound]])),
      expected,
    ); // keys of the table
  });
}

const FORUM = { id: -7, type: "supergroup", title: "F", is_forum: true };
const THREADS: readonly (readonly [what: string, update: object, thread: string | null, type: string])[] = [
  ["a topic of a private chat", text("hi", { message_thread_id: 7 }), "7", "dm"],
  ["a topic of a group", inGroup("hi", { message_thread_id: 7, is_topic_message: true }), "7", "group"],
  ["a chain of answers in a group", inGroup("hi", { message_thread_id: 7 }), null, "group"],
  ["a chat of an unknown type", text("hi", { chat: { id: -7, type: "constructor", title: "F" } }), null, "group"],
  ["the general topic of a forum", text("hi", { chat: FORUM }), "1", "forum"],
  [
    "a post of a channel",
    { channel_post: { message_id: 1, chat: { id: -9, type: "channel", title: "C" }, text: "p" } },
    null,
    "channel",
  ],
];

for (const [what, update, thread, type] of THREADS) {
  test(`${what} has its own thread or none`, async (t) => {
    const { source } = await eventOf(t, update);
    assert.deepEqual([source.threadId, source.chatType], [thread, type]);
  });
}

test("a pressed button is received with the right to answer it", async (t) => {
  const event = await eventOf(t, {
    callback_query: { id: "q1", from: PERSON, data: "ea:once:5", message: text("run?").message },
  });
  assert.deepEqual(
    [event.kind, event.extra, event.replyGrant],
    ["button", { data: "ea:once:5", messageText: "run?" }, { token: "q1", expiresAt: null }],
  );
  assert.deepEqual([event.source.chatId, event.source.userId], ["42", "42"]);
});

const MENTION = { MSGT_REQUIRE_MENTION: "true" };
const GROUPS: readonly (readonly [what: string, taken: boolean, update: object, env: Record<string, string>])[] = [
  ["GW-42 without a mention", false, inGroup("hi"), MENTION],
  ["GW-42 with a mention", true, inGroup("@the_test_bot hi"), MENTION],
  ["a command to this bot", true, inGroup("/new@The_Test_Bot"), MENTION],
  [
    "an answer to the bot",
    true,
    inGroup("hi", { reply_to_message: { message_id: 1, chat: PRIVATE, from: { id: 4711 } } }),
    MENTION,
  ],
  ["a pattern", true, inGroup("Hey Agent, hi"), { ...MENTION, MSGT_MENTION_PATTERNS: "^hey agent" }],
  ["a free chat", true, inGroup("hi"), { ...MENTION, MSGT_FREE_RESPONSE_CHATS: "-100" }],
  ["another bot's mention", false, inGroup("@other_bot hi"), {}],
  [
    "another bot's mention where that is allowed",
    true,
    inGroup("@other_bot hi"),
    { MSGT_EXCLUSIVE_BOT_MENTIONS: "no" },
  ],
  ["a chat that is not allowed", false, inGroup("hi"), { MSGT_ALLOWED_CHATS: "-5" }],
  [
    "a guest's mention in a chat that is not allowed",
    true,
    inGroup("@the_test_bot hi"),
    { MSGT_ALLOWED_CHATS: "-5", MSGT_GUEST_MODE: "on" },
  ],
  [
    "an ignored thread",
    false,
    inGroup("hi", { message_thread_id: 7, is_topic_message: true }),
    { MSGT_IGNORED_THREADS: "7" },
  ],
  ["a topic that is not allowed", false, inGroup("hi"), { MSGT_ALLOWED_TOPICS: "7" }],
  ["no setting", true, inGroup("hi"), {}],
];

for (const [what, taken, update, env] of GROUPS) {
  test(`in groups: ${what} is ${taken ? "received" : "left"}`, async (t) => {
    const { received } = await connected(t, [update, text("end")], { env });
    const ids = (await received(taken ? 2 : 1)).map(({ event_id: id }) => id);
    assert.deepEqual(ids, taken ? ["1", "2"] : ["2"]);
  });
}

test("the mention of the bot is no part of the text", async (t) => {
  assert.equal((await eventOf(t, inGroup("so @the_test_bot what"))).text, "so what");
});

test("what waited since before the first connect ever is dropped only where the backlog is", async (t) => {
  const old = text("old", { date: 1700000000 });
  const drop = await connected(t, [old, text("new")], { rules: { backlog: () => "drop" } });
  assert.deepEqual(
    (await drop.received(2)).map(({ state }) => state),
    ["expired", "received"],
  );
  const keep = await connected(t, [old], {});
  assert.deepEqual(
    (await keep.received(1)).map(({ state }) => state),
    ["received"],
  );
});

test("GW-52 another poller for good makes the adapter give up after the fifth wait", async (t) => {
  const { server, clock, reaches, warned } = await connected(t, []);
  server.always("getUpdates", refused(409, "Conflict: terminated by other getUpdates request"));
  server.update(text("ends the poll that waits"));
  for (const seconds of [10, 20, 30, 40, 50]) {
    assert.equal(await warned(), "a poll failed");
    clock.advance(seconds * 1000 - 1);
    await quiet();
    const before = server.of("getUpdates").length;
    clock.advance(1);
    await server.until(() => server.of("getUpdates").length > before);
  }
  assert.equal((await reaches("fatal")).error_code, "conflict");
});

test("polls that are told to wait wait so long", async (t) => {
  const { server, clock, warned, received } = await connected(t, []);
  server.next("getUpdates", rateLimit(7));
  server.update(text("one"));
  await received(1);
  await warned();
  const before = server.of("getUpdates").length;
  clock.advance(6999);
  await quiet();
  assert.equal(server.of("getUpdates").length, before);
  clock.advance(1);
  await server.until(() => server.of("getUpdates").length === before + 1);
});

test("a broken connection is polled again, and the tenth time in a row it is given up", async (t) => {
  const { server, clock, reaches, warned, received } = await connected(t, []);
  server.always("getUpdates", { do: "drop", after: false });
  server.update(text("one"));
  await received(1);
  for (const seconds of [5, 10, 20, 40, 60, 60, 60, 60, 60]) {
    await warned();
    clock.advance(seconds * 1000);
  }
  assert.equal((await reaches("retrying")).error_code, "network");
  server.always("getUpdates", undefined);
  clock.advance(6000);
  await reaches("connected");
});

test("a refused token is fatal and says which setting to change", async (t) => {
  const world = await msgtWorld(t, { env: { MSGT_BOT_TOKEN: "9:wrong" } });
  const status = await world.reaches("fatal");
  assert.deepEqual(
    [status.error_code, status.error_message?.includes("MSGT_BOT_TOKEN"), status.account],
    ["auth_failed", true, "9"],
  );
  assert.equal(JSON.stringify(status).includes("wrong"), false);
});

test("a token that is refused later ends the polling", async (t) => {
  const { server, reaches } = await connected(t, []);
  server.always("getUpdates", refused(401, "Unauthorized"));
  server.update(text("ends the poll"));
  assert.equal((await reaches("fatal")).error_code, "auth_failed");
});

test("a server that no one runs is tried again", async (t) => {
  const { reaches } = await msgtWorld(t, { env: { MSGT_API_BASE: "http://127.0.0.1:1" } });
  assert.equal((await reaches("retrying")).error_code, "network");
});

test("the platform is offered the commands, and a refusal of them means nothing", async (t) => {
  const { server, reaches } = await connected(t, []);
  await server.until(() => server.of("setMyCommands").length === 3);
  assert.deepEqual(server.of("setMyCommands")[0]?.params["commands"], [
    { command: "kanban_list", description: "Show the board" },
  ]);
  const other = await startMsgt({ token: TOKEN });
  other.always("setMyCommands", refused(400, "Bad Request: no"));
  await (await msgtWorld(t, { server: other })).reaches("connected");
  await reaches("connected");
});
