import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { proves } from "../../../fixtures/requirements.js";
import { type MsgtChatOptions, msgtChat } from "../../../fixtures/worlds/msgt-chat-world.js";

/** What the fake model names every conversation. */
const TITLE = "Short Title Here";
const BOTH = { has_topics_enabled: true, allows_users_to_create_topics: true };

async function tables(world: Awaited<ReturnType<typeof msgtChat>>): Promise<readonly string[]> {
  const store = await world.owner.app.stores.sessions();
  const rows = await store.read((q) =>
    q.all<{ name: string }>("SELECT name FROM sqlite_master WHERE name LIKE 'msgt_dm_topic_%' AND type = 'table'"),
  );
  return rows.map(({ name }) => name).sort();
}

/** A chat in which topics are switched on, after two messages: that of the first topic, and the status. */
async function switchedOn(t: TestContext, options: MsgtChatOptions) {
  const world = await msgtChat(t, { me: BOTH, ...options });
  world.say("/topic");
  await world.shown(2);
  return world;
}

const REFUSED: readonly (readonly [what: string, me: object, said: RegExp])[] = [
  ["GW-46: a bot without topics", { has_topics_enabled: false }, /off for this bot/],
  ["a bot that says nothing of topics", {}, /off for this bot/],
  [
    "a bot whose users may not make topics",
    { has_topics_enabled: true, allows_users_to_create_topics: false },
    /may not create topics/,
  ],
];

for (const [what, me, said] of REFUSED) {
  test(`${what} gets one text about its settings, and no table is made`, async (t) => {
    const world = await msgtChat(t, { script: [], me: { ...me } });
    world.say("/topic");
    const [only, ...more] = await world.shown(1);
    assert.match(only?.text ?? "", said);
    assert.deepEqual([more, await tables(world)], [[], []]);
    assert.equal(world.server.of("createForumTopic").length, 0);
  });
}

test("GW-47: /topic makes the first topic with a pinned message, tells how it is, and makes the tables", async (t) => {
  const world = await switchedOn(t, { script: [] });
  const { server } = world;
  assert.deepEqual(
    server.of("createForumTopic").map(({ params }) => params),
    [{ chat_id: "42", name: "System" }],
  );
  const [intro, status] = await world.shown(2);
  assert.equal(intro?.thread, 100);
  assert.equal(status?.thread, undefined);
  assert.match(status?.text ?? "", /now on/);
  assert.deepEqual(
    server.of("pinChatMessage").map(({ params }) => params),
    [{ chat_id: "42", message_id: 1000, disable_notification: true }],
  );
  assert.deepEqual(await tables(world), ["msgt_dm_topic_bindings", "msgt_dm_topic_mode"]);
});

test("GW-48: texts outside of a topic get one reminder within half a minute, and no model", async (t) => {
  const world = await switchedOn(t, { script: [] });
  world.say("hello");
  world.say("hello?");
  world.say("/status");
  const seen = await world.shown(4);
  assert.equal(seen.filter(({ text }) => /outside topics/.test(text)).length, 1);
  assert.equal(world.owner.model.requests.length, 0);
});

test("GW-49: a text in a topic is answered there in its own conversation, and the topic takes its title", async (t) => {
  proves(t, "platform.msgt.exists");
  const world = await switchedOn(t, { script: [{ text: "PONG" }] });
  world.server.state.topics.set("42/7", "New");
  world.say("what about the roof", { message_thread_id: 7 });
  const seen = await world.shown(3);
  assert.deepEqual(seen[2], { text: "PONG", thread: 7 });
  await world.server.until(() => world.server.state.topics.get("42/7") === TITLE);
  world.say("/topic", { message_thread_id: 7 });
  const [session] = await world.owner.chat.list({ source: "msgt" });
  assert.match((await world.shown(4))[3]?.text ?? "", new RegExp(`${TITLE}\\n.*${session?.id}`));
});

test("an answer to a message of a topic belongs to that topic", async (t) => {
  const world = await switchedOn(t, { script: [{ text: "PONG" }] });
  world.server.state.topics.set("42/7", "New");
  const quoted = { message_id: 1, date: 0, chat: { id: 42, type: "private" }, text: "q", message_thread_id: 7 };
  world.say("and now", { reply_to_message: quoted });
  assert.deepEqual((await world.shown(3))[2], { text: "PONG", thread: 7 });
});

test("/new begins the topic again where it is one, and outside of topics only tells how", async (t) => {
  const world = await switchedOn(t, { script: [{ text: "one" }, { text: "two" }] });
  world.server.state.topics.set("42/7", "New");
  world.say("first", { message_thread_id: 7 });
  await world.shown(3);
  world.say("/new");
  assert.match((await world.shown(4))[3]?.text ?? "", /topic/);
  world.say("/new", { message_thread_id: 7 });
  assert.match((await world.shown(5))[4]?.text ?? "", /open one topic for each/);
  world.say("second", { message_thread_id: 7 });
  assert.equal((await world.shown(6))[5]?.text, "two");
  assert.equal((await world.owner.chat.list({})).length, 2);
});

test("a topic goes on with an earlier conversation, which is refused where it cannot", async (t) => {
  proves(t, "msgt.topics");
  const world = await msgtChat(t, { script: [{ text: "ROOF" }, { text: "on" }], me: BOTH });
  world.say("about the roof");
  await world.shown(1);
  const [old] = await world.owner.chat.list({ source: "msgt" });
  const foreign = await world.owner.open();
  world.say("/topic");
  assert.match((await world.shown(3))[2]?.text ?? "", new RegExp(`${old?.id}  \\S`));
  for (const thread of [7, 8]) world.server.state.topics.set(`42/${thread}`, "New");
  const cases: readonly (readonly [id: string | undefined, thread: number | undefined, said: RegExp])[] = [
    [old?.id, undefined, /Open a topic first/],
    ["nothing", 7, /There is no conversation/],
    [foreign.id, 7, /does not belong to this platform/],
    [old?.id, 7, /continues: .*\n\nROOF/],
    [old?.id, 8, /already belongs to another topic/],
  ];
  for (const [at, [id, thread, said]] of cases.entries()) {
    world.say(`/topic ${id}`, thread === undefined ? {} : { message_thread_id: thread });
    assert.match((await world.shown(4 + at))[3 + at]?.text ?? "", said);
  }
  world.say("go on", { message_thread_id: 7 });
  assert.equal((await world.shown(9))[8]?.text, "on");
  assert.equal((await world.owner.chat.get(old?.id ?? foreign.id))?.message_count, 4);
});

test("/topic off makes the chat one conversation again and leaves its topics", async (t) => {
  const world = await switchedOn(t, { script: [{ text: "PONG" }] });
  world.say("/topic off");
  assert.match((await world.shown(3))[2]?.text ?? "", /Topics are off/);
  world.say("/topic off");
  assert.match((await world.shown(4))[3]?.text ?? "", /Topics are off in this chat/);
  world.say("hello");
  assert.equal((await world.shown(5))[4]?.text, "PONG");
  assert.deepEqual([...world.server.state.topics.keys()], ["42/100"]);
});

test("/topic help tells the forms, and in a group there are none", async (t) => {
  const world = await msgtChat(t, { script: [], me: BOTH, env: { MSGT_GROUP_ALLOWED_CHATS: "-100" } });
  world.say("/topic help");
  assert.match((await world.shown(1))[0]?.text ?? "", /\/topic off/);
  world.say("/topic", { chat: { id: -100, type: "supergroup", title: "Team" } });
  assert.match((await world.shown(2))[1]?.text ?? "", /direct chats/);
  assert.deepEqual(await tables(world), []);
});

test("whoever may not talk switches nothing on", async (t) => {
  proves(t, "msgt.topic-authorised");
  proves(t, "msgt.topic-refused");
  const world = await msgtChat(t, { script: [], me: BOTH, env: { MSGT_ALLOWED_USERS: "43" } });
  world.say("/topic");
  world.say("/status", { chat: { id: 43, type: "private" }, from: { id: 43, is_bot: false, first_name: "B" } });
  await world.shown(1);
  assert.deepEqual([await tables(world), world.server.of("createForumTopic").length], [[], 0]);
});

test("GW-43: in a group whose id is allowed a member who is not listed is answered", async (t) => {
  const world = await msgtChat(t, { script: [{ text: "PONG" }], env: { MSGT_GROUP_ALLOWED_CHATS: "-100" } });
  world.say("hi", {
    chat: { id: -100, type: "supergroup", title: "Team" },
    from: { id: 77, is_bot: false, first_name: "C" },
  });
  await world.shown(1);
  assert.deepEqual(
    world.server.of("sendMessage").map(({ params }) => [params["chat_id"], params["text"]]),
    [["-100", "PONG"]],
  );
});
