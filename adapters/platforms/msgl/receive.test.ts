import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { type TestContext, test } from "node:test";
import { proves } from "../../../fixtures/requirements.js";
import { BOT, PERSON } from "../../../fixtures/servers/msgl/server.js";
import { quiet } from "../../../fixtures/sim/gateway-world.js";
import { MSGL_SECRET, type MsglWorldOptions, msglWorld } from "../../../fixtures/worlds/msgl-world.js";
import type { Inbound, InboxRow } from "../../../lib/contracts/board/platform-tag.js";

const payloadOf = (row: InboxRow | undefined): Inbound => JSON.parse(row?.payload ?? "{}");

async function listening(t: TestContext, options: MsglWorldOptions = {}) {
  const world = await msglWorld(t, options);
  const url = await world.listens();
  return { ...world, url };
}

test("GW-70 a signed text is stored with its reply token, then confirmed", async (t) => {
  proves(t, "platform.msgl.exists", "msgl.webhook", "msgl.webhook.path-decided");
  const { server, received, clock } = await listening(t);
  assert.deepEqual(await server.deliver(server.text("hi", { token: "r1" })), { status: 200, text: "ok" });
  const event = payloadOf((await received(1))[0]);
  assert.deepEqual(
    [event.kind, event.text, event.source.chatId, event.source.chatType],
    ["message", "hi", PERSON, "dm"],
  );
  assert.deepEqual(event.replyGrant, { token: "r1", expiresAt: clock.now() + 50_000 });
});

test("GW-81 a signed list without events is confirmed", async (t) => {
  const { server } = await listening(t);
  assert.deepEqual(await server.deliver(), { status: 200, text: "ok" });
});

const SIGNATURES = [
  { what: "of other bytes", signature: createHmac("sha256", MSGL_SECRET).update("other").digest("base64") },
  { what: "with another secret", signature: createHmac("sha256", "x").update("{}").digest("base64") },
  { what: "that is short", signature: "AA==" },
  { what: "that is empty", signature: "" },
  { what: "in hex", signature: createHmac("sha256", MSGL_SECRET).update('{"events":[]}').digest("hex") },
] as const;

for (const { what, signature } of SIGNATURES) {
  test(`GW-71 a signature ${what} is refused and nothing is stored`, async (t) => {
    const { server, gateway } = await listening(t);
    assert.deepEqual(await server.post('{"events":[]}', { signature }), { status: 401, text: "invalid signature" });
    assert.deepEqual(await gateway.inbox.received(5), []);
  });
}

test("GW-71 a body without signature is refused", async (t) => {
  proves(t, "msgl.signature", "msgl.signature-invalid", "msgl.signature.status-decided");
  const { url } = await listening(t);
  const answer = await fetch(`${url}/msgl/webhook`, { method: "POST", body: '{"events":[]}' });
  assert.deepEqual([answer.status, await answer.text()], [401, "invalid signature"]);
});

test("signed bytes that are no list of events get 400", async (t) => {
  const { server } = await listening(t);
  for (const body of [
    "",
    "no json",
    "[]",
    "{}",
    '{"events":{}}',
    "null",
    '{"events":"x"}',
    Buffer.from([0xff, 0xfe]),
  ]) {
    assert.equal((await server.post(body)).status, 400);
  }
});

test("GW-72 an event that comes again is stored once, also after a restart", async (t) => {
  proves(t, "msgl.dedupe");
  const first = await listening(t);
  const event = first.server.text("hi");
  for (let times = 0; times < 50; times++) assert.equal((await first.server.deliver(event)).status, 200);
  await first.received(1);
  await first.stop();
  const second = await msglWorld(t, { server: first.server, disk: first.disk });
  await second.listens();
  assert.equal((await first.server.deliver(event)).status, 200);
  await first.server.deliver(first.server.text("two"));
  assert.deepEqual(
    (await second.received(2)).map((row) => payloadOf(row).text),
    ["hi", "two"],
  );
});

test("the first event of a body that cannot be read does not hold up the others", async (t) => {
  const { server, received } = await listening(t);
  assert.equal((await server.deliver({ type: 7 }, {}, { webhookEventId: "x" }, server.text("fine"))).status, 200);
  assert.equal(payloadOf((await received(1))[0]).text, "fine");
});

test("what cannot be stored is not confirmed, and the platform is told when to come again", async (t) => {
  const { server } = await listening(t, { accept: async () => "busy" });
  const answer = await server.deliver(server.text("hi"));
  assert.deepEqual(answer, { status: 503, text: "busy" });
});

const user = (userId: string) => ({ type: "user", userId });
const EVENTS: readonly (readonly [what: string, event: object, expected: object])[] = [
  [
    "a command",
    { type: "message", message: { id: "1", type: "text", text: "/new" } },
    { kind: "command", text: "/new" },
  ],
  [
    "a picture",
    { type: "message", message: { id: "9", type: "image", contentProvider: { type: "line" } } },
    {
      type: "photo",
      text: "",
      media: [{ kind: "image", mime: "image/jpeg", name: null, size: null, ref: { id: "9" } }],
    },
  ],
  [
    "a picture of another server",
    {
      type: "message",
      message: {
        id: "9",
        type: "image",
        contentProvider: { type: "external", originalContentUrl: "https://x.example/a.jpg" },
      },
    },
    { media: [{ kind: "image", mime: "image/jpeg", name: null, size: null, ref: { url: "https://x.example/a.jpg" } }] },
  ],
  [
    "a file",
    { type: "message", message: { id: "9", type: "file", fileName: "a.md", fileSize: 3 } },
    { type: "document", text: "", media: [{ kind: "document", mime: null, name: "a.md", size: 3, ref: { id: "9" } }] },
  ],
  [
    "a sticker",
    { type: "message", message: { id: "9", type: "sticker", keywords: ["joy", "sun"] } },
    { text: "[sticker: joy, sun]" },
  ],
  [
    "a place",
    { type: "message", message: { id: "9", type: "location", title: "Home", address: "Road 1" } },
    { text: "[location: Home Road 1]" },
  ],
  [
    "an unknown kind",
    { type: "message", message: { id: "9", type: "hologram" } },
    { text: "[unsupported message type: hologram]" },
  ],
  [
    "a press",
    { type: "postback", postback: { data: '{"action":"show_response","request_id":"r-1"}' } },
    { kind: "postback", extra: { data: '{"action":"show_response","request_id":"r-1"}', requestId: "r-1" } },
  ],
];

for (const [what, parts, expected] of EVENTS) {
  test(`${what} is understood`, async (t) => {
    const { server, received } = await listening(t);
    await server.deliver(server.event(parts as Readonly<Record<string, unknown>>)); // a row of the table
    const event = payloadOf((await received(1))[0]);
    for (const [key, value] of Object.entries(expected)) assert.deepEqual(event[key as keyof Inbound], value, key);
  });
}

const text = { id: "1", type: "text", text: "hi" };
const PASSED = [
  ["events of the bot itself", { type: "message", message: text, source: user(BOT) }],
  ["events of a channel on standby", { type: "message", message: text, mode: "standby" }],
  ["a follow", { type: "follow" }],
  ["an unfollow", { type: "unfollow" }],
  ["a join", { type: "join", source: { type: "group", groupId: "C1" } }],
  ["a leave", { type: "leave", source: { type: "room", roomId: "R1" } }],
  ["an event without source", { type: "message", message: text, source: undefined }],
] as const;

for (const [what, event] of PASSED) {
  test(`${what} is confirmed and left`, async (t) => {
    const { server, received } = await listening(t);
    assert.equal((await server.deliver(server.event(event), server.text("after"))).status, 200);
    assert.deepEqual(
      (await received(1)).map((row) => payloadOf(row).text),
      ["after"],
    );
  });
}

const LISTS = [
  ["a listed user", { MSGL_ALLOWED_USERS: "U1" }, user("U1"), "allow"],
  ["another user", { MSGL_ALLOWED_USERS: "U1" }, user("U2"), undefined],
  [
    "a listed group, whoever the member is",
    { MSGL_ALLOWED_GROUPS: "C1" },
    { type: "group", groupId: "C1", userId: "U9" },
    "allow",
  ],
  [
    "another group, also for a listed user",
    { MSGL_ALLOWED_USERS: "U1" },
    { type: "group", groupId: "C2", userId: "U1" },
    "deny",
  ],
  ["a listed room", { MSGL_ALLOWED_ROOMS: "R1" }, { type: "room", roomId: "R1" }, "allow"],
  ["a group that is listed as a room", { MSGL_ALLOWED_ROOMS: "C1" }, { type: "group", groupId: "C1" }, "deny"],
  ["anybody, when all may", { MSGL_ALLOW_ALL_USERS: "true" }, { type: "group", groupId: "C7", userId: "U1" }, "allow"],
] as const;

for (const [who, env, source, decided] of LISTS) {
  test(`who may talk: ${who} is ${decided ?? "left to the common rules"}`, async (t) => {
    proves(t, "msgl.allowlists");
    const { server, received } = await listening(t, { env });
    await server.deliver(server.event({ type: "message", message: text, source }));
    assert.equal(payloadOf((await received(1))[0]).decided, decided);
  });
}

test("the health of the listener can be asked, and other ways of asking are refused", async (t) => {
  const { url } = await listening(t);
  const health = await fetch(`${url}/msgl/webhook/health`);
  assert.deepEqual(await health.json(), { status: "ok", platform: "msgl" });
  const wrong = await fetch(`${url}/msgl/webhook`);
  assert.deepEqual([wrong.status, wrong.headers.get("allow")], [405, "POST"]);
  assert.equal((await fetch(`${url}/msgl`)).status, 404);
});

test("GW-79 a file of a message is fetched with the token, after the confirmation", async (t) => {
  const { server, received, platform } = await listening(t);
  server.channel.files.set("77", Buffer.from("picture"));
  await server.deliver(server.event({ type: "message", message: { id: "77", type: "image" } }));
  assert.equal(server.of("content").length, 0);
  const [media] = payloadOf((await received(1))[0]).media;
  assert.ok(media !== undefined && platform.fetchMedia !== undefined);
  const parts: Uint8Array[] = [];
  for await (const part of await platform.fetchMedia(media, new AbortController().signal)) parts.push(part);
  assert.equal(Buffer.concat(parts).toString(), "picture");
  assert.equal(server.of("content")[0]?.status, 200);
  server.channel.files.clear();
  await assert.rejects(platform.fetchMedia(media, new AbortController().signal), /answered 404/);
});

test("the memory of ids is bounded, and what falls out of it is recognised by the store", async (t) => {
  const { server, received, gateway } = await listening(t);
  const events = Array.from({ length: 1100 }, (_none, at) => server.text(`t${at}`, { id: `e${at}` }));
  for (let at = 0; at < 1100; at += 100) await server.deliver(...events.slice(at, at + 100));
  await server.deliver(events[0] ?? {});
  await quiet();
  assert.equal((await received(1100)).length, 1100);
  assert.equal((await gateway.inbox.received(2000)).length, 1100);
});
