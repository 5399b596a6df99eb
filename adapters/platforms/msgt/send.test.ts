import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { rateLimit, refused } from "../../../fixtures/servers/msgt/server.js";
import type { Fate } from "../../../fixtures/servers/shared/fate.js";
import { quiet } from "../../../fixtures/sim/gateway-world.js";
import { type MsgtWorldOptions, msgtWorld } from "../../../fixtures/worlds/msgt-world.js";
import type { InboundMedia } from "../../../lib/contracts/board/platform-tag.js";
import type { SendPayload, SendTarget } from "../../../lib/contracts/gateway/outbox.js";

async function connected(t: TestContext, options: MsgtWorldOptions = {}) {
  const world = await msgtWorld(t, options);
  await world.reaches("connected");
  const words = () => world.server.shown.map(({ text }) => text);
  return { ...world, words };
}

const target = (more: Partial<SendTarget> = {}): SendTarget => ({
  platform: "msgt",
  account: "4711",
  chatId: "42",
  threadId: null,
  replyTo: null,
  ...more,
});
const payload = (more: Partial<SendPayload> = {}): SendPayload => ({
  text: "words",
  format: "plain",
  silent: false,
  ...more,
});

test("an answer is one sendMessage and keeps the id that the platform gives", async (t) => {
  const { send, settled, server } = await connected(t);
  await send("PONG");
  const [row] = await settled();
  assert.deepEqual([row?.state, row?.platform_message_id], ["sent", "1000"]);
  assert.deepEqual(
    server.of("sendMessage").map(({ params }) => params),
    [{ chat_id: "42", text: "PONG" }],
  );
});

test("GW-44 formatting that the platform cannot parse leads to the same words without it", async (t) => {
  const { send, settled, server, words } = await connected(t);
  server.next("sendMessage", refused(400, "Bad Request: can't parse entities: Character '.' is reserved"));
  await send("**bold** words.", { markdown: true });
  assert.equal((await settled())[0]?.state, "sent");
  assert.deepEqual(
    server.of("sendMessage").map(({ params }) => params["parse_mode"]),
    ["MarkdownV2", undefined],
  );
  assert.deepEqual(words(), ["**bold** words."]);
});

test("GW-45 a rate limit is waited for, and one message is shown", async (t) => {
  const { send, settled, server, clock, words } = await connected(t);
  server.next("sendMessage", rateLimit(3));
  await send("once");
  assert.equal((await settled())[0]?.state, "pending");
  clock.advance(2999);
  await quiet();
  assert.equal(server.of("sendMessage").length, 1);
  clock.advance(1);
  assert.equal((await settled())[0]?.state, "sent");
  assert.deepEqual(words(), ["once"]);
});

const FATES: readonly (readonly [what: string, fate: Fate, state: string, shown: number])[] = [
  ["a connection that breaks after the delivery", { do: "drop", after: true }, "unknown", 1],
  ["a connection that breaks before the delivery", { do: "drop", after: false }, "unknown", 0],
  [
    "a page of a broken gateway",
    { do: "answer", status: 502, body: "<html>bad gateway</html>", after: true },
    "unknown",
    1,
  ],
  ["an error of the platform itself", refused(500, "Internal Server Error"), "pending", 0],
  ["a blocked bot", refused(403, "Forbidden: bot was blocked by the user"), "failed", 0],
  ["a chat that is gone", refused(400, "Bad Request: chat not found"), "failed", 0],
];

for (const [what, fate, state, shown] of FATES) {
  test(`${what} makes a message ${state}, and it is sent once`, async (t) => {
    const { send, settled, server, words } = await connected(t);
    server.next("sendMessage", fate);
    await send("once", { kind: "notice" });
    assert.equal((await settled())[0]?.state, state);
    await quiet();
    assert.equal(server.of("sendMessage").length, 1);
    assert.equal(words().length, shown);
  });
}

test("a message whose answer never comes is unknown and not repeated", async (t) => {
  const { send, settled, server, clock, words } = await connected(t);
  server.next("sendMessage", { do: "hang", after: true });
  await send("once");
  await server.until(() => server.shown.length === 1);
  clock.advance(20_000);
  assert.equal((await settled())[0]?.state, "unknown");
  clock.advance(60_000);
  await quiet();
  assert.deepEqual(words(), ["once"]);
});

test("a token that is refused stops the adapter, and the message waits", async (t) => {
  const { send, settled, server, reaches } = await connected(t);
  server.next("sendMessage", refused(401, "Unauthorized"));
  await send("later");
  assert.equal((await settled())[0]?.state, "pending");
  assert.equal((await reaches("fatal")).error_code, "auth_failed");
});

test("a thread that is gone is asked for twice, then the message goes to the chat", async (t) => {
  const { send, settled, server } = await connected(t);
  await send("hi", { target: target({ threadId: "9" }) });
  assert.equal((await settled())[0]?.state, "sent");
  assert.deepEqual(
    server.of("sendMessage").map(({ params }) => params["message_thread_id"]),
    [9, 9, undefined],
  );
});

test("a group that became another gets the message under its new id", async (t) => {
  const { send, settled, server } = await connected(t);
  server.state.migrated.set("-5", -1005);
  await send("hi", { chat: "-5" });
  await settled();
  await send("again", { chat: "-5" });
  await settled();
  assert.deepEqual(
    server.of("sendMessage").map(({ params }) => params["chat_id"]),
    ["-5", "-1005", "-1005"],
  );
});

test("threads, quotes, silence and previews are asked for as the settings say", async (t) => {
  const { send, settled, server } = await connected(t, { block: { disable_link_previews: true } });
  server.state.topics.set("42/7", "T");
  await send("a", { target: target({ threadId: "7", replyTo: "5" }), kind: "notice" });
  await send("b", { target: target({ threadId: "1" }) });
  await settled(2);
  const quote = { message_id: 5, allow_sending_without_reply: true };
  const plain = { chat_id: "42", link_preview_options: { is_disabled: true } };
  const sent = server.of("sendMessage").map(({ params }) => params);
  assert.deepEqual(
    sent.find(({ text }) => text === "a"),
    { ...plain, text: "a", message_thread_id: 7, reply_parameters: quote, disable_notification: true },
  );
  assert.deepEqual(
    sent.find(({ text }) => text === "b"),
    { ...plain, text: "b" },
  );
});

test("a message of the full length is sent whole, whatever it is made of", async (t) => {
  const { send, settled, words } = await connected(t);
  const long = `${"😀.".repeat(1365)}!`;
  await send(long, { markdown: true });
  assert.equal((await settled())[0]?.state, "sent");
  assert.deepEqual(words(), [long]);
});

test("an edit changes the message, and one that changes nothing is fine", async (t) => {
  const { send, settled, platform, words } = await connected(t);
  await send("first");
  await settled();
  const { signal } = new AbortController();
  for (let times = 0; times < 2; times++) {
    assert.equal((await platform.edit?.("42", "1000", "**second**", { final: true, signal }))?.result, "sent");
  }
  assert.deepEqual(words(), ["second"]);
  assert.equal(
    (await platform.edit?.("42", "1000", `${"a".repeat(4095)}😀`, { final: false, signal }))?.result,
    "sent",
  );
  assert.deepEqual(words(), ["a".repeat(4095)]);
  await send("", { target: target(), via: "remove", payload: payload({ messageId: "1000" }) });
  assert.equal((await settled())[0]?.state, "sent");
});

test("buttons go along, and a press is answered", async (t) => {
  const { send, settled, server } = await connected(t);
  const buttons = [[{ text: "Once", data: "ea:once:5" }]];
  await send("", { kind: "approval", payload: payload({ text: "run?", extra: { buttons } }) });
  await send("", {
    via: "reply",
    payload: payload({ text: "no", grant: { token: "q1", expiresAt: null }, extra: { alert: true } }),
    chat: "43",
  });
  await settled(2);
  assert.deepEqual(server.of("sendMessage")[0]?.params["reply_markup"], {
    inline_keyboard: [[{ text: "Once", callback_data: "ea:once:5" }]],
  });
  assert.deepEqual(server.of("answerCallbackQuery")[0]?.params, {
    callback_query_id: "q1",
    text: "no",
    show_alert: true,
  });
});

const FILES: readonly (readonly [
  name: string,
  mime: string,
  kind: "image" | "voice" | "audio" | "video" | "document",
  method: string,
])[] = [
  ["a.png", "image/png", "image", "sendPhoto"],
  ["a.bmp", "image/bmp", "image", "sendDocument"],
  ["a.ogg", "audio/ogg", "voice", "sendVoice"],
  ["a.mp3", "audio/mpeg", "audio", "sendAudio"],
  ["a.mp4", "video/mp4", "video", "sendVideo"],
  ['odd "name".txt', "text/plain", "document", "sendDocument"],
];

for (const [name, mime, kind, method] of FILES) {
  test(`the file ${name} is sent by ${method}, every byte of it`, async (t) => {
    const dir = mkdtempSync(join(tmpdir(), "msgt-"));
    t.after(() => rmSync(dir, { recursive: true, force: true }));
    const bytes = Buffer.from([0, 13, 10, 45, 45, 255, 128, 13, 10]);
    writeFileSync(join(dir, "file"), bytes);
    const { send, settled, server } = await connected(t);
    await send("", {
      payload: payload({
        text: "see **this**",
        format: "markdown",
        file: { path: join(dir, "file"), name, mime, kind },
      }),
    });
    assert.equal((await settled())[0]?.state, "sent");
    const [call] = server.of(method);
    assert.deepEqual(call?.file?.bytes, bytes);
    assert.equal(server.shown[0]?.text, "see this");
  });
}

test("a file that is gone fails with its name and without a call", async (t) => {
  const { send, settled, server } = await connected(t);
  const file = { path: "/nowhere/x", name: "x", mime: "text/plain", kind: "document" } as const;
  await send("", { kind: "notice", payload: payload({ file }) });
  const [row] = await settled();
  assert.deepEqual([row?.state, row?.error], ["failed", "the file x no longer exists"]);
  assert.equal(server.of("sendDocument").length, 0);
});

test("a file of a message is fetched whole, and one that is gone or too large says so", async (t) => {
  const { platform, server } = await connected(t);
  server.state.files.set("f1", Buffer.from("content"));
  const { signal } = new AbortController();
  const media = (fileId: string, size: number): InboundMedia => ({
    kind: "document",
    mime: null,
    name: null,
    size,
    ref: { fileId },
  });
  const pieces: Uint8Array[] = [];
  for await (const piece of (await platform.fetchMedia?.(media("f1", 7), signal)) ?? []) pieces.push(piece);
  assert.equal(Buffer.concat(pieces).toString(), "content");
  await assert.rejects(async () => platform.fetchMedia?.(media("gone", 7), signal), /wrong file_id/);
  await assert.rejects(async () => platform.fetchMedia?.(media("f1", 21 << 20), signal), /larger than 20 MB/);
});

test("typing, topics and chats are asked for, and typing never fails", async (t) => {
  const { platform, server } = await connected(t);
  const { signal } = new AbortController();
  server.next("sendChatAction", refused(400, "Bad Request"));
  await platform.typing?.("42", true, signal);
  assert.equal(await platform.createThread?.("-7", "Work", signal), "100");
  assert.deepEqual(await platform.chatInfo?.("42", signal), { chatId: "42", name: "A B", type: "private" });
});

const TABLE = "| a | b |\n|---|---|\n| 1 | 2 |";

test("with rich_messages a table is sent in the platform's richer form, and plain words as before", async (t) => {
  const { send, settled, server, words } = await connected(t, { block: { rich_messages: true } });
  await send(TABLE, { markdown: true });
  assert.equal((await settled())[0]?.state, "sent");
  await send("**bold**", { markdown: true });
  await settled();
  const [rich] = server.of("sendRichMessage");
  assert.deepEqual(rich?.params, { chat_id: "42", rich_message: { markdown: TABLE } });
  assert.deepEqual([server.of("sendRichMessage").length, server.of("sendMessage").length, words()[0]], [1, 1, TABLE]);
});

for (const [what, text] of [
  ["tasks", "- [x] done\n- [ ] open"],
  ["details", "<details><summary>more</summary>x</details>"],
  ["a formula", "so $$x^2$$ it is"],
] as const) {
  test(`with rich_messages ${what} are sent in the richer form`, async (t) => {
    const { send, settled, server } = await connected(t, { block: { rich_messages: true } });
    await send(text, { markdown: true });
    await settled();
    assert.equal(server.of("sendRichMessage").length, 1);
  });
}

test("a platform that does not know the richer form gets the plainer one, and is not asked again", async (t) => {
  const { send, settled, server } = await connected(t, { block: { rich_messages: true } });
  server.next("sendRichMessage", refused(404, "Not Found: method not found"));
  for (let n = 0; n < 2; n++) {
    await send(TABLE, { markdown: true });
    assert.equal((await settled()).at(-1)?.state, "sent");
  }
  assert.deepEqual([server.of("sendRichMessage").length, server.of("sendMessage").length], [1, 2]);
});

test("a text that the richer form cannot hold is sent in the plainer one, once", async (t) => {
  const { send, settled, server, words } = await connected(t, { block: { rich_messages: true } });
  server.next("sendRichMessage", refused(400, "Bad Request: can't parse rich message"));
  await send(TABLE, { markdown: true });
  assert.equal((await settled())[0]?.state, "sent");
  assert.equal(words().length, 1);
  await send(TABLE, { markdown: true });
  await settled();
  assert.equal(server.of("sendRichMessage").length, 2, "the next text is tried");
});
