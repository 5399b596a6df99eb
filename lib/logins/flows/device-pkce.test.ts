import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type SimAnswer, simNet } from "../../../fixtures/ports/net.js";
import { proves } from "../../../fixtures/requirements.js";
import { type RegionalOptions, regionalPortal } from "../../../fixtures/servers/portal/regional.js";
import { loginWorld } from "../../../fixtures/sim/login-world.js";

const CN = "https://api.minimaxi.com";
const GLOBAL = "https://api.minimax.io";
const never = new AbortController().signal;
const HOUR = 3_600_000;
/** How much faster the waits are: a busy machine must not make a login late, and one that no one confirms is soon over. */
const SLACK = 300;
const NO_TIME = 10_000;

async function regions(t: TestContext, options: RegionalOptions = {}) {
  const net = simNet();
  for (const place of [CN, GLOBAL]) net.route(place, regionalPortal(options));
  const env = { REGIONAL_API_KEY: "sk-key-route-1234", REGIONAL_BASE_URL: "https://key-route.example" };
  const world = await loginWorld(t, { net, env, quick: options.pending === undefined ? SLACK : NO_TIME });
  const add = (...more: string[]) => world.run(["auth", "add", "regional", "--client-id", "client-1", ...more]);
  return { net, world, add, source: world.logins.source("regional") };
}

test("AU3: a login for a region asks only that region's portal, and the list shows the region", async (t) => {
  proves(t, "auth.oauth-pkce");
  const { net, world, add, source } = await regions(t);
  const ran = await add("--region", "cn");
  assert.equal(ran.code, 0, ran.err);
  assert.match(ran.err, /confirm the code WXYZ-77 .*\n {2}https:\/\/regional\.example\/device\n/);
  assert.ok(net.requests.length > 2 && net.requests.every(({ url }) => url.startsWith(`${CN}/oauth/`)));
  const list = JSON.parse((await world.run(["auth", "list", "regional", "--json"])).out);
  assert.deepEqual([list.providers[0].entries[0].region, list.providers[0].entries[0].current], ["cn", true]);
  const credential = await source.get(never);
  assert.deepEqual([credential.bearer, credential.baseUrl], ["regional-access-1", `${CN}/anthropic`]);
});

test("without a region the login is global, and is renewed there when less than a minute of it remains", async (t) => {
  const { net, world, add, source } = await regions(t);
  assert.equal((await add()).code, 0);
  world.clock.jumpWall(HOUR - 60_000);
  assert.equal((await source.get(never)).bearer, "regional-access-1");
  world.clock.jumpWall(1);
  assert.equal((await source.get(never)).bearer, "regional-access-2");
  assert.ok(net.requests.every(({ url }) => url.startsWith(`${GLOBAL}/oauth/`)));
});

test("the proof is of the length and the form that the wire asks for", async (t) => {
  const { net, add } = await regions(t);
  await add();
  const [start, poll] = net.requests.map(({ body }) => Object.fromEntries(new URLSearchParams(String(body))));
  assert.match(start?.["code_challenge"] ?? "", /^[\w-]{43}$/);
  assert.match(start?.["state"] ?? "", /^[\w-]{22}$/);
  assert.deepEqual(
    [start?.["response_type"], start?.["code_challenge_method"], start?.["client_id"]],
    ["code", "S256", "client-1"],
  );
  assert.equal(start?.["scope"], "group_id profile model.completion");
  assert.match(poll?.["code_verifier"] ?? "", /^[\w-]{86,96}$/);
  assert.match(net.requests[0]?.headers["x-request-id"] ?? "", /^[0-9a-f]{32}$/);
});

const json = (body: unknown, status = 200): SimAnswer => ({ status, body: JSON.stringify(body) });

const FAILURES: readonly (readonly [name: string, options: RegionalOptions, said: RegExp, code: string])[] = [
  ["another state", { start: { state: "other" } }, /belongs to another login/, "state_mismatch"],
  ["no code", { start: { user_code: undefined } }, /lacks a code/, "authorization_incomplete"],
  [
    "a refusal",
    { token: { status: "error", message: "no" } },
    /failed to log in to MiniMax: no/,
    "authorization_denied",
  ],
  ["no refresh token", { token: { refresh_token: undefined } }, /lacks tokens/, "token_incomplete"],
  ["no end", { token: { expired_in: undefined } }, /lacks tokens/, "token_incomplete"],
  ["no answer in time", { pending: 1_000 }, /expired before it was confirmed/, "timeout"],
];

for (const [name, options, said, code] of FAILURES) {
  test(`a login fails and stores nothing: ${name}`, async (t) => {
    const { world, add } = await regions(t, options);
    const ran = await add("--json");
    assert.equal(ran.code, 1);
    const { error } = JSON.parse(ran.out);
    assert.match(error.message, said);
    assert.equal(error.data.reason, code);
    assert.equal(world.logins.store.view().entries("regional").length, 0);
  });
}

test("an end may be told in seconds or as an instant", async (t) => {
  const world = await regions(t);
  const at = world.world.clock.now() + 2 * HOUR;
  const { add, source } = await regions(t, { token: { expired_in: at } });
  await add();
  assert.equal((await source.get(never)).expiresAt, at);
});

const REFRESHES: readonly (readonly [name: string, answer: SimAnswer, over: boolean])[] = [
  ["a used refresh token", json({ error: "refresh_token_reused" }, 400), true],
  ["a wrong refresh token", json({ base_resp: { message: "invalid_refresh_token" } }), true],
  ["an answer that is no success", json({ status: "error" }), true],
  ["a portal that is busy", json({ status: "error" }, 503), false],
  ["a limit", json({}, 429), false],
];

for (const [name, refresh, over] of REFRESHES) {
  test(`${name} ${over ? "ends" : "does not end"} the login`, async (t) => {
    const { world, add, source } = await regions(t, { refresh });
    await add();
    world.clock.jumpWall(HOUR - 30_000);
    // The key of the variable takes over where the login is over.
    assert.equal((await source.get(never)).bearer, over ? "sk-key-route-1234" : "regional-access-1");
    assert.equal(world.file().credential_pool["regional"]?.[0]?.["last_status"], over ? "dead" : "ok");
  });
}

test("a login without a client id names the option and the setting", async (t) => {
  const { world } = await regions(t);
  const ran = await world.run(["auth", "add", "regional"]);
  assert.equal(ran.code, 2);
  assert.match(ran.err, /requires a client_id: pass --client-id, or set auth\.providers\.regional\.client_id/);
});
