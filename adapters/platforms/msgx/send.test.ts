import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { PERSON, refused, startMsgx } from "../../../fixtures/servers/msgx/server.js";
import type { Fate } from "../../../fixtures/servers/shared/fate.js";
import { quiet } from "../../../fixtures/sim/gateway-world.js";
import { type MsgxWorldOptions, msgxWorld, TOKEN } from "../../../fixtures/worlds/msgx-world.js";
import type { SendPayload } from "../../../lib/contracts/gateway/outbox.js";
import { plainText } from "./plain.js";

async function connected(t: TestContext, options: MsgxWorldOptions = {}) {
  const world = await msgxWorld(t, options);
  await world.reaches("connected");
  const words = () =>
    world.server.state.shown.map(({ item }) => (item["text_item"] as { text?: string } | undefined)?.text); // of the fake
  const send = (text: string, more: Parameters<typeof world.send>[1] = {}) =>
    world.send(text, { chat: PERSON, ...more });
  return { ...world, words, send };
}

/** Move the time until so many calls were made: messages to one chat are spaced. */
async function paced(
  { clock, server }: Pick<Awaited<ReturnType<typeof connected>>, "clock" | "server">,
  calls: number,
  step = 50,
) {
  while (server.of("sendmessage").length < calls) {
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(step);
  }
}

const payload = (more: Partial<SendPayload> = {}): SendPayload => ({
  text: "words",
  format: "plain",
  silent: false,
  ...more,
});

test("GW-120 an answer is one item to its reader with the newest right and the headers of the protocol", async (t) => {
  const { send, settled, server, received } = await connected(t);
  server.say({ context_token: "c0" });
  server.say({ context_token: "c1" });
  await received(2);
  await send("PONG");
  const [row] = await settled();
  const [call] = server.of("sendmessage");
  assert.deepEqual([row?.state, row?.platform_message_id], ["sent", server.state.shown[0]?.id]);
  assert.deepEqual(call?.body, {
    msg: {
      from_user_id: "",
      to_user_id: PERSON,
      client_id: row?.idem_key,
      message_type: 2,
      message_state: 2,
      context_token: "c1",
      item_list: [{ type: 1, text_item: { text: "PONG" } }],
    },
    base_info: { channel_version: "2.4.9", bot_agent: "agent/1.2.3" },
  });
  const {
    "ilink-app-id": app,
    "ilink-app-clientversion": version,
    authorizationtype: type,
    "content-type": content,
  } = call?.headers ?? {};
  assert.deepEqual([app, version, type, content], ["bot", "132105", "ilink_bot_token", "application/json"]);
});

test("messages to one chat leave a second and a half apart, those to others go on", async (t) => {
  const { send, settled, clock, words, server } = await connected(t);
  await send("one");
  await settled();
  await send("two");
  await send("elsewhere", { chat: "v@im.wechat" });
  await settled();
  assert.deepEqual(words(), ["one", "elsewhere"]);
  await paced({ clock, server }, 3);
  await settled();
  assert.deepEqual(words(), ["one", "elsewhere", "two"]);
});

test("a right that is refused is left out once", async (t) => {
  const { send, settled, server, received } = await connected(t);
  server.say();
  await received(1);
  server.next("sendmessage", refused(-2, "bad context"));
  await send("hi");
  assert.equal((await settled())[0]?.state, "sent");
  assert.deepEqual(
    server.of("sendmessage").map(({ body }) => (body["msg"] as { context_token?: string }).context_token), // of the fake
    ["c1", undefined],
  );
});

test("a message whose reader has to write first waits, and is sent when they do", async (t) => {
  const { send, settled, server, clock, words, received } = await connected(t);
  server.strict(true);
  await send("at last");
  assert.equal((await settled())[0]?.state, "pending");
  clock.advance(30_000);
  await quiet();
  assert.equal(server.of("sendmessage").length, 1);
  server.say({ context_token: "c9" });
  await received(1);
  assert.equal((await settled())[0]?.state, "sent");
  assert.deepEqual([words(), server.state.shown[0]?.token], [["at last"], "c9"]);
});

test("a refusal for another reason is tried four times more, then it is failed", async (t) => {
  const { send, settled, server, clock, received } = await connected(t);
  server.say();
  await received(1);
  server.always("sendmessage", refused(-2, "too many"));
  await send("no", { kind: "notice" });
  for (let times = 1; times <= 5; times++) {
    assert.equal((await settled())[0]?.state, times <= 4 ? "pending" : "failed");
    clock.advance(60_000);
  }
  assert.equal(server.of("sendmessage").length, 10);
});

test("refusals of two people within half a minute rest all sending for half a minute", async (t) => {
  const { send, settled, server, clock, received, words } = await connected(t);
  server.say();
  server.say({ from_user_id: "v@im.wechat" });
  await received(2);
  const no = refused(-2, "too many");
  server.next("sendmessage", no, no, no, no);
  await send("one");
  await settled();
  await send("two", { chat: "v@im.wechat" });
  await settled();
  await send("three", { chat: "w@im.wechat" });
  await settled();
  assert.equal(server.of("sendmessage").length, 4);
  clock.advance(31_000);
  await settled(3);
  assert.deepEqual(new Set(words()), new Set(["one", "three", "two"]));
});

const FATES: readonly (readonly [what: string, fate: Fate, state: string, shown: number])[] = [
  ["a connection that breaks after the delivery", { do: "drop", after: true }, "unknown", 1],
  [
    "a page of a broken gateway after the delivery",
    { do: "answer", status: 502, body: "<html>", after: true },
    "unknown",
    1,
  ],
  ["an error of the platform", refused(-1, "bad message"), "failed", 0],
];

for (const [what, fate, state, shown] of FATES) {
  test(`${what} makes a message ${state}, and it is sent once`, async (t) => {
    const { send, settled, server, clock, words } = await connected(t);
    server.next("sendmessage", fate);
    await send("once", { kind: "notice" });
    assert.equal((await settled())[0]?.state, state);
    clock.advance(60_000);
    await quiet();
    assert.deepEqual([server.of("sendmessage").length, words().length], [1, shown]);
  });
}

test("a send whose answer never comes is unknown and not repeated", async (t) => {
  const { send, settled, server, clock } = await connected(t);
  server.next("sendmessage", { do: "hang", after: true });
  await send("once");
  await server.until(() => server.state.shown.length === 1);
  clock.advance(20_000);
  assert.equal((await settled())[0]?.state, "unknown");
  clock.advance(60_000);
  await quiet();
  assert.equal(server.state.shown.length, 1);
});

test("a program that ends between the call and its answer leaves a message unknown that is not sent again", async (t) => {
  const first = await connected(t);
  const { server, disk } = first;
  server.next("sendmessage", { do: "hang", after: true });
  await first.send("once");
  await server.until(() => server.state.shown.length === 1);
  await first.stop();
  const second = await connected(t, { server, disk });
  await quiet();
  second.clock.advance(30_000);
  await quiet();
  assert.deepEqual([(await second.settled(0))[0]?.state, server.of("sendmessage").length], ["unknown", 1]);
});

test("a login that ended lets messages wait", async (t) => {
  const { send, settled, server, reaches } = await connected(t);
  server.next("sendmessage", refused(-14, "session timeout"));
  await send("later");
  assert.equal((await settled())[0]?.state, "pending");
  assert.equal((await reaches("fatal")).error_code, "login_expired");
});

for (const kind of ["image", "video", "document"] as const) {
  test(`a file (${kind}) is locked, uploaded and named by a message, behind its words`, async (t) => {
    const dir = mkdtempSync(join(tmpdir(), "msgx-"));
    t.after(() => rmSync(dir, { recursive: true, force: true }));
    writeFileSync(join(dir, "a"), "the words of the file");
    const { send, settled, server, clock } = await connected(t);
    server.next("upload", { do: "answer", status: 503, body: "" });
    const file = { path: join(dir, "a"), name: "a.bin", mime: "application/octet-stream", kind } as const;
    await send("", { payload: payload({ file }) });
    await server.until(() => server.state.shown.length === 1);
    await paced({ clock, server }, 2);
    assert.equal((await settled())[0]?.state, "sent");
    const { type, ...item } = server.state.shown[1]?.item ?? {};
    assert.equal(type, { image: 2, video: 5, document: 4 }[kind]);
    assert.equal(server.fileOf(item), "the words of the file");
    assert.equal(server.of("upload").length, 2);
  });
}

test("a file that is not taken makes a message failed, and nothing is shown", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "msgx-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  writeFileSync(join(dir, "a"), "x");
  const { send, settled, server } = await connected(t);
  server.next("upload", { do: "answer", status: 413, body: "" });
  const file = { path: join(dir, "a"), name: "a", mime: "text/plain", kind: "document" } as const;
  await send("", { kind: "notice", payload: payload({ file }) });
  const [row] = await settled();
  assert.deepEqual([row?.state, server.of("upload").length, server.state.shown.length], ["failed", 1, 0]);
});

test("lines are messages of their own where that is wanted, and what arrived is not sent again", async (t) => {
  const { send, settled, server, clock, words } = await connected(t, { env: { MSGX_SPLIT_MULTILINE_MESSAGES: "yes" } });
  await send("one\n\ntwo");
  await server.until(() => server.state.shown.length === 1);
  server.next("sendmessage", { do: "answer", status: 429, body: "slow" });
  await paced({ clock, server }, 2);
  assert.equal((await settled())[0]?.state, "pending");
  clock.advance(5000);
  assert.equal((await settled())[0]?.state, "sent");
  assert.deepEqual(words(), ["one", "two"]);
});

test("a message of many lines is sent whole, however long that takes, and another chat does not wait for it", async (t) => {
  const { send, settled, server, clock, words } = await connected(t, { env: { MSGX_SPLIT_MULTILINE_MESSAGES: "yes" } });
  const lines = Array.from({ length: 15 }, (_, n) => `line ${n}`);
  await send(lines.join("\n"));
  await server.until(() => server.state.shown.length === 1);
  for (let chat = 0; chat < 16; chat++) await send("a\nb", { chat: `p${chat}@im.wechat` });
  await server.until(() => server.state.shown.length === 17);
  await send("elsewhere", { chat: "v@im.wechat" });
  await settled(); // no time has passed
  assert.equal(words().at(-1), "elsewhere");
  await paced({ clock, server }, 15 + 32 + 1, 500);
  const rows = await settled(17);
  assert.ok(rows.every(({ state }) => state === "sent"));
  const mine = server.state.shown
    .filter(({ to }) => to === PERSON)
    .map(({ item }) => (item["text_item"] as { text?: string }).text); // of the fake
  assert.deepEqual(mine, lines);
});

test("that an answer is written is shown with a right that is asked for once in ten minutes", async (t) => {
  const { server, platform, clock } = await connected(t);
  const { signal } = new AbortController();
  await platform.typing?.(PERSON, true, signal);
  await platform.typing?.(PERSON, false, signal);
  assert.deepEqual(
    [server.of("getconfig").length, server.of("sendtyping").map(({ body }) => body["status"])],
    [1, [1, 2]],
  );
  clock.advance(600_000);
  await platform.typing?.(PERSON, true, signal);
  assert.equal(server.of("getconfig").length, 2);
});

const MARKUP: readonly (readonly [markdown: string, plain: string])[] = [
  ["# Head\n**bold** and *it* and ~~no~~", "Head\nbold and it and no"],
  ["[docs](https://a.b) ![](https://c.d)", "docs (https://a.b) https://c.d"],
  ["`a**b**` 2 * 3 * 4 snake_case_name", "a**b** 2 * 3 * 4 snake_case_name"],
  ["```ts\nlet a = **b**;\n```", "let a = **b**;"],
];

for (const [markdown, plain] of MARKUP) {
  test(`${JSON.stringify(markdown)} reads ${JSON.stringify(plain)}`, () => assert.equal(plainText(markdown), plain));
}

test("an adapter that is let go while it polls leaves nothing behind, and can be connected again", async (t) => {
  const { server, platform } = await connected(t);
  await server.until(() => server.of("getupdates").length === 1);
  await platform.disconnect();
  await platform.disconnect();
  assert.equal(server.of("msg/notifystop").length, 1);
  await quiet();
  assert.equal(server.of("getupdates").length, 1);
});

test("a platform that cannot be reached is tried again", async (t) => {
  const server = await startMsgx({ token: TOKEN });
  await server.close();
  const { reaches } = await msgxWorld(t, { env: { MSGX_BASE_URL: server.url } });
  assert.equal((await reaches("retrying")).error_code, "network");
});

test("a token that the platform does not know is a login that has ended", async (t) => {
  const { reaches } = await msgxWorld(t, { env: { MSGX_TOKEN: "another" } });
  assert.equal((await reaches("fatal")).error_code, "login_expired");
});
