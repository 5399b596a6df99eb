import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { refusal } from "../../../fixtures/servers/msgg/chat.js";
import type { Fate } from "../../../fixtures/servers/shared/fate.js";
import { type MsggWorldOptions, msggWorld } from "../../../fixtures/worlds/msgg-world.js";

async function connected(t: TestContext, options: MsggWorldOptions = {}) {
  const world = await msggWorld(t, options);
  await world.reaches("connected");
  return world;
}

const CHAT = { chat: "spaces/A" };
const target = (account: string, threadId: string | null = null) =>
  ({ platform: "msgg", account, chatId: "spaces/A", threadId, replyTo: null }) as const;

test("an answer is one message under the key of its row, in the platform's dialect", async (t) => {
  const { server, send, settled } = await connected(t);
  await send("**b** and [t](https://u)", { ...CHAT, markdown: true });
  const [row] = await settled();
  assert.deepEqual([row?.state, row?.platform_message_id], ["sent", "spaces/A/messages/out1"]);
  const [call] = server.of("create");
  assert.deepEqual(
    [call?.query, call?.body, call?.by],
    [{ requestId: row?.idem_key }, { text: "*b* and <https://u|t>" }, "app"],
  );
});

test("GW-104: an answer to a thread names it and what becomes of it when the thread is gone", async (t) => {
  const { server, send, settled, platform } = await connected(t);
  await send("hi", { target: target(platform.account, "spaces/A/threads/t") });
  await settled();
  const [call] = server.of("create");
  assert.equal(call?.query["messageReplyOption"], "REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD");
  assert.deepEqual(call?.body, { text: "hi", thread: { name: "spaces/A/threads/t" } });
  assert.equal(server.state.shown[0]?.thread, "spaces/A/threads/t");
});

test("GW-100: an edit is a PATCH of the text alone; one of a message that is gone is sent again under its key", async (t) => {
  const { server, send, settled, platform } = await connected(t);
  await send("first", CHAT);
  const [made] = await settled();
  const messageId = made?.platform_message_id ?? "";
  const edit = (text: string) =>
    send("", {
      target: target(platform.account),
      via: "edit",
      payload: { text, format: "plain", silent: false, messageId },
    });
  await edit("second");
  await settled();
  const [call] = server.of("update");
  assert.deepEqual([call?.query, call?.body], [{ updateMask: "text" }, { text: "second" }]);
  await send("", {
    target: target(platform.account),
    via: "remove",
    payload: { text: "", format: "plain", silent: true, messageId },
  });
  await settled();
  await edit("third");
  assert.equal((await settled()).at(-1)?.state, "sent");
  assert.deepEqual(
    server.state.shown.map(({ text, removed }) => [text, removed]),
    [
      ["second", true],
      ["third", false],
    ],
  );
});

const OWN_503 = refusal(503, "UNAVAILABLE", "try again");
const limited: Fate = { do: "answer", ...refusal(429, "RESOURCE_EXHAUSTED", "quota"), headers: { "retry-after": "7" } };

/** After them the message is there once, however often it was asked for. */
const FAULTS: readonly (readonly [name: string, fates: readonly Fate[], waits: number])[] = [
  ["a connection that breaks after delivery", [{ do: "drop", after: true }], 1000],
  ["a connection that breaks before", [{ do: "drop", after: false }], 1000],
  ["an answer of a proxy after delivery", [{ do: "answer", status: 502, body: "<html>", after: true }], 1000],
  ["an error of the platform's own", [{ do: "answer", ...OWN_503 }], 1000],
  ["a rate limit with a time", [limited], 7000],
];

for (const [name, fates, waits] of FAULTS) {
  test(`a message is shown once after ${name}`, async (t) => {
    const { server, send, settled, clock } = await connected(t);
    server.next("create", ...fates);
    await send("once", CHAT);
    assert.equal((await settled())[0]?.state, "pending");
    await clock.waits();
    clock.advance(waits + 1000);
    assert.equal((await settled())[0]?.state, "sent");
    assert.deepEqual(
      server.state.shown.map(({ text }) => text),
      ["once"],
    );
    assert.equal(new Set(server.of("create").map(({ query }) => query["requestId"])).size, 1);
  });
}

test("a token that has run out is renewed, and the message is sent with the new one", async (t) => {
  const { server, send, settled } = await connected(t);
  server.state.tokens.clear();
  await send("hi", CHAT);
  assert.equal((await settled())[0]?.state, "sent");
  assert.equal(server.of("token").length, 2);
});

test("a message to a space that the app is not in has failed, and the adapter stays", async (t) => {
  const { server, send, settled, gateway } = await connected(t);
  server.next("create", { do: "answer", ...refusal(403, "PERMISSION_DENIED", "not a member") });
  await send("hi", CHAT);
  assert.equal((await settled())[0]?.state, "failed");
  assert.equal(gateway.supervisor.statuses()[0]?.state, "connected");
});

test("a placeholder that is asked for twice is one message", async (t) => {
  const { server, platform } = await connected(t);
  const { signal } = new AbortController();
  const key = "00000000-0000-4000-8000-000000000000";
  const one = await platform.placeholder?.(target(platform.account), key, signal);
  assert.deepEqual(await platform.placeholder?.(target(platform.account), key, signal), one);
  assert.equal(server.state.shown.length, 1);
});

test("a file without the user's grant is a line that names /setup-files, with no upload", async (t) => {
  const { server, send, settled, platform } = await connected(t);
  const path = join(mkdtempSync(join(tmpdir(), "msgg-")), "a.pdf");
  writeFileSync(path, "pdf");
  const file = { path, name: "a.pdf", mime: "application/pdf", kind: "document" } as const;
  const payload = { text: "here", format: "plain", silent: false, file, extra: { user: "u@x.org" } } as const;
  await send("", { target: target(platform.account), payload });
  assert.equal((await settled())[0]?.state, "sent");
  assert.equal(server.of("upload").length, 0);
  assert.match(server.state.shown[0]?.text ?? "", /^here\n.*a\.pdf.*\/setup-files/);
});

test("typing, words and other calls of a platform that lacks them are not made", async (t) => {
  const { platform } = await connected(t);
  assert.equal(platform.typing, undefined);
  assert.equal(platform.react, undefined);
});
