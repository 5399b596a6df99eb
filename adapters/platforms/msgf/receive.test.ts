import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { proves } from "../../../fixtures/requirements.js";
import {
  BOT_MENTION,
  groupEvent,
  type MsgfWorldOptions,
  messageEvent,
  msgfWorld,
} from "../../../fixtures/worlds/msgf-world.js";
import type { Inbound } from "../../../lib/contracts/board/platform-tag.js";
import { eventOf } from "../../../lib/gateway/inbox/batches.js";

async function connected(t: TestContext, options: MsgfWorldOptions = {}) {
  const world = await msgfWorld(t, options);
  await world.reaches("connected");
  return world;
}

const mentioned = { mentions: [BOT_MENTION], content: JSON.stringify({ text: "@_user_1 hi" }) };
const payloadOf = (row: { readonly payload: string | null } | undefined): Inbound => JSON.parse(row?.payload ?? "{}");

/** Names of the events that were stored, after all of them were acknowledged. */
async function stored(
  t: TestContext,
  events: readonly object[],
  options: MsgfWorldOptions = {},
): Promise<readonly string[]> {
  const { server, received } = await connected(t, options);
  for (const event of [...events, messageEvent("om_end", "end")]) server.push(event);
  await server.until(() => server.acks.length === events.length + 1);
  assert.ok(server.acks.every(({ code }) => code === 200));
  const rows = await received(1);
  return rows.map(({ event_id: id }) => id).filter((id) => id !== "om_end");
}

test("GW-91: a frame is acknowledged after its message is stored, whole or in fragments", async (t) => {
  proves(t, "platform.msgf.exists");
  const { server, received } = await connected(t);
  server.push(messageEvent("om_1", "hi"));
  server.push(messageEvent("om_2", "in pieces ✓"), 3);
  await server.until(() => server.acks.length === 2);
  const rows = await received(2);
  assert.deepEqual(
    rows.map((row) => [row.event_id, payloadOf(row).text, row.chat_id, row.user_id]),
    [
      ["om_1", "hi", "oc_1", "ou_u"],
      ["om_2", "in pieces ✓", "oc_1", "ou_u"],
    ],
  );
  assert.deepEqual([server.acks.map(({ code }) => code), server.waiting()], [[200, 200], 0]);
});

test("an event that comes fifty times is stored once, and every frame is acknowledged", async (t) => {
  const again = Array.from({ length: 50 }, () => messageEvent("om_1", "hi"));
  assert.deepEqual(await stored(t, again), ["om_1"]);
});

test("a store that cannot be written leaves the frame with the platform, which delivers it again", async (t) => {
  const world = await connected(t);
  world.disk.faults.fail = ({ kind }) => (kind === "write" ? "ENOSPC" : undefined);
  world.server.push(messageEvent("om_1", "hi"));
  await world.server.until(() => world.server.acks.length === 1);
  assert.deepEqual([world.server.acks[0]?.code, world.server.waiting()], [500, 1]);
  world.disk.faults.fail = undefined;
  world.server.redeliver();
  await world.server.until(() => world.server.waiting() === 0);
  assert.deepEqual(
    (await world.received(1)).map(({ event_id: id }) => id),
    ["om_1"],
  );
});

test("what was not acknowledged before a restart comes again after it, and is stored once", async (t) => {
  const first = await connected(t);
  first.server.push(messageEvent("om_1", "one"));
  await first.received(1);
  await first.stop();
  first.server.push(messageEvent("om_1", "one"));
  first.server.push(messageEvent("om_2", "two"));
  const second = await msgfWorld(t, { server: first.server, disk: first.disk });
  assert.deepEqual(
    (await second.received(2)).map(({ event_id: id }) => id),
    ["om_1", "om_2"],
  );
});

const FIELDS: readonly (readonly [what: string, event: object, expected: Partial<Inbound>])[] = [
  ["a text", messageEvent("m", "hi"), { kind: "message", type: "text", text: "hi", sentAt: 1_780_000_000_000 }],
  ["a command", messageEvent("m", "/new now"), { kind: "command", type: "command", text: "/new now" }],
  [
    "a command behind a mention",
    groupEvent("m", "", { ...mentioned, content: '{"text":"@_user_1 /new"}' }),
    { kind: "command", text: "/new", decided: "allow" },
  ],
  [
    "mentions of others",
    messageEvent("m", "@_user_1 ask @_user_2 and @_user_1 now @_user_1", {
      message: { mentions: [BOT_MENTION, { key: "@_user_2", id: { open_id: "ou_b" }, name: "Bob" }] },
    }),
    { text: "ask @Bob and @Bot now" },
  ],
  [
    "a thread",
    messageEvent("m", "hi", { message: { thread_id: "omt_1", root_id: "om_r" } }),
    { replyToMessageId: null },
  ],
  [
    "an image",
    messageEvent("m", "", { message: { message_type: "image", content: '{"image_key":"img_1"}' } }),
    {
      type: "photo",
      text: "",
      media: [
        {
          kind: "image",
          mime: "image/jpeg",
          name: null,
          size: null,
          ref: { messageId: "m", key: "img_1", type: "image" },
        },
      ],
    },
  ],
  [
    "a file",
    messageEvent("m", "", { message: { message_type: "file", content: '{"file_key":"f_1","file_name":"a.pdf"}' } }),
    {
      type: "document",
      media: [
        { kind: "document", mime: null, name: "a.pdf", size: null, ref: { messageId: "m", key: "f_1", type: "file" } },
      ],
    },
  ],
  [
    "a post",
    messageEvent("m", "", {
      message: {
        message_type: "post",
        content:
          '{"title":"T","content":[[{"tag":"text","text":"a "},{"tag":"a","text":"b","href":"https://x"}],[{"tag":"text","text":"c"}]]}',
      },
    }),
    { type: "text", text: "T\na b (https://x)\nc" },
  ],
  [
    "a post with a video",
    messageEvent("m", "", {
      message: {
        message_type: "post",
        content: '{"content":[[{"tag":"media","file_key":"v_1","image_key":"img_2"}]]}',
      },
    }),
    {
      media: [
        { kind: "video", mime: "video/mp4", name: null, size: null, ref: { messageId: "m", key: "v_1", type: "file" } },
      ],
    },
  ],
  [
    "a sticker",
    messageEvent("m", "", { message: { message_type: "sticker", content: "{}" } }),
    { type: "sticker", text: "[sticker]" },
  ],
  [
    "a kind that nobody knows",
    messageEvent("m", "", { message: { message_type: "vote", content: "{}" } }),
    { text: "[vote]" },
  ],
];

for (const [what, event, expected] of FIELDS) {
  test(`${what} is received with what it holds`, async (t) => {
    const { server, received } = await connected(t);
    server.push(event);
    const found = payloadOf((await received(1))[0]);
    assert.deepEqual(
      Object.fromEntries(Object.keys(expected).map((key) => [key, found[key as keyof Inbound]])),
      expected,
    ); // keys of the table
  });
}

test("GW-96: a quoted reply in a direct chat belongs to the chat's conversation, with the quote", async (t) => {
  const { server, received } = await connected(t);
  server.state.known.set("om_r", { chat: "oc_1", text: "the roof" });
  server.push(messageEvent("om_2", "and now?", { message: { root_id: "om_r", parent_id: "om_r" } }));
  const event = payloadOf((await received(1))[0]);
  assert.deepEqual(
    [event.source.threadId, event.source.chatId, event.replyToMessageId, event.replyToText],
    [null, "oc_1", "om_r", "the roof"],
  );
});

test("a pressed button comes as what it was given, with the message that it stands under", async (t) => {
  const { server, received } = await connected(t);
  server.state.chats.set("oc_1", { name: "A", mode: "p2p" });
  const value = { agent_action: "ea:once:5", approval_id: "5" };
  server.push({
    schema: "2.0",
    header: { event_id: "ev_p", event_type: "card.action.trigger", create_time: "1780000000000" },
    event: {
      operator: { open_id: "ou_u" },
      action: { value, tag: "button" },
      context: { open_message_id: "om_c", open_chat_id: "oc_1" },
    },
  });
  const event = payloadOf((await received(1))[0]);
  assert.deepEqual([event.kind, event.text, event.eventId], ["button", "ea:once:5", "ev_p"]);
  assert.deepEqual([event.source.chatType, event.source.messageId, event.source.userId], ["dm", "om_c", "ou_u"]);
});

const press = (id: string) => ({
  schema: "2.0",
  header: { event_id: id, event_type: "card.action.trigger", create_time: "1780000000000" },
  event: {
    operator: { open_id: "ou_u" },
    action: { value: { agent_action: "ea:once:5", approval_id: "5" }, tag: "button" },
    context: { open_message_id: "om_bot_1", open_chat_id: "oc_1" },
  },
});

test("a second press on what is decided is answered as resolved for 15 minutes, and does nothing", async (t) => {
  const { server, received, send, settled, clock } = await connected(t);
  const buttons = [[{ text: "Once", data: "ea:once:5" }]];
  const card = { text: "May I?", format: "plain", silent: false } as const;
  await send("", { payload: { ...card, extra: { buttons } } });
  await settled();
  server.push(press("ev_1"));
  await server.until(() => server.acks.length === 1);
  await send("", { via: "edit", payload: { ...card, text: "allowed", messageId: "om_bot_1", extra: { buttons: [] } } });
  await settled();
  server.push(press("ev_2"));
  await server.until(() => server.acks.length === 2);
  clock.advance(15 * 60_000);
  server.push(press("ev_3"));
  assert.deepEqual(
    (await received(2)).map(({ event_id: id }) => id),
    ["ev_1", "ev_3"],
  );
  await server.until(() => server.acks.length === 3);
  const toast = { toast: { type: "info", content: "This is already resolved." } };
  assert.deepEqual(
    server.acks.map(({ code, shown }) => [code, shown]),
    [
      [200, undefined],
      [200, toast],
      [200, undefined],
    ],
  );
});

test("a press of someone who may not talk in the group is answered with a toast that only he sees, and with nothing else", async (t) => {
  const { server, received } = await connected(t, { env: { MSGF_ALLOWED_USERS: "ou_somebody" } });
  server.state.chats.set("oc_1", { name: "A", mode: "group" });
  server.push(press("ev_1"));
  await server.until(() => server.acks.length === 1);
  assert.deepEqual(
    server.acks.map(({ code, shown }) => [code, shown]),
    [[200, { toast: { type: "error", content: "⛔ You may not do this." } }]],
  );
  const [row] = await received(1);
  assert.equal(row && eventOf(row)?.decided, "deny");
});

test("a message whose quote has to be asked for is not overtaken by the next one", async (t) => {
  const { server, received } = await connected(t);
  let go: () => void = () => undefined;
  const until = new Promise<void>((resolve) => {
    go = resolve;
  });
  server.state.known.set("om_r", { chat: "oc_1", text: "the roof" });
  server.next("read", { do: "hold", after: true, until });
  server.push(messageEvent("om_1", "how high is it?", { message: { root_id: "om_r", parent_id: "om_r" } }));
  server.push(messageEvent("om_2", "the second"));
  await server.until(() => server.of("read").length === 1);
  go();
  assert.deepEqual(
    (await received(2)).map(({ event_id: id }) => id),
    ["om_1", "om_2"],
  );
});

test("GW-94: a bot that knows its user id from the settings asks for its open id, and does not hear itself", async (t) => {
  const own = { sender_type: "app", sender_id: { open_id: "ou_bot", user_id: "", union_id: "" } };
  const env = { MSGF_BOT_USER_ID: "u_bot", MSGF_ALLOW_BOTS: "all" };
  assert.deepEqual(await stored(t, [messageEvent("m", "echo", { sender: own })], { env }), []);
});

test("a chat whose kind no one could say is asked for again", async (t) => {
  const { server, received } = await connected(t);
  server.state.chats.set("oc_1", { name: "A", mode: "p2p" });
  server.next("chat", { do: "drop", after: false });
  server.push(press("ev_1"));
  await received(1);
  server.push(press("ev_2"));
  const kinds = (await received(2)).map((row) => payloadOf(row).source.chatType);
  assert.deepEqual(kinds, ["group", "dm"]);
});

test("the bot that is added to a group is told as such", async (t) => {
  const { server, received } = await connected(t);
  const header = { event_id: "ev_a", event_type: "im.chat.member.bot.added_v1", create_time: "1780000000000" };
  server.push({ schema: "2.0", header, event: { chat_id: "oc_x", name: "Team", operator_id: { open_id: "ou_u" } } });
  const event = payloadOf((await received(1))[0]);
  assert.deepEqual(
    [event.kind, event.source.chatId, event.source.chatName, event.extra],
    ["membership", "oc_x", "Team", { status: "member" }],
  );
});
