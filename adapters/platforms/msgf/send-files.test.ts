import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { simMessage } from "../../../fixtures/sim/platform.js";
import { type MsgfWorldOptions, msgfWorld } from "../../../fixtures/worlds/msgf-world.js";
import type { SendPayload, SendTarget } from "../../../lib/contracts/gateway/outbox.js";

const { signal } = new AbortController();

async function connected(t: TestContext, options: MsgfWorldOptions = {}) {
  const world = await msgfWorld(t, options);
  await world.reaches("connected");
  world.server.state.known.set("om_1", { chat: "oc_1", text: "hi" });
  const { account } = world.platform;
  const target = (more: Partial<SendTarget> = {}): SendTarget => ({
    platform: "msgf",
    account,
    chatId: "oc_1",
    threadId: null,
    replyTo: null,
    ...more,
  });
  return { ...world, target };
}

const payload = (more: Partial<SendPayload> = {}): SendPayload => ({
  text: "words",
  format: "plain",
  silent: false,
  ...more,
});

test("buttons are a card that gives back what they hold, and its decision is shown in the card", async (t) => {
  const { send, settled, server, target } = await connected(t);
  const buttons = [[{ text: "Once", data: "ea:once:5" }]];
  await send("", { kind: "approval", target: target(), payload: payload({ text: "run?", extra: { buttons } }) });
  const [row] = await settled();
  const card = JSON.stringify(server.shown[0]?.content);
  assert.match(card, /"value":\{"agent_action":"ea:once:5","approval_id":"5"\}/);
  await send("", {
    target: target(),
    via: "edit",
    payload: payload({ text: "allowed", messageId: row?.platform_message_id ?? "" }),
  });
  await settled();
  assert.deepEqual([server.of("card").length, server.of("edit").length], [1, 0]);
  assert.match(JSON.stringify(server.shown[0]?.content), /allowed/);
});

test("a card that an earlier program sent is changed as a card too", async (t) => {
  const first = await connected(t);
  const buttons = [[{ text: "Once", data: "ea:once:5" }]];
  await first.send("", {
    kind: "approval",
    target: first.target(),
    payload: payload({ text: "run?", extra: { buttons } }),
  });
  await first.settled();
  await first.stop();
  const next = await connected(t, { server: first.server });
  await next.send("", {
    target: next.target(),
    via: "edit",
    payload: payload({ text: "denied", messageId: "om_bot_1" }),
  });
  assert.equal((await next.settled()).at(-1)?.state, "sent");
  assert.match(JSON.stringify(next.server.shown[0]?.content), /denied/);
});

test("a message takes 18 partial texts and its last one, and no more reach the platform", async (t) => {
  const { send, settled, platform, server } = await connected(t);
  await send("first", { chat: "oc_1" });
  await settled();
  const results: (string | undefined)[] = [];
  for (let at = 0; at < 20; at++)
    results.push((await platform.edit?.("oc_1", "om_bot_1", `text ${at}`, { final: false, signal }))?.result);
  assert.deepEqual([results.filter((one) => one === "sent").length, server.of("edit").length], [18, 18]);
  assert.equal((await platform.edit?.("oc_1", "om_bot_1", "**last**", { final: true, signal }))?.result, "sent");
});

test("a message is removed, and one that is gone counts as removed", async (t) => {
  const { send, settled, server, target } = await connected(t);
  await send("first", { chat: "oc_1" });
  await settled();
  for (let times = 0; times < 2; times++) {
    await send("", { target: target(), via: "remove", payload: payload({ messageId: "om_bot_1" }) });
    assert.equal((await settled()).at(-1)?.state, "sent");
  }
  assert.equal(server.shown[0]?.removed, true);
});

const FILES: readonly (readonly [
  name: string,
  mime: string,
  kind: "image" | "voice" | "audio" | "video" | "document",
  call: string,
  type: string,
])[] = [
  ["a.png", "image/png", "image", "image", "image"],
  ["a.opus", "audio/ogg", "voice", "file", "audio"],
  ["a.ogg", "audio/ogg", "voice", "file", "audio"],
  ["b.ogg", "audio/ogg", "audio", "file", "file"],
  ["a.mp4", "video/mp4", "video", "file", "media"],
  ['odd "name".pdf', "application/pdf", "document", "file", "file"],
];

for (const [name, mime, kind, call, type] of FILES) {
  test(`the file ${name} is sent as ${type}, every byte of it`, async (t) => {
    const dir = mkdtempSync(join(tmpdir(), "msgf-"));
    t.after(() => rmSync(dir, { recursive: true, force: true }));
    const bytes = Buffer.from([0, 13, 10, 45, 45, 255, 128, 13, 10]);
    writeFileSync(join(dir, "file"), bytes);
    const { send, settled, server, target } = await connected(t);
    await send("", {
      target: target(),
      payload: payload({ text: "", file: { path: join(dir, "file"), name, mime, kind } }),
    });
    assert.equal((await settled())[0]?.state, "sent");
    assert.deepEqual([server.of(call).length, server.shown[0]?.type], [1, type]);
    assert.deepEqual([...server.state.files.values()][0], bytes);
  });
}

test("words beside a file follow it, once, whatever breaks", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "msgf-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  writeFileSync(join(dir, "file"), "content");
  const { send, settled, server, target, clock } = await connected(t);
  server.next(
    "send",
    { do: "answer", status: 200, body: { code: 0, msg: "", data: { message_id: "x" } }, after: true },
    { do: "drop", after: true },
  );
  const file = { path: join(dir, "file"), name: "a.txt", mime: "text/plain", kind: "document" } as const;
  await send("", { target: target(), payload: payload({ text: "look", file }) });
  await settled();
  clock.advance(10_000);
  assert.equal((await settled())[0]?.state, "sent");
  assert.deepEqual(
    server.shown.map(({ type }) => type),
    ["file", "text"],
  );
});

test("a file that is gone fails with its name and without a call", async (t) => {
  const { send, settled, server, target } = await connected(t);
  const file = { path: "/nowhere/x", name: "x", mime: "text/plain", kind: "document" } as const;
  await send("", { kind: "notice", target: target(), payload: payload({ file }) });
  const [row] = await settled();
  assert.deepEqual([row?.state, row?.error], ["failed", "the file x no longer exists"]);
  assert.equal(server.of("file").length, 0);
});

test("a file of a message is fetched whole, and one that is gone says so", async (t) => {
  const { platform, server } = await connected(t);
  server.state.files.set("f1", Buffer.from("content"));
  const media = (key: string) => ({
    kind: "document",
    mime: null,
    name: null,
    size: 7,
    ref: { messageId: "om_1", key, type: "file" },
  });
  const pieces: Uint8Array[] = [];
  for await (const piece of (await platform.fetchMedia?.(media("f1"), signal)) ?? []) pieces.push(piece);
  assert.equal(Buffer.concat(pieces).toString(), "content");
  await assert.rejects(async () => platform.fetchMedia?.(media("gone"), signal), /File not in msg/);
});

test("a message shows that it is worked on, and a failure stays to be seen", async (t) => {
  const { platform, server } = await connected(t);
  const plain = simMessage("msgf", "1", "hi");
  const event = { ...plain, source: { ...plain.source, messageId: "om_1" } };
  const shown = () => [...server.state.reactions.values()].map(({ emoji }) => emoji);
  await platform.onTurn?.(event, "begun", signal);
  assert.deepEqual(shown(), ["Typing"]);
  await platform.onTurn?.(event, "answered", signal);
  assert.deepEqual(shown(), []);
  await platform.onTurn?.(event, "begun", signal);
  await platform.onTurn?.(event, "failed", signal);
  assert.deepEqual(shown(), ["CrossMark"]);
});
