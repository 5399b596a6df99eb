import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { proves } from "../../../fixtures/requirements.js";
import { type MsgwWorld, type MsgwWorldOptions, msgwWorld } from "../../../fixtures/worlds/msgw-world.js";
import type { Inbound } from "../../../lib/contracts/board/platform-tag.js";

const AAD = "00000000-0000-0000-0000-000000000001";
const activity = (url: string, more: object = {}) => ({
  type: "message",
  id: "a1",
  timestamp: "2026-06-01T00:00:00Z",
  serviceUrl: url,
  channelId: "msteams",
  from: { id: "29:x", name: "A", aadObjectId: AAD },
  conversation: { id: "19:dm", conversationType: "personal", tenantId: "t" },
  recipient: { id: "28:bot", name: "Bot" },
  text: "hi",
  textFormat: "plain",
  attachments: [],
  ...more,
});

async function connected(t: TestContext, options: MsgwWorldOptions = {}) {
  const world = await msgwWorld(t, options);
  const { listen } = await world.reaches("connected");
  const address = listen ?? "";
  const say = (more: object = {}, how?: Parameters<MsgwWorld["server"]["deliver"]>[2]) =>
    world.server.deliver(address, activity(world.server.url, more), how);
  return { ...world, address, say };
}

const payloadOf = (row: { readonly payload: string | null } | undefined): Inbound => JSON.parse(row?.payload ?? "{}");

async function eventOf(t: TestContext, more: object): Promise<Inbound> {
  const { say, received } = await connected(t);
  assert.equal((await say(more)).status, 200);
  return payloadOf((await received(1))[0]);
}

test("GW-110: a message with a valid token is stored before it is answered, under who wrote it", async (t) => {
  proves(t, "platform.msgw.exists");
  const { say, received } = await connected(t);
  const answer = await say();
  assert.deepEqual([answer.status, await answer.json()], [200, {}]);
  const { text, source, eventId } = payloadOf((await received(1))[0]);
  assert.deepEqual(
    [text, eventId, source.chatType, source.chatId, source.userId, source.userIdAlt],
    ["hi", "19:dm/a1", "dm", "19:dm", AAD, "29:x"],
  );
});

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/** Bits of the last character that no byte holds. */
const rewritten = (token: string) => `${token.slice(0, -1)}${LETTERS[LETTERS.indexOf(token.at(-1) ?? "") + 1]}`;

const hour = 3600;
const NOW = Math.floor(Date.parse("2026-01-01T00:00:00Z") / 1000);
const BAD: readonly (readonly [name: string, token: (world: MsgwWorld) => string | null])[] = [
  ["no token", () => null],
  ["another issuer", ({ server }) => server.token({ iss: "https://evil.example" })],
  ["another audience", ({ server }) => server.token({ aud: "other" })],
  ["an end six minutes ago", ({ server }) => server.token({ exp: NOW - 360 })],
  ["no end", ({ server }) => server.token({ exp: undefined })],
  ["a begin in ten minutes", ({ server }) => server.token({ nbf: NOW + 600, exp: NOW + hour })],
  ["another service", ({ server }) => server.token({ serviceurl: "https://smba.trafficmanager.net/other/" })],
  ["no service", ({ server }) => server.token({ serviceurl: undefined })],
  ["a key that nobody knows", ({ server }) => server.token({}, { kid: "made-up" })],
  ["another algorithm", ({ server }) => server.token({}, { alg: "HS256" })],
  ["no algorithm", ({ server }) => `${server.token({}, { alg: "none" }).split(".").slice(0, 2).join(".")}.`],
  [
    "a changed body",
    ({ server }) => server.token().replace(/\.(.)/, (_, one: string) => `.${one === "e" ? "f" : "e"}`),
  ],
  ["another last character for the same bits", ({ server }) => rewritten(server.token())],
  ["words", () => "hello"],
];

test("GW-110: an activity without a valid token is answered 401, and nothing is stored", async (t) => {
  const world = await connected(t);
  for (const [name, token] of BAD) {
    const answer = await world.say({ id: name }, { token: token(world) });
    assert.equal(answer.status, 401, name);
  }
  await world.say({ id: "good" });
  assert.deepEqual(
    (await world.received(1)).map((row) => row.event_id),
    ["19:dm/good"],
  );
});

test("a token that ended four minutes ago is taken: clocks differ", async (t) => {
  const { say, server } = await connected(t);
  assert.equal((await say({}, { token: server.token({ exp: NOW - 240 }) })).status, 200);
});

test("a key with endorsements speaks for its channels alone", async (t) => {
  const { say } = await connected(t, { fake: { endorsements: ["msteams"] } });
  assert.equal((await say({ channelId: "other" })).status, 401);
  assert.equal((await say()).status, 200);
});

test("keys are asked for once, once more when they change, and not again for every made-up one", async (t) => {
  const { say, server } = await connected(t);
  await say({ id: "a" });
  await say({ id: "b" });
  assert.equal(server.of("keys").length, 1);
  server.rotate();
  assert.equal((await say({ id: "c" })).status, 200);
  assert.equal(server.of("keys").length, 2);
  for (let count = 0; count < 5; count++) await say({}, { token: server.token({}, { kid: `made-up-${count}` }) });
  assert.equal(server.of("keys").length, 2);
});

test("when the keys cannot be had the platform is told to come again", async (t) => {
  const { say, server } = await connected(t);
  server.next("openid", { do: "answer", status: 500, body: "" });
  const answer = await say();
  assert.deepEqual([answer.status, answer.headers.get("retry-after")], [503, "30"]);
  assert.equal((await say()).status, 200);
});

test("GW-111: an activity of a service that is not allowed is answered 403, and no token goes anywhere", async (t) => {
  const { server, address, received } = await connected(t, { env: { MSGW_ALLOWED_SERVICE_HOSTS: "other.example" } });
  const before = server.calls.length;
  const from = (url: string) => server.deliver(address, activity(url), { token: server.token({ serviceurl: url }) });
  for (const url of [
    server.url,
    "https://smba.trafficmanager.net.evil.example/",
    "http://smba.trafficmanager.net/",
    "https://u:p@other.example/",
  ]) {
    assert.equal((await from(url)).status, 403, url);
  }
  assert.deepEqual(
    server.calls.slice(before).filter(({ by, name }) => by !== undefined || name === "token"),
    [],
  );
  assert.equal((await from("https://smba.trafficmanager.net/emea/")).status, 200);
  assert.equal((await received(1)).length, 1);
});

test("the mention of the bot is taken off, and a reply in a channel belongs to its thread", async (t) => {
  const { text, source } = await eventOf(t, {
    text: "<at>Bot</at>&nbsp;hi <at>Eve</at>",
    channelData: { team: { id: "T" }, channel: { id: "C", name: "General" } },
    conversation: { id: "19:abc@thread.tacv2;messageid=1780000000000", conversationType: "channel" },
    entities: [
      { type: "mention", mentioned: { id: "28:bot" }, text: "<at>Bot</at>" },
      { type: "mention", mentioned: { id: "29:e" }, text: "<at>Eve</at>" },
    ],
  });
  assert.equal(text, "hi <at>Eve</at>");
  assert.deepEqual(
    [source.chatType, source.chatId, source.threadId],
    ["channel", "19:abc@thread.tacv2", "1780000000000"],
  );
  assert.deepEqual([source.chatName, source.guildId], ["General", "T"]);
});

test("pictures and files come by their address; cards and the text in another form are none", async (t) => {
  const { media } = await eventOf(t, {
    attachments: [
      { contentType: "image/png", contentUrl: "https://smba.trafficmanager.net/x", name: "p.png" },
      {
        contentType: "application/vnd.microsoft.teams.file.download.info",
        name: "a.pdf",
        content: { downloadUrl: "https://x.sharepoint.com/d" },
      },
      { contentType: "text/html", content: "<p>hi</p>" },
      { contentType: "application/vnd.microsoft.card.adaptive", content: {} },
    ],
  });
  assert.deepEqual(
    media.map(({ kind, name, ref }) => [kind, name, ref]),
    [
      ["image", "p.png", { url: "https://smba.trafficmanager.net/x" }],
      ["document", "a.pdf", { url: "https://x.sharepoint.com/d" }],
    ],
  );
});

test("a pressed button is an event with what it stands for, and an invoke is told so", async (t) => {
  const { say, received } = await connected(t);
  const data = { agent_action: "ea:once:r1", approval_id: "r1" };
  const answer = await say({
    type: "invoke",
    name: "adaptiveCard/action",
    id: "i1",
    replyToId: "out1",
    text: undefined,
    value: { action: { data } },
  });
  assert.deepEqual(await answer.json(), {
    statusCode: 200,
    type: "application/vnd.microsoft.activity.message",
    value: "✓",
  });
  await say({ id: "i2", replyToId: "out1", text: undefined, value: data });
  const events = (await received(2)).map(payloadOf);
  assert.deepEqual(
    events.map(({ kind, text, source }) => [kind, text, source.messageId]),
    [
      ["button", "ea:once:r1", "out1"],
      ["button", "ea:once:r1", "out1"],
    ],
  );
});

const OTHERS: readonly (readonly [name: string, more: object, kind: string | undefined])[] = [
  ["its own message", { from: { id: "28:bot" } }, undefined],
  ["a sign that somebody writes", { type: "typing" }, undefined],
  [
    "an empty message",
    { text: "<at>Bot</at>", entities: [{ type: "mention", mentioned: { id: "28:bot" }, text: "<at>Bot</at>" }] },
    undefined,
  ],
  ["an invoke that is not known", { type: "invoke", name: "signin/verifyState" }, undefined],
  ["a changed message", { type: "messageUpdate" }, "edit"],
  ["a new member", { type: "conversationUpdate", membersAdded: [{ id: "28:bot" }] }, "membership"],
  ["a command", { text: "/status" }, "command"],
];

test("what is no message is confirmed as well, and stored where it matters", async (t) => {
  const { say, received } = await connected(t);
  const kinds = OTHERS.flatMap(([, , kind]) => kind ?? []);
  for (const [name, more] of OTHERS) assert.equal((await say({ id: name, ...more })).status, 200, name);
  assert.deepEqual(
    (await received(kinds.length)).map((row) => row.kind),
    kinds,
  );
});

test("an activity that comes fifty times is stored once, also over a restart", async (t) => {
  const first = await connected(t);
  await Promise.all(Array.from({ length: 50 }, () => first.say()));
  assert.equal((await first.received(1)).length, 1);
  await first.stop();
  const second = await connected(t, { disk: first.disk, server: first.server });
  assert.equal((await second.say()).status, 200);
  assert.equal((await second.received(1)).length, 1);
});

test("bodies that are no activities are 400, larger ones 413, other methods 405, and health is reported", async (t) => {
  const { say, address } = await connected(t);
  for (const body of ["", "{", "[]", "null", '{"type":1}', '{"__proto__":{"type":"message"}}', "[".repeat(50_000)]) {
    assert.equal((await say({}, { body })).status, 400, body.slice(0, 20));
  }
  assert.equal((await say({}, { body: `"${"x".repeat(1 << 20)}"` })).status, 413);
  assert.equal((await fetch(`http://${address}/api/messages`, { method: "PUT" })).status, 405);
  assert.equal((await fetch(`http://${address}/api/messages`)).status, 200);
  assert.equal((await fetch(`http://${address}/api/messages`, { method: "HEAD" })).status, 200);
  assert.equal(await (await fetch(`http://${address}/health`)).text(), "ok");
});

test("GW-113: the development switch on an address that others reach is a fault of the settings", async (t) => {
  const world = await msgwWorld(t, { env: { MSGW_DEV_UNAUTHENTICATED: "true", MSGW_HOST: "0.0.0.0" } });
  const { error_code: code, error_message: why } = await world.reaches("fatal");
  assert.equal(code, "config_invalid");
  assert.match(why ?? "", /MSGW_HOST/);
});

test("GW-113: on this machine alone it takes activities without a token, says so, and sends none without a secret", async (t) => {
  const world = await connected(t, {
    env: { MSGW_DEV_UNAUTHENTICATED: "true", MSGW_CLIENT_ID: "", MSGW_CLIENT_SECRET: "", MSGW_TENANT_ID: "" },
  });
  assert.match(await world.warned(), /MSGW_DEV_UNAUTHENTICATED/);
  assert.equal((await world.say({}, { token: null })).status, 200);
  await world.send("hi", { chat: "19:dm" });
  await world.settled();
  assert.deepEqual([world.server.of("token").length, world.server.of("create")[0]?.by], [0, undefined]);
});

for (const kind of ["constructor", "__proto__"])
  test(`a conversation of the unknown type ${kind} is one with a person`, async (t) => {
    const { source } = await eventOf(t, { conversation: { id: "19:dm", conversationType: kind, tenantId: "t" } });
    assert.equal(source.chatType, "dm");
  });
