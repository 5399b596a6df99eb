import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type SimAnswer, simNet } from "../../../fixtures/ports/net.js";
import { loginWorld } from "../../../fixtures/sim/login-world.js";

const ISSUER = "https://auth.openai.com";
const never = new AbortController().signal;
const json = (body: unknown, status = 200): SimAnswer => ({ status, body: JSON.stringify(body) });
const TOKENS = json({ access_token: "vendor-access-1", refresh_token: "vendor-refresh-1", expires_in: 3_600 });
const PROOF = json({ authorization_code: "code-1", code_verifier: "verifier-1" });

interface Wire {
  readonly begin?: SimAnswer;
  readonly polls?: readonly SimAnswer[];
  readonly token?: readonly SimAnswer[];
}

/** How much faster the waits are: a busy machine must not make a login late, and one that no one confirms is soon over. */
const SLACK = 300;
const NO_TIME = 10_000;

async function vendor(t: TestContext, wire: Wire = {}) {
  const net = simNet();
  const polls = [...(wire.polls ?? [json({}, 403), json({}, 404), PROOF])];
  const tokens = [...(wire.token ?? [TOKENS])];
  net.route(
    `${ISSUER}/api/accounts/deviceauth/usercode`,
    wire.begin ?? json({ user_code: "QQ-11", device_auth_id: "dev-1", interval: "5" }),
  );
  net.route(`${ISSUER}/api/accounts/deviceauth/token`, () => polls.shift() ?? json({}, 404));
  net.route(`${ISSUER}/oauth/token`, () => tokens.shift() ?? json({ error: "invalid_grant" }, 400));
  const world = await loginWorld(t, { net, quick: wire.polls?.length === 0 ? NO_TIME : SLACK });
  const add = (...more: string[]) => world.run(["auth", "add", "vendor", "--client-id", "client-1", ...more]);
  return { net, world, add, source: world.logins.source("vendor") };
}

test("a login to a vendor account asks for a code, waits for it, and exchanges what it is given", async (t) => {
  const { net, world, add, source } = await vendor(t);
  const ran = await add();
  assert.equal(ran.code, 0, ran.err);
  assert.match(ran.err, /confirm the code QQ-11 .*\n {2}https:\/\/auth\.openai\.com\/codex\/device\n/);
  const bodies = net.requests.map(({ body }) => String(body));
  assert.deepEqual(
    bodies.slice(0, 2).map((body) => JSON.parse(body)),
    [{ client_id: "client-1" }, { device_auth_id: "dev-1", user_code: "QQ-11" }],
  );
  assert.deepEqual(Object.fromEntries(new URLSearchParams(bodies.at(-1))), {
    grant_type: "authorization_code",
    client_id: "client-1",
    code: "code-1",
    code_verifier: "verifier-1",
    redirect_uri: `${ISSUER}/deviceauth/callback`,
  });
  assert.equal(net.requests.length, 5);
  const credential = await source.get(never);
  assert.deepEqual([credential.bearer, credential.baseUrl], ["vendor-access-1", "https://api.openai.com/v1"]);
  assert.equal((await world.auth.list("vendor")).providers[0]?.entries[0]?.source, "device_code");
});

test("a vendor account is renewed at its issuer", async (t) => {
  const { net, world, add, source } = await vendor(t, {
    token: [TOKENS, json({ access_token: "vendor-access-2", expires_in: 3_600 })],
  });
  await add();
  world.clock.jumpWall(3_600_000 - 119_000);
  assert.equal((await source.get(never)).bearer, "vendor-access-2");
  assert.equal(new URLSearchParams(String(net.requests.at(-1)?.body)).get("refresh_token"), "vendor-refresh-1");
});

const FAILURES: readonly (readonly [name: string, wire: Wire, reason: string])[] = [
  [
    "the vendor refuses to begin",
    { begin: json({ error: { code: "unknown_client", message: "no" } }, 400) },
    "unknown_client",
  ],
  ["there is no code", { begin: json({}) }, "authorization_incomplete"],
  ["nobody types the code", { polls: [] }, "timeout"],
  ["the vendor breaks off", { polls: [json({}, 500)] }, "authorization_failed"],
  ["there is nothing to exchange", { polls: [json({})] }, "authorization_incomplete"],
  ["the exchange is refused", { token: [] }, "invalid_grant"],
];

for (const [name, wire, reason] of FAILURES) {
  test(`a login to a vendor account fails and stores nothing when ${name}`, async (t) => {
    const { world, add } = await vendor(t, wire);
    const ran = await add("--json");
    assert.equal(ran.code, 1);
    assert.equal(JSON.parse(ran.out).error.data.reason, reason);
    assert.deepEqual((await world.auth.list()).providers, []);
  });
}
