import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { sealed, signed } from "../../../fixtures/servers/msgf/seal.js";
import { type MsgfWorldOptions, messageEvent, msgfWorld } from "../../../fixtures/worlds/msgf-world.js";
import { decrypted } from "./crypt.js";

const TOKEN = { MSGF_VERIFICATION_TOKEN: "T" };
const KEY = { MSGF_ENCRYPT_KEY: "test key" };
const HOOK = { MSGF_CONNECTION_MODE: "webhook", MSGF_WEBHOOK_PORT: "0" };
const JSON_TYPE = { "content-type": "application/json; charset=utf-8" };

async function listening(t: TestContext, env: Record<string, string>, options: MsgfWorldOptions = {}) {
  const world = await msgfWorld(t, {
    ...options,
    env: { ...HOOK, ...env },
    load: () => Promise.reject(new Error("not needed here")),
  });
  await world.reaches("connected");
  const address = world.gateway.supervisor.statuses()[0]?.listen ?? "";
  const post = (body: string | object, headers: Readonly<Record<string, string>> = JSON_TYPE) =>
    fetch(`http://${address}/msgf/webhook`, {
      method: "POST",
      headers,
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  return { ...world, post, address };
}

const question = (token: string) => ({ type: "url_verification", token, challenge: "c" });
const seal = (event: object, key = "test key") => JSON.stringify({ encrypt: sealed(JSON.stringify(event), key) });
const signedBody = (body: string, key = "test key") => ({ ...JSON_TYPE, ...signed(body, key) });

test("GW-90: the platform's question is answered with its challenge, and with a wrong token it is not", async (t) => {
  const { post } = await listening(t, TOKEN);
  const answer = await post(question("T"));
  assert.deepEqual([answer.status, await answer.json()], [200, { challenge: "c" }]);
  assert.equal((await post(question("other"))).status, 401);
});

test("GW-97: without a token and a key no port is opened, and both settings are named", async (t) => {
  const { reaches, server } = await msgfWorld(t, { env: HOOK });
  const status = await reaches("fatal");
  assert.deepEqual([status.error_code, status.listen], ["config_invalid", null]);
  assert.match(status.error_message ?? "", /MSGF_VERIFICATION_TOKEN or MSGF_ENCRYPT_KEY/);
  assert.equal(server.calls.length, 0);
});

test("the published example of an encrypted text is read", () => {
  assert.equal(decrypted("P37w+VZImNgPEO1RBhJ6RtKl7n6zymIbEG1pReEzghk=", "test key"), "hello world");
});

test("a plain event with the token is stored, and fifty times it is stored once", async (t) => {
  const { post, received } = await listening(t, TOKEN);
  const answers = await Promise.all(Array.from({ length: 50 }, () => post(messageEvent("om_1", "hi"))));
  assert.ok(answers.every(({ status }) => status === 200));
  assert.deepEqual(await answers[0]?.json(), { code: 0, msg: "ok" });
  assert.deepEqual(
    (await received(1)).map(({ event_id: id }) => id),
    ["om_1"],
  );
});

test("an encrypted and signed event is stored", async (t) => {
  const { post, received } = await listening(t, { ...KEY, ...TOKEN });
  const body = seal(messageEvent("om_1", "hi ✓"));
  assert.equal((await post(body, signedBody(body))).status, 200);
  assert.equal(JSON.parse((await received(1))[0]?.payload ?? "{}").text, "hi ✓");
});

const big = `{"a":"${"x".repeat((1 << 20) - 8)}"}`;
const sealedEvent = seal(messageEvent("om_1", "hi"));
const otherToken = { ...messageEvent("om_1", "hi"), header: { ...messageEvent("om_1", "hi").header, token: "other" } };

const REFUSED: readonly (readonly [
  what: string,
  status: number,
  env: Record<string, string>,
  body: string | object,
  headers: Record<string, string>,
])[] = [
  ["another content type", 415, TOKEN, question("T"), { "content-type": "text/plain" }],
  ["no content type of JSON's", 415, TOKEN, question("T"), { "content-type": "application/jsonp" }],
  ["a body above 1 MiB", 413, TOKEN, `${big} `, JSON_TYPE],
  ["a body that is no JSON", 400, TOKEN, "{", JSON_TYPE],
  ["a body that is a list", 400, TOKEN, "[]", JSON_TYPE],
  ["an event with another token", 401, TOKEN, otherToken, JSON_TYPE],
  ["an event without a token", 401, TOKEN, { schema: "2.0", header: {}, event: {} }, JSON_TYPE],
  ["a token that is no text", 401, TOKEN, { type: "url_verification", token: { T: 1 }, challenge: "c" }, JSON_TYPE],
  ["a wrong signature", 401, KEY, sealedEvent, { ...signedBody(sealedEvent), "x-lark-signature": "0".repeat(64) }],
  ["a short signature", 401, KEY, sealedEvent, { ...signedBody(sealedEvent), "x-lark-signature": "ab" }],
  ["a signature of another body", 401, KEY, sealedEvent, signedBody("{}")],
  ["a signature with another key", 401, KEY, sealedEvent, signedBody(sealedEvent, "other")],
  ["an event without a signature", 401, KEY, sealedEvent, JSON_TYPE],
  ["a plain body where everything is encrypted", 400, KEY, "{}", signedBody("{}")],
  ["a body that another key encrypted", 400, KEY, seal({ a: 1 }, "other"), signedBody(seal({ a: 1 }, "other"))],
  ["a body that is no cipher text", 400, KEY, '{"encrypt":"AAAA"}', signedBody('{"encrypt":"AAAA"}')],
];

for (const [what, status, env, given, headers] of REFUSED) {
  test(`${what} gets ${status} and reaches no one`, async (t) => {
    const { post, received } = await listening(t, { ...env });
    const body = what.startsWith("a body that another key") ? seal({ a: 1 }, "other") : given;
    const sent = what.startsWith("a body that another key") && typeof body === "string" ? signedBody(body) : headers;
    assert.equal((await post(body, sent)).status, status);
    const end = messageEvent("om_end", "end");
    const last = env === KEY ? seal(end) : JSON.stringify(end);
    assert.equal((await post(last, env === KEY ? signedBody(last) : JSON_TYPE)).status, 200);
    assert.deepEqual(
      (await received(1)).map(({ event_id: id }) => id),
      ["om_end"],
    );
  });
}

test("unsigned, only the question whether someone is there is answered, with the token where there is one", async (t) => {
  const both = await listening(t, { ...KEY, ...TOKEN });
  assert.equal((await both.post(seal(question("T")))).status, 200);
  assert.equal((await both.post(seal(question("other")))).status, 401);
  assert.equal((await both.post(seal({ type: "url_verification", challenge: "c" }))).status, 401);
  const key = await listening(t, KEY);
  assert.equal((await key.post(seal({ type: "url_verification", challenge: "c" }))).status, 200);
});

test("the 121st request of a minute is refused, and the next minute begins again", async (t) => {
  const { post, clock } = await listening(t, TOKEN);
  const answers: number[] = [];
  for (let at = 0; at < 121; at++) answers.push((await post(question("T"))).status);
  assert.deepEqual([answers.filter((status) => status === 200).length, answers.at(-1)], [120, 429]);
  clock.advance(60_001);
  assert.equal((await post(question("T"))).status, 200);
});

test("a store that cannot be written answers 503, and the event is taken when it comes again", async (t) => {
  const { post, disk, received } = await listening(t, TOKEN);
  disk.faults.fail = ({ kind }) => (kind === "write" ? "ENOSPC" : undefined);
  const answer = await post(messageEvent("om_1", "hi"));
  assert.deepEqual([answer.status, answer.headers.get("retry-after")], [503, "30"]);
  disk.faults.fail = undefined;
  assert.equal((await post(messageEvent("om_1", "hi"))).status, 200);
  assert.equal((await received(1)).length, 1);
});
