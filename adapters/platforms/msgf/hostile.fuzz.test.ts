import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { comparedWith } from "../../../fixtures/hostile/compared.js";
import { assertWithstood, runHostile, runOracle } from "../../../fixtures/hostile/run.js";
import { type HostileTarget, inBody, inHeader, JSON_TYPE } from "../../../fixtures/hostile/target.js";
import { sealed, signed } from "../../../fixtures/servers/msgf/seal.js";
import { messageEvent, msgfWorld } from "../../../fixtures/worlds/msgf-world.js";

const TOKEN = "a-token-of-the-app";
const KEY = "a key of the app";
const OTHER = "another key";

async function listening(t: TestContext, env: Record<string, string>) {
  const hook = { MSGF_CONNECTION_MODE: "webhook", MSGF_WEBHOOK_PORT: "0", ...env };
  const world = await msgfWorld(t, { env: hook, load: () => Promise.reject(new Error("not needed here")) });
  const { listen } = await world.reaches("connected");
  const url = `http://${listen}/msgf/webhook`;
  const { clock } = world;
  /** Nothing came in, and what is right still does. */
  const goesOn = async (body: string, headers: Readonly<Record<string, string>> = {}) => {
    assert.deepEqual(await world.gateway.inbox.received(5), []);
    const answer = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body,
    });
    assert.equal(answer.status, 200);
    assert.equal((await world.received(1)).length, 1);
  };
  // More than 120 requests a minute would be refused for that alone.
  return {
    goesOn,
    place: { port: Number(new URL(url).port), path: "/msgf/webhook", pause: () => clock.advance(60_001) },
  };
}

const event = (id: string, token: string | undefined) => {
  const { header, ...rest } = messageEvent(id, "forged");
  return JSON.stringify({ header: { ...header, token }, ...rest });
};

/** The token stands in the header of the body, or at its top. */
const put = (proof: string, text: string) =>
  text.includes('"header":{')
    ? text.replace('"header":{', () => `"header":{"token":${proof},`)
    : text.replace(/^\{(\s*\})?/, (begin, end) =>
        begin === "" ? "" : `{"token":${proof}${end === undefined ? "," : "}"}`,
      );

const byToken = {
  carry: inBody(put),
  good: Buffer.from(event("om_1", undefined)),
  sign: () => TOKEN,
  foreign: () => "another",
};

/** Encrypted and signed; what is signed is the encrypted body. */
const { "x-lark-signature": _signature, ...stamps } = signed("", KEY);
const signer = (key: string) => (body: Buffer) => signed(body, key)["x-lark-signature"] ?? "";
const wrap = (body: Buffer) => Buffer.from(JSON.stringify({ encrypt: sealed(body, KEY) }));
const bySignature = {
  carry: inHeader("X-Lark-Signature"),
  good: wrap(Buffer.from(event("om_1", "T"))),
  wrap,
  sign: signer(KEY),
  foreign: signer(OTHER),
  headers: [JSON_TYPE, ...Object.entries(stamps)],
};

const WAYS: readonly {
  readonly what: string;
  readonly env: Record<string, string>;
  readonly target: Omit<HostileTarget, "port" | "path">;
  readonly right: () => readonly [body: string, headers?: Readonly<Record<string, string>>];
}[] = [
  { what: "a token", env: { MSGF_VERIFICATION_TOKEN: TOKEN }, target: byToken, right: () => [event("om_2", TOKEN)] },
  {
    what: "a signature",
    env: { MSGF_ENCRYPT_KEY: KEY },
    target: bySignature,
    right: () => {
      const body = wrap(Buffer.from(event("om_2", "T"))).toString();
      return [body, signed(body, KEY)];
    },
  },
];

for (const { what, env, target, right } of WAYS) {
  test(`two hundred hostile posts to the webhook of MSGF with ${what}: none is let in, none breaks anything, and it goes on`, async (t) => {
    const { place, goesOn } = await listening(t, env);
    assertWithstood(await runHostile({ ...place, ...target }));
    await goesOn(...right());
  });

  test(`${what} of MSGF that is almost right is refused, whatever of it is wrong, by a comparison of digests`, async (t) => {
    const { place, goesOn } = await listening(t, env);
    assertWithstood(await runOracle({ ...place, ...target }), 100);
    assert.equal(await comparedWith(t, { ...place, ...target }, "almost"), true);
    await goesOn(...right());
  });
}
