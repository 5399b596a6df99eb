import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { proves } from "../../../fixtures/requirements.js";
import { type MsggWorldOptions, msggWorld } from "../../../fixtures/worlds/msgg-world.js";
import type { Inbound } from "../../../lib/contracts/board/platform-tag.js";

const SPACE = { name: "spaces/A", spaceType: "DIRECT_MESSAGE", singleUserBotDm: true };
const GROUP = { name: "spaces/G", spaceType: "SPACE", displayName: "Team" };
const PERSON = { name: "users/1", displayName: "A", email: "U@x.org", type: "HUMAN" };
const message = (more: object = {}) => ({
  name: "spaces/A/messages/m1",
  sender: PERSON,
  text: "@Bot hi",
  argumentText: " hi",
  thread: { name: "spaces/A/threads/t" },
  ...more,
});
const native = (more: object = {}, space: object = SPACE) => ({
  type: "MESSAGE",
  message: message(more),
  space,
  user: PERSON,
});
const addOn = (more: object = {}) => ({ chat: { messagePayload: { message: message(more), space: SPACE } } });

const payloadOf = (row: { readonly payload: string | null } | undefined): Inbound => JSON.parse(row?.payload ?? "{}");

async function connected(t: TestContext, options: MsggWorldOptions = {}) {
  const world = await msggWorld(t, options);
  await world.reaches("connected");
  return world;
}

async function eventOf(t: TestContext, data: unknown, attributes: Record<string, string> = {}): Promise<Inbound> {
  const { server, received } = await connected(t);
  server.pubsub.publish(data, attributes);
  return payloadOf((await received(1))[0]);
}

test("GW-100: a message of a direct chat comes with its person, its chat and the words behind the mention", async (t) => {
  proves(t, "platform.msgg.exists");
  const { text, source, eventId, kind } = await eventOf(t, native());
  assert.deepEqual([text, eventId, kind], ["hi", "spaces/A/messages/m1", "message"]);
  assert.deepEqual(
    [source.chatId, source.chatType, source.threadId, source.userId, source.userIdAlt, source.userName],
    ["spaces/A", "dm", null, "u@x.org", "users/1", "A"],
  );
});

const ENVELOPES: readonly (readonly [name: string, data: object, attributes: Record<string, string>])[] = [
  ["of an add-on, told by its type", addOn(), { "ce-type": "google.workspace.chat.message.v1.created" }],
  ["of an add-on, told by its keys", addOn(), {}],
  [
    "of a subscription to a space",
    { message: message({ space: SPACE }) },
    { "ce-type": "google.workspace.chat.message.v1.created" },
  ],
  [
    "of a relay",
    {
      event_type: "message",
      sender_email: "u@x.org",
      text: "hi",
      space_name: "spaces/A",
      thread_name: "spaces/A/threads/t",
      message_name: "spaces/A/messages/m1",
      sender_type: "HUMAN",
    },
    {},
  ],
];

for (const [name, data, attributes] of ENVELOPES) {
  test(`GW-101: an envelope ${name} gives the same message`, async (t) => {
    const { text, source, eventId } = await eventOf(t, data, attributes);
    assert.deepEqual(
      [text, source.chatId, source.userId, eventId],
      ["hi", "spaces/A", "u@x.org", "spaces/A/messages/m1"],
    );
  });
}

test("GW-102: a message that comes again in another envelope is received once, and both are acknowledged", async (t) => {
  const { server, received } = await connected(t);
  const ids = [server.pubsub.publish(native()), server.pubsub.publish(addOn()), server.pubsub.publish(native())];
  await server.pubsub.until(() => server.pubsub.acked().length === 3);
  assert.deepEqual([...server.pubsub.acked()].sort(), ids);
  assert.equal((await received(1)).length, 1);
});

const NOTHING: readonly (readonly [name: string, data: unknown, attributes?: Record<string, string>])[] = [
  ["of a bot", native({ sender: { name: "users/9", type: "BOT" } })],
  ["that is no JSON", "{not json"],
  ["that is a list", []],
  ["with a name of another type", native({ name: 7 })],
  ["without anything to read", native({ text: "", argumentText: "" })],
  ["that is a pressed card", { type: "CARD_CLICKED", message: message(), space: SPACE }],
  ["of a widget", { chat: { widgetUpdatedPayload: {} } }],
  ["of a kind that is not known", { type: "SOMETHING", message: message(), space: SPACE }],
  ["that names no space", { type: "MESSAGE", message: message({ name: "m1" }) }],
  ["that the agent uploaded for a user", native({ clientAssignedMessageId: "client-agent-1" })],
  ["with hostile keys", '{"__proto__":{"type":"MESSAGE"},"constructor":1}'],
];

test("GW-103: what is no message for the bot is acknowledged and gone", async (t) => {
  const { server, received } = await connected(t);
  const ids = NOTHING.map(([, data, attributes]) => server.pubsub.publish(data, attributes));
  const last = server.pubsub.publish(native({ name: "spaces/A/messages/last" }));
  await server.pubsub.until(() => server.pubsub.acked().length === ids.length + 1);
  assert.deepEqual(server.pubsub.acked(), [...ids, last]);
  assert.deepEqual(server.pubsub.nacked(), []);
  assert.deepEqual(
    (await received(1)).map((row) => row.event_id),
    ["spaces/A/messages/last"],
  );
});

test("GW-104: a message of a group belongs to its thread", async (t) => {
  proves(t, "msgg.envelopes");
  const data = native({ name: "spaces/G/messages/m1", thread: { name: "spaces/G/threads/t" } }, GROUP);
  const { source } = await eventOf(t, data);
  assert.deepEqual(
    [source.chatType, source.chatId, source.chatName, source.threadId],
    ["group", "spaces/G", "Team", "spaces/G/threads/t"],
  );
});

test("a thread of a direct chat that comes again is a conversation of its own, also after a restart", async (t) => {
  const first = await connected(t);
  const say = (name: string, thread: string) =>
    native({ name: `spaces/A/messages/${name}`, thread: { name: `spaces/A/threads/${thread}` } });
  first.server.pubsub.publish(say("m1", "t1"));
  first.server.pubsub.publish(say("m2", "t2"));
  first.server.pubsub.publish(say("m1", "t1"));
  await first.server.pubsub.until(() => first.server.pubsub.acked().length === 3);
  await first.stop();
  const second = await connected(t, { disk: first.disk, server: first.server });
  second.server.pubsub.publish(say("m3", "t1"));
  second.server.pubsub.publish(say("m4", "t2"));
  second.server.pubsub.publish(say("m5", "t3"));
  const rows = await second.received(5);
  assert.deepEqual(
    rows.map((row) => [row.event_id.slice(-2), row.thread_id]),
    [
      ["m1", null],
      ["m2", null],
      ["m3", "spaces/A/threads/t1"],
      ["m4", "spaces/A/threads/t2"],
      ["m5", null],
    ],
  );
});

test("a command of the platform's menu is a command with its number", async (t) => {
  const { text, kind } = await eventOf(
    t,
    native({ slashCommand: { commandId: "1" }, text: "/ask me", argumentText: " me" }),
  );
  assert.deepEqual([text, kind], ["/cmd_1 me", "command"]);
});

test("files come by what fetches them, without a secret; one that was picked from a drive says so", async (t) => {
  const attachment = [
    {
      contentName: "a.pdf",
      contentType: "application/pdf",
      attachmentDataRef: { resourceName: "r1" },
      source: "UPLOADED_CONTENT",
    },
    { contentName: "b.png", contentType: "image/png", source: "DRIVE_FILE", downloadUri: "https://drive.google.com/b" },
  ];
  const { server, platform, received } = await connected(t);
  server.state.media.set("r1", Buffer.from("pdf"));
  server.pubsub.publish(native({ attachment, text: "", argumentText: "" }));
  const { media, type } = payloadOf((await received(1))[0]);
  assert.deepEqual(
    [type, media.map(({ kind, name }) => [kind, name])],
    [
      "document",
      [
        ["document", "a.pdf"],
        ["image", "b.png"],
      ],
    ],
  );
  const [pdf, drive] = media;
  const { signal } = new AbortController();
  const bytes: Uint8Array[] = [];
  if (pdf !== undefined) for await (const part of (await platform.fetchMedia?.(pdf, signal)) ?? []) bytes.push(part);
  assert.equal(Buffer.concat(bytes).toString(), "pdf");
  if (drive !== undefined) await assert.rejects(async () => platform.fetchMedia?.(drive, signal), /drive/);
});

const PLACES = [
  "http://drive.google.com/x",
  "https://evil.example/x",
  "https://drive.google.com.evil.example/x",
  "https://u@drive.google.com/x",
  "https://drive.google.com:8443/x",
  "file:///etc/passwd",
  "https://notgoogleapis.com/x",
  "",
];

test("a file at a place that is not the platform's is refused, and nothing is asked of that place", async (t) => {
  proves(t, "msgg.envelopes");
  const { platform, server } = await connected(t);
  const calls = server.calls.length;
  for (const url of PLACES) {
    const media = { kind: "document", mime: null, name: "x", size: null, ref: { url } };
    await assert.rejects(async () => platform.fetchMedia?.(media, new AbortController().signal), /platform/, url);
  }
  assert.equal(server.calls.length, calls);
});

test("with backlog drop, what waited before the first connect is acknowledged and not answered", async (t) => {
  const { server, received, clock } = await connected(t, { rules: { backlog: () => "drop" } });
  server.pubsub.publish(native({ name: "spaces/A/messages/old" }), {}, clock.now() - 1000);
  server.pubsub.publish(native({ name: "spaces/A/messages/new" }), {}, clock.now() + 1000);
  const rows = await received(2);
  assert.deepEqual(
    rows.map(({ event_id: id, state }) => [id.slice(-3), state]),
    [
      ["old", "expired"],
      ["new", "received"],
    ],
  );
});
