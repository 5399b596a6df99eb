import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { refusal } from "../../../fixtures/servers/msgw/server.js";
import type { Fate } from "../../../fixtures/servers/shared/fate.js";
import { type MsgwWorldOptions, msgwWorld } from "../../../fixtures/worlds/msgw-world.js";

async function connected(t: TestContext, options: MsgwWorldOptions = {}) {
  const world = await msgwWorld(t, options);
  const { listen } = await world.reaches("connected");
  return { ...world, address: listen ?? "" };
}

const CHAT = { chat: "19:c" };
const to = (account: string, more: object = {}) =>
  ({ platform: "msgw", account, chatId: "19:c", threadId: null, replyTo: null, ...more }) as const;

test("GW-110: an answer is one activity with Markdown, in its thread and as an answer to its message", async (t) => {
  const { server, send, settled, platform } = await connected(t);
  await platform.typing?.("19:c", true, new AbortController().signal);
  await send("", {
    target: to(platform.account, { threadId: "178", replyTo: "a1" }),
    payload: { text: "**PONG**", format: "markdown", silent: false },
  });
  assert.deepEqual(
    (await settled()).map((row) => [row.state, row.platform_message_id]),
    [["sent", "out1"]],
  );
  assert.deepEqual(
    server.calls
      .filter(({ name }) => name === "create" || name === "reply")
      .map(({ path, body, by }) => [path, body, by]),
    [
      ["/v3/conversations/19:c/activities", { type: "typing" }, "bot"],
      [
        "/v3/conversations/19:c;messageid=178/activities/a1",
        { type: "message", text: "**PONG**", textFormat: "markdown" },
        "bot",
      ],
    ],
  );
  assert.equal(server.of("token").length, 1);
});

test("an answer to a message that is gone is sent without it", async (t) => {
  const { server, send, settled, platform } = await connected(t);
  server.next("reply", { do: "answer", ...refusal(404, "ActivityNotFoundInConversation", "not found") });
  await send("hi", { target: to(platform.account, { replyTo: "gone" }) });
  assert.equal((await settled())[0]?.state, "sent");
  assert.equal(server.shown[0]?.replyTo, undefined);
});

test("what is sent unasked goes where the conversation was seen last, also after a restart", async (t) => {
  const first = await connected(t, { env: { MSGW_SERVICE_URL: "http://127.0.0.1:1" } });
  const { server } = first;
  const activity = {
    type: "message",
    id: "a1",
    serviceUrl: server.url,
    channelId: "msteams",
    text: "hi",
    from: { id: "29:x" },
    conversation: { id: "19:c", conversationType: "personal" },
  };
  assert.equal((await server.deliver(first.address, activity)).status, 200);
  await first.stop();
  const second = await connected(t, { disk: first.disk, server, env: { MSGW_SERVICE_URL: "http://127.0.0.1:1" } });
  await second.send("news", CHAT);
  assert.equal((await second.settled())[0]?.state, "sent");
});

test("buttons are a card, and what becomes of them takes its place", async (t) => {
  const { server, send, settled, platform } = await connected(t);
  const buttons = [[{ text: "Once", data: "ea:once:r1" }], [{ text: "Deny", data: "ea:deny:r1" }]];
  await send("", {
    target: to(platform.account),
    payload: { text: "May I?", format: "markdown", silent: false, extra: { buttons } },
  });
  await settled();
  const [card] = (server.shown[0]?.activity["attachments"] ?? []) as {
    contentType: string;
    content: Record<string, unknown>;
  }[];
  assert.equal(card?.contentType, "application/vnd.microsoft.card.adaptive");
  assert.equal(card?.content["version"], "1.4");
  assert.deepEqual(card?.content["actions"], [
    { type: "Action.Execute", title: "Once", verb: "agent", data: { agent_action: "ea:once:r1", approval_id: "r1" } },
    { type: "Action.Execute", title: "Deny", verb: "agent", data: { agent_action: "ea:deny:r1", approval_id: "r1" } },
  ]);
  const payload = {
    text: "Allowed",
    format: "plain",
    silent: true,
    messageId: "out1",
    extra: { buttons: [] },
  } as const;
  await send("", { target: to(platform.account), via: "edit", payload });
  await settled();
  assert.deepEqual(server.shown[0]?.activity, { type: "message", text: "Allowed", textFormat: "plain" });
});

const UNSURE: readonly (readonly [name: string, fate: Fate, shown: number])[] = [
  ["a connection that breaks after delivery", { do: "drop", after: true }, 1],
  ["a connection that breaks before", { do: "drop", after: false }, 0],
  ["an answer of a proxy after delivery", { do: "answer", status: 502, body: "<html>", after: true }, 1],
];

for (const [name, fate, shown] of UNSURE) {
  test(`after ${name} a message is unknown and never repeated, and the next one goes on`, async (t) => {
    const { server, send, settled } = await connected(t);
    server.next("create", fate);
    await send("once", CHAT);
    await send("next", CHAT);
    assert.deepEqual(
      (await settled(2)).map(({ state }) => state),
      ["unknown", "sent"],
    );
    assert.equal(server.shown.filter(({ activity }) => activity["text"] === "once").length, shown);
  });
}

const LATER: readonly (readonly [name: string, fate: Fate, waits: number])[] = [
  [
    "a rate limit with a time",
    { do: "answer", ...refusal(429, "TooManyRequests", "slow"), headers: { "retry-after": "7" } },
    7000,
  ],
  ["412", { do: "answer", ...refusal(412, "PreconditionFailed", "again") }, 1000],
  ["502 of the platform's own", { do: "answer", ...refusal(502, "BadGateway", "again") }, 1000],
];

for (const [name, fate, waits] of LATER) {
  test(`after ${name} a message is sent once, later`, async (t) => {
    const { server, send, settled, clock } = await connected(t);
    server.next("create", fate);
    await send("once", CHAT);
    assert.equal((await settled())[0]?.state, "pending");
    await clock.waits();
    clock.advance(waits + 1000);
    assert.equal((await settled())[0]?.state, "sent");
    assert.equal(server.shown.length, 1);
  });
}

test("a token that is no good any more is renewed; a secret that is refused stops the adapter and keeps the message", async (t) => {
  const { server, send, settled, reaches } = await connected(t);
  server.forget();
  await send("one", CHAT);
  assert.equal((await settled())[0]?.state, "sent");
  server.forget();
  server.always("token", { do: "answer", status: 401, body: { error: "invalid_client" } });
  await send("two", CHAT);
  assert.equal((await settled())[1]?.state, "pending");
  const { error_code: code, error_message: why } = await reaches("fatal");
  assert.equal(code, "auth_failed");
  assert.equal((why ?? "").includes("client-secret"), false);
});

test("a picture goes into its message; another file is named with the reason", async (t) => {
  const { server, send, settled, platform } = await connected(t);
  const dir = mkdtempSync(join(tmpdir(), "msgw-"));
  const fileOf = (name: string, mime: string, kind: "image" | "document") => {
    writeFileSync(join(dir, name), "bytes");
    return { path: join(dir, name), name, mime, kind } as const;
  };
  const payloadOf = (file: ReturnType<typeof fileOf>) =>
    ({ text: "here", format: "plain", silent: false, file }) as const;
  await send("", { target: to(platform.account), payload: payloadOf(fileOf("p.png", "image/png", "image")) });
  await send("", { target: to(platform.account), payload: payloadOf(fileOf("a.pdf", "application/pdf", "document")) });
  await settled(2);
  const [picture, note] = server.shown;
  assert.deepEqual(picture?.activity["attachments"], [
    { contentType: "image/png", contentUrl: "data:image/png;base64,Ynl0ZXM=", name: "p.png" },
  ]);
  assert.match(String(note?.activity["text"]), /^here\n\n.*a\.pdf.*pictures only/);
});

const FAULTS: readonly (readonly [env: Record<string, string>, code: string, words: RegExp])[] = [
  [{ MSGW_CLIENT_SECRET: "" }, "config_invalid", /MSGW_CLIENT_SECRET/],
  [{ MSGW_LOGIN_BASE: "http://login.example" }, "config_invalid", /MSGW_LOGIN_BASE is not encrypted/],
  [{ MSGW_PORT: "70000" }, "config_invalid", /MSGW_PORT/],
  [{ MSGW_CLIENT_SECRET: "wrong" }, "auth_failed", /MSGW_CLIENT_SECRET/],
];

for (const [env, code, words] of FAULTS) {
  test(`${JSON.stringify(env)} is ${code}, with what to do`, async (t) => {
    const { reaches } = await msgwWorld(t, { env });
    const { error_code: found, error_message: why } = await reaches("fatal");
    assert.equal(found, code);
    assert.match(why ?? "", words);
  });
}
