import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type MsgtWorldOptions, msgtWorld } from "../../../fixtures/worlds/msgt-world.js";

const HOOK = {
  MSGT_WEBHOOK_URL: "https://bot.example/hook/msgt",
  MSGT_WEBHOOK_SECRET: "s3cret",
  MSGT_WEBHOOK_HOST: "127.0.0.1",
  MSGT_WEBHOOK_PORT: "0",
};
const update = (id: number, words: string) => ({
  update_id: id,
  message: {
    message_id: 5,
    date: 0,
    chat: { id: 42, type: "private" },
    from: { id: 42, is_bot: false, first_name: "A" },
    text: words,
  },
});

async function listening(t: TestContext, options: MsgtWorldOptions = {}) {
  const world = await msgtWorld(t, { ...options, env: { ...HOOK, ...options.env } });
  await world.reaches("connected");
  const [status] = world.gateway.supervisor.statuses();
  const address = status?.listen ?? "";
  const post = (body: string | object, headers: Record<string, string> = {}, path = "/hook/msgt") =>
    fetch(`http://${address}${path}`, {
      method: "POST",
      headers: { "x-telegram-bot-api-secret-token": "s3cret", "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  return { ...world, post };
}

test("in webhook mode the platform is told where and with which secret, and nothing is polled", async (t) => {
  const { server, post, received } = await listening(t);
  assert.deepEqual(
    server
      .of("setWebhook")
      .map(({ params }) => [params["url"], params["secret_token"], params["drop_pending_updates"]]),
    [["https://bot.example/hook/msgt", "s3cret", false]],
  );
  assert.equal((await post(update(1, "hi"))).status, 200);
  assert.equal((await received(1))[0]?.event_id, "1");
  assert.deepEqual([server.of("getUpdates").length, server.of("deleteWebhook").length], [0, 0]);
});

const REFUSED: readonly (readonly [
  what: string,
  status: number,
  body: string | object,
  headers: Record<string, string>,
  path: string,
])[] = [
  ["GW-50: a wrong secret", 401, update(1, "hi"), { "x-telegram-bot-api-secret-token": "other" }, "/hook/msgt"],
  ["no secret", 401, update(1, "hi"), { "x-telegram-bot-api-secret-token": "" }, "/hook/msgt"],
  ["another path", 404, update(1, "hi"), {}, "/hook"],
  ["a body that is no JSON", 400, "{", {}, "/hook/msgt"],
  ["a body that is a list", 400, "[]", {}, "/hook/msgt"],
  ["a body above 1 MiB", 413, `{"a":"${"x".repeat(1 << 20)}"}`, {}, "/hook/msgt"],
];

for (const [what, status, body, headers, path] of REFUSED) {
  test(`${what} gets ${status} and reaches no one`, async (t) => {
    const { post, received } = await listening(t);
    assert.equal((await post(body, headers, path)).status, status);
    await post(update(2, "end"));
    assert.deepEqual(
      (await received(1)).map(({ event_id: id }) => id),
      ["2"],
    );
  });
}

test("an update that is posted fifty times is stored once, and one of a shape that no one knows is confirmed", async (t) => {
  const { post, received } = await listening(t);
  const answers = await Promise.all(Array.from({ length: 50 }, () => post(update(1, "hi"))));
  assert.ok(answers.every(({ status }) => status === 200));
  assert.equal((await post({ update_id: 2, message: { message_id: "no" } })).status, 200);
  assert.equal((await received(1)).length, 1);
});

test("GW-50: webhook mode without a secret opens no port and says what to set", async (t) => {
  const { reaches, server } = await msgtWorld(t, { env: { ...HOOK, MSGT_WEBHOOK_SECRET: "" } });
  const status = await reaches("fatal");
  assert.equal(status.error_code, "config_invalid");
  assert.match(status.error_message ?? "", /MSGT_WEBHOOK_SECRET/);
  assert.equal(server.calls.length, 0);
});

test("a listener is closed with its adapter, and its port can be had again", async (t) => {
  const { post, stop } = await listening(t);
  assert.equal((await post(update(1, "hi"))).status, 200);
  await stop();
  await assert.rejects(post(update(2, "late")));
});
