import assert from "node:assert/strict";
import { createCipheriv } from "node:crypto";
import { type TestContext, test } from "node:test";
import { proves } from "../../../fixtures/requirements.js";
import { ACCOUNT, PERSON, refused } from "../../../fixtures/servers/msgx/server.js";
import { quiet } from "../../../fixtures/sim/gateway-world.js";
import { type MsgxWorldOptions, msgxWorld } from "../../../fixtures/worlds/msgx-world.js";
import type { Inbound } from "../../../lib/contracts/board/platform-tag.js";
import { eventOf } from "../../../lib/gateway/inbox/batches.js";
import { quoteLongNumbers } from "./api.js";

async function connected(t: TestContext, options: MsgxWorldOptions = {}) {
  const world = await msgxWorld(t, options);
  await world.reaches("connected");
  const event = async (count = 1): Promise<Inbound> => {
    const found = eventOf((await world.received(count)).at(-1) ?? { payload: null });
    assert.ok(found);
    return found;
  };
  return { ...world, event };
}

const text = (words: string, more: Record<string, unknown> = {}) => ({
  item_list: [{ type: 1, text_item: { text: words }, ...more }],
});

test("a message comes in with its id of 64 bits, its person and the right to answer", async (t) => {
  proves(t, "platform.msgx.exists");
  const { server, event } = await connected(t);
  const id = server.say(text("hello"));
  const found = await event();
  assert.deepEqual([found.eventId, found.text, found.replyGrant], [id, "hello", { token: "c1", expiresAt: null }]);
  assert.equal(id.length > 16, true);
  assert.deepEqual(
    [found.source.chatId, found.source.userId, found.source.chatType, found.account],
    [PERSON, PERSON, "dm", ACCOUNT],
  );
});

const NUMBERS: readonly (readonly [json: string, read: string])[] = [
  ['{"a":7123456789012345678}', '{"a":"7123456789012345678"}'],
  ['{"a":"7123456789012345678"}', '{"a":"7123456789012345678"}'],
  ['{"a":"x\\":7123456789012345678,"}', '{"a":"x\\":7123456789012345678,"}'],
  ["[123456789012345,1234567890123456]", '[123456789012345,"1234567890123456"]'],
  ["[-7123456789012345678,1.0000000000000001,1e300,5]", '["-7123456789012345678",1.0000000000000001,1e300,5]'],
];

for (const [json, read] of NUMBERS) {
  test(`long numbers of ${json} become texts, and nothing else does`, () => {
    assert.equal(quoteLongNumbers(json), read);
  });
}

test("GW-121 two messages with the same words are two events, one message that is reported twice is one", async (t) => {
  const { server, event, received } = await connected(t);
  const first = server.say(text("ok"));
  server.say(text("ok"));
  for (let times = 0; times < 50; times++) server.again(first);
  server.say(text("end"));
  assert.equal((await event(3)).text, "end");
  assert.equal((await received(3)).length, 3);
});

const DROPPED: readonly (readonly [what: string, message: Record<string, unknown>, env: Record<string, string>])[] = [
  ["GW-122 a message of a group", { group_id: "g1" }, {}],
  ["a message of a room", { room_id: "g1" }, {}],
  ["a message to somebody else", { to_user_id: "g@chatroom" }, {}],
  [
    "a message of a group that is not listed",
    { group_id: "g1" },
    { MSGX_GROUP_POLICY: "allowlist", MSGX_GROUP_ALLOWED_USERS: "g2" },
  ],
  ["the bot's own message", { message_type: 2 }, {}],
  ["a sign that a tool is called", { item_list: [{ type: 11 }] }, {}],
];

for (const [what, message, env] of DROPPED) {
  test(`${what} is not taken`, async (t) => {
    const { server, event } = await connected(t, { env });
    server.say(message);
    server.say(text("the next"));
    assert.equal((await event()).text, "the next");
  });
}

const DECIDED: readonly (readonly [
  what: string,
  message: Record<string, unknown>,
  env: Record<string, string>,
  decided: string | undefined,
])[] = [
  ["a listed group", { group_id: "g1" }, { MSGX_GROUP_POLICY: "allowlist", MSGX_GROUP_ALLOWED_USERS: "g1" }, "allow"],
  ["any group where groups are open", { group_id: "g1" }, { MSGX_GROUP_POLICY: "open" }, "allow"],
  ["a person who is not listed", {}, { MSGX_DM_POLICY: "allowlist", MSGX_ALLOWED_USERS: "x" }, "deny"],
  ["a listed person", {}, { MSGX_DM_POLICY: "allowlist", MSGX_ALLOWED_USERS: PERSON }, undefined],
  ["a person where direct chats are shut", {}, { MSGX_DM_POLICY: "disabled" }, "deny"],
  ["a person where people are paired", {}, { MSGX_DM_POLICY: "pairing" }, undefined],
];

for (const [what, message, env, decided] of DECIDED) {
  test(`a message of ${what} is ${decided ?? "left to the allowlists"}`, async (t) => {
    const { server, event } = await connected(t, { env });
    server.say(message);
    assert.equal((await event()).decided, decided);
  });
}

test("that settings of groups usually have no effect is said at the start, where they are set", async (t) => {
  proves(t, "msgx.group-policy");
  const { warned } = await msgxWorld(t, { env: { MSGX_GROUP_POLICY: "open" } });
  assert.match(await warned(), /MSGX_GROUP_POLICY.*usually delivers no messages of groups/);
});

const KEY = "00112233445566778899aabbccddeeff";
const locked = (words: string) => {
  const cipher = createCipheriv("aes-128-ecb", Buffer.from(KEY, "hex"), null);
  return Buffer.concat([cipher.update(words), cipher.final()]);
};
const KEYS: readonly (readonly [what: string, item: Record<string, unknown>])[] = [
  [
    "base64 of hex",
    { type: 4, file_item: { file_name: "a.txt", len: "9", media: media(Buffer.from(KEY).toString("base64")) } },
  ],
  [
    "base64 of raw bytes",
    { type: 4, file_item: { file_name: "a.txt", len: "9", media: media(Buffer.from(KEY, "hex").toString("base64")) } },
  ],
  ["hex of a picture", { type: 2, image_item: { aeskey: KEY, media: media("") } }],
];

function media(key: string) {
  return { encrypt_query_param: "p1", aes_key: key };
}

for (const [what, item] of KEYS) {
  test(`GW-124 a locked file whose key is ${what} is unlocked`, async (t) => {
    const { server, event, platform } = await connected(t);
    server.state.files.set("p1", locked("the words of the file"));
    server.say({ item_list: [item] });
    const [found] = (await event()).media;
    assert.ok(found);
    const pieces: Uint8Array[] = [];
    for await (const piece of (await platform.fetchMedia?.(found, new AbortController().signal)) ?? [])
      pieces.push(piece);
    assert.equal(Buffer.concat(pieces).toString(), "the words of the file");
  });
}

const words = async (found: AsyncIterable<Uint8Array> | undefined): Promise<string> => {
  const pieces: Uint8Array[] = [];
  for await (const piece of found ?? []) pieces.push(piece);
  return Buffer.concat(pieces).toString();
};

test("a file whose server is busy is asked for three times, one that is gone once", async (t) => {
  const { server, event, platform } = await connected(t);
  server.state.files.set("p1", locked("the words of the file"));
  server.say({ item_list: [KEYS[0]?.[1]] });
  const [found] = (await event()).media;
  assert.ok(found);
  const fetched = () => Promise.resolve(platform.fetchMedia?.(found, new AbortController().signal));
  const busy = { do: "answer", status: 503, body: "" } as const;
  server.next("download", busy, busy);
  assert.equal(await words(await fetched()), "the words of the file");
  server.next("download", busy, busy, busy);
  await assert.rejects(fetched(), /answered 503/);
  assert.equal(server.of("download").length, 6);
  server.state.files.clear();
  await assert.rejects(fetched(), /answered 404/);
  assert.equal(server.of("download").length, 7);
});

test("a file on a host that is not the platform's is not fetched", async (t) => {
  const { platform } = await connected(t);
  for (const url of [
    "https://example.org/f",
    "http://a.weixin.qq.com/f",
    "https://weixin.qq.com.example.org/f",
    "file:///etc/passwd",
  ]) {
    const found = { kind: "document", mime: null, name: null, size: null, ref: { url, key: KEY } };
    await assert.rejects(async () => platform.fetchMedia?.(found, new AbortController().signal), /not the platform's/);
  }
});

test("a spoken message is the platform's transcript", async (t) => {
  const { server, event } = await connected(t);
  server.say({ item_list: [{ type: 3, voice_item: { text: "spoken words", media: media("") } }] });
  const found = await event();
  assert.deepEqual([found.text, found.type, found.media.length], ["spoken words", "voice", 0]);
});

test("a quoted message comes along: as it is told, as it was stored, or as one that no one knows any more", async (t) => {
  const { server, event, send, settled } = await connected(t);
  server.say(text("a", { ref_msg: { title: "told", svr_id: "#5" } }));
  assert.equal((await event()).replyToText, "told");
  const id = server.say(text("stored words"));
  await event(2);
  server.say(text("b", { ref_msg: { svr_id: `#${id}` } }));
  assert.equal((await event(3)).replyToText, "stored words");
  await send("sent words", { chat: PERSON });
  const [row] = await settled();
  server.say(text("c", { ref_msg: { svr_id: `#${row?.platform_message_id}` } }));
  assert.equal((await event(4)).replyToText, "sent words");
  server.say(text("d", { ref_msg: { svr_id: "#7000000000000000001" } }));
  const found = await event(5);
  assert.deepEqual([found.replyToText, found.text], [null, "[Replying to an earlier message]\nd"]);
});

test("what the platform makes up does not stop what comes after it", async (t) => {
  const { server, event } = await connected(t);
  for (const one of ["{}", "5", "null", '{"message_id":{}}', '{"message_id":1,"from_user_id":5}'])
    server.state.queue.push(one);
  server.say(text("fine"));
  assert.equal((await event()).text, "fine");
});

test("GW-123 a login that has ended is said with what to do, and nothing is polled any more", async (t) => {
  const { server, reaches } = await connected(t);
  server.always("getupdates", refused(-14, "session timeout"));
  server.say();
  const { error_code, error_message } = await reaches("fatal");
  assert.deepEqual([error_code, /log in again/.test(error_message ?? "")], ["login_expired", true]);
  const polls = server.of("getupdates").length;
  await quiet();
  assert.equal(server.of("getupdates").length, polls);
});

test("polls that fail wait two seconds, every third in a row half a minute, and lose nothing", async (t) => {
  const { server, event, clock } = await connected(t);
  await server.until(() => server.of("getupdates").length === 1);
  const failure = { do: "answer", status: 502, body: "<html>" } as const;
  server.next("getupdates", failure, failure, failure);
  server.say(text("one"));
  await event();
  for (const wait of [2000, 2000, 30_000]) {
    await clock.waitsFor(wait);
    const polls = server.of("getupdates").length;
    clock.advance(wait - 1);
    await quiet();
    assert.equal(server.of("getupdates").length, polls);
    clock.advance(1);
    await server.until(() => server.of("getupdates").length === polls + 1);
  }
  server.say(text("two"));
  assert.equal((await event(2)).text, "two");
});

test("the next process goes on behind what was stored, and may still answer", async (t) => {
  const first = await connected(t);
  const { server, disk } = first;
  server.say(text("one"));
  await first.event();
  await first.stop();
  server.say({ ...text("two"), from_user_id: "v@im.wechat" });
  const second = await connected(t, { server, disk });
  assert.equal((await second.event(2)).text, "two");
  server.strict(true);
  await second.send("later", { chat: PERSON });
  assert.equal((await second.settled())[0]?.state, "sent");
  assert.equal(server.state.shown[0]?.token, "c1");
});
