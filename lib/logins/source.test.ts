import assert from "node:assert/strict";
import { mkdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { proves } from "../../fixtures/requirements.js";
import { PORTAL } from "../../fixtures/servers/portal/server.js";
import { type LoginWorld, loginWorld } from "../../fixtures/sim/login-world.js";
import { toAppError } from "../base/errors.js";
import { Secret } from "../base/secret.js";
import type { Logins } from "./logins.js";

const never = new AbortController().signal;
const get = (logins: Logins) => logins.source("subscription").get(never);
const HOUR = 3_600_000;

/** Tokens of an hour, of which `left` remains. */
const left = (world: LoginWorld, ms: number) => world.clock.jumpWall(HOUR - ms);

const failure = async (work: Promise<unknown>) => {
  try {
    await work;
  } catch (error) {
    return toAppError(error);
  }
  assert.fail("nothing failed");
};

test("a login gives its bearer, and the address that it was made for", async (t) => {
  const world = await loginWorld(t);
  assert.equal(world.logins.source("subscription").isAuthenticated(), false);
  await world.login();
  const credential = await get(world.logins);
  assert.equal(credential.baseUrl, `${world.portal.url}/v1`);
  assert.ok(world.portal.accepts(credential.bearer));
  const state = world.logins.source("nous").state();
  assert.deepEqual([state.authenticated, state.expiresAt], [true, world.clock.now() + HOUR]);
});

test("a login is renewed when less than 120 seconds of it remain, and not before", async (t) => {
  const world = await loginWorld(t);
  await world.login();
  const first = await get(world.logins);
  left(world, 120_000);
  assert.equal((await get(world.logins)).bearer, first.bearer);
  world.clock.jumpWall(1);
  const second = await get(world.logins);
  assert.notEqual(second.bearer, first.bearer);
  assert.ok(world.portal.accepts(second.bearer));
  const [entry] = world.file().credential_pool["subscription"] ?? [];
  assert.deepEqual([entry?.["generation"], entry?.["access_token"]], [2, second.bearer]);
});

const SKEWS: readonly (readonly [provider: string, seconds: number])[] = [
  ["subscription", 120],
  ["vendor", 120],
  ["anthropic", 120],
  ["search-vendor", 3_600],
  ["regional", 60],
];

for (const [provider, seconds] of SKEWS) {
  test(`a login to ${provider} is due when less than ${seconds} seconds remain`, async (t) => {
    proves(t, "auth.lifetimes-decided");
    const { logins, clock, write } = await loginWorld(t);
    const entry = (left: number) => ({
      id: "0a0b0c0d",
      auth_type: "oauth",
      access_token: "t",
      expires_at: new Date(clock.now() + left * 1_000).toISOString(),
    });
    const due = [seconds, seconds - 1].map((left) => {
      write({ version: 1, credential_pool: { [provider]: [entry(left)] } });
      const [found] = logins.pool(logins.provider(provider)).entries();
      return found && logins.refresher.isDue(found, logins.provider(provider));
    });
    assert.deepEqual(due, [false, true]);
  });
}

test("callers at the same time share one renewal, also those of another owner", async (t) => {
  const world = await loginWorld(t);
  await world.login();
  const other = world.open();
  left(world, -1);
  const gate = world.portal.hold();
  const came = world.portal.arrived(world.portal.requests.length + 1);
  const all = Promise.all([get(world.logins), get(world.logins), get(other), get(other)]);
  await came;
  gate.go();
  const bearers = new Set((await all).map(({ bearer }) => bearer));
  assert.equal(bearers.size, 1);
  assert.equal(world.portal.tokens("refresh_token").length, 1);
});

test("a caller who does not wait any more ends no one else's renewal", async (t) => {
  const world = await loginWorld(t);
  await world.login();
  left(world, -1);
  const gate = world.portal.hold();
  const impatient = new AbortController();
  const first = failure(world.logins.source("subscription").get(impatient.signal));
  const second = get(world.logins);
  await world.portal.arrived(world.portal.requests.length + 1);
  impatient.abort(new Error("gone"));
  assert.equal((await first).message, "gone");
  gate.go();
  assert.ok(world.portal.accepts((await second).bearer));
});

test("a portal that is busy keeps the login in use until it really ends", async (t) => {
  const world = await loginWorld(t);
  await world.login();
  const first = await get(world.logins);
  left(world, 60_000);
  world.portal.next(PORTAL.token, { status: 503 }, { status: 429 });
  assert.equal((await get(world.logins)).bearer, first.bearer);
  assert.equal((await get(world.logins)).bearer, first.bearer);
  assert.equal(world.portal.tokens("refresh_token").length, 1, "the next attempt is 30 s away");
  world.clock.jumpWall(30_000);
  assert.equal((await get(world.logins)).bearer, first.bearer);
  assert.equal(world.portal.tokens("refresh_token").length, 2);
  world.clock.jumpWall(31_000);
  const error = await failure(get(world.logins));
  assert.match(error.message, /has expired and could not be renewed: the provider responded 429/);
  assert.equal(error.code, "E_AUTH");
  assert.equal(world.portal.tokens("refresh_token").length, 2, "the pause doubles");
  world.clock.jumpWall(30_000);
  assert.ok(world.portal.accepts((await get(world.logins)).bearer));
});

test("a login that the user ended at the portal is wiped, and asks for a new one", async (t) => {
  const world = await loginWorld(t);
  await world.login();
  world.portal.endAll();
  left(world, -1);
  const error = await failure(get(world.logins));
  assert.match(
    error.message,
    /^The only credential for subscription requires a new login: agent auth add subscription$/,
  );
  const file = world.file();
  const [entry] = file.credential_pool["subscription"] ?? [];
  assert.deepEqual(
    [entry?.["access_token"], entry?.["refresh_token"], entry?.["last_status"]],
    [undefined, undefined, "dead"],
  );
  const at = new Date(world.clock.now()).toISOString();
  const said = { code: "invalid_grant", message: "the login has ended", at, relogin_required: true };
  assert.deepEqual(file.providers["subscription"]?.["last_auth_error"], said);
  await get(world.logins).catch(() => undefined);
  assert.equal(world.portal.tokens("refresh_token").length, 1, "a dead login is not asked for again");
  assert.equal(world.logins.source("subscription").isAuthenticated(), false);
  await world.login();
  assert.ok(world.portal.accepts((await get(world.logins)).bearer));
  assert.equal(world.file().credential_pool["subscription"]?.length, 1);
});

test("an answer without a new refresh token keeps the old one", async (t) => {
  const world = await loginWorld(t);
  await world.login();
  const before = world.file().credential_pool["subscription"]?.[0]?.["refresh_token"];
  left(world, -1);
  world.portal.next(PORTAL.token, { status: 200, body: { access_token: "plain-token-12345678", expires_in: 600 } });
  assert.equal((await get(world.logins)).bearer, "plain-token-12345678");
  assert.equal(world.file().credential_pool["subscription"]?.[0]?.["refresh_token"], before);
});

test("a 401 renews the login once; refused right after that, it rests", async (t) => {
  const world = await loginWorld(t);
  await world.login();
  const source = world.logins.source("subscription");
  const first = await source.get(never);
  const second = await source.retry(first, 401, {}, never);
  assert.ok(second && second.bearer !== first.bearer);
  assert.equal(
    (await source.retry(first, 401, {}, never))?.bearer,
    second.bearer,
    "another request that had the old one",
  );
  assert.equal(world.portal.tokens("refresh_token").length, 1);
  assert.equal(await source.retry(second, 401, {}, never), undefined);
  assert.equal(world.portal.tokens("refresh_token").length, 1);
  const [entry] = world.file().credential_pool["subscription"] ?? [];
  assert.equal(entry?.["last_status"], "exhausted");
  world.clock.jumpWall(300_000);
  assert.equal((await source.get(never)).bearer, second.bearer);
});

test("two stray 401s within a minute do not lock out a login that serves requests between them", async (t) => {
  const world = await loginWorld(t);
  await world.login();
  const source = world.logins.source("subscription");
  const first = await source.get(never);
  const second = await source.retry(first, 401, {}, never);
  assert.ok(second);
  source.succeeded?.(second);
  const third = await source.retry(second, 401, {}, never);
  assert.ok(third && third.bearer !== second.bearer);
  source.succeeded?.(third);
  assert.equal((await source.get(never)).bearer, third.bearer);
});

test("a success with the bearer before a renewal does not vouch for the renewed one", async (t) => {
  const world = await loginWorld(t);
  await world.login();
  const source = world.logins.source("subscription");
  const first = await source.get(never);
  const second = await source.retry(first, 401, {}, never);
  assert.ok(second);
  source.succeeded?.(first);
  assert.equal(await source.retry(second, 401, {}, never), undefined);
});

test("a rate limit of the subscription is passed on and no credential rests", async (t) => {
  const world = await loginWorld(t);
  await world.login();
  const source = world.logins.source("subscription");
  const first = await source.get(never);
  assert.equal(await source.retry(first, 429, { "retry-after": "60" }, never), undefined);
  assert.equal((await source.get(never)).bearer, first.bearer);
});

test("AU6: when all keys rest the error names the limit and the earliest end, and no status", async (t) => {
  const world = await loginWorld(t);
  const key = (text: string) => world.auth.addKey("router", new Secret(text), {});
  await key("sk-router-one-1111");
  await key("sk-router-two-2222");
  const source = world.logins.source("router");
  const first = await source.get(never);
  const second = await source.retry(first, 429, { "retry-after": "600" }, never);
  assert.notEqual(second?.bearer, first.bearer);
  assert.ok(second);
  assert.equal(await source.retry(second, 429, { "retry-after": "300" }, never), undefined);
  const error = await failure(source.get(never));
  assert.equal(error.code, "E_RATE_LIMIT");
  assert.match(
    error.message,
    /^All 2 credentials for router are rate-limited; the earliest is available at \d\d:\d\d:\d\d \(in 5 min\)\.$/,
  );
  assert.ok(!error.message.includes("401"));
  assert.equal(error.data["until"], world.clock.now() + 300_000);
  world.clock.jumpWall(300_000);
  assert.equal((await source.get(never)).bearer, second.bearer);
});

test("a portal that sends requests elsewhere gets no token there", async (t) => {
  const world = await loginWorld(t);
  await world.login();
  left(world, 60_000);
  world.portal.next(PORTAL.token, { status: 307, headers: { location: `${world.portal.url}/elsewhere` } });
  assert.ok(world.portal.accepts((await get(world.logins)).bearer));
  assert.equal(world.portal.requests.at(-1)?.status, 307);
});

test("a key that is gone for good is never taken again", async (t) => {
  const world = await loginWorld(t);
  await world.auth.addKey("router", new Secret("sk-router-one-1111"), {});
  const source = world.logins.source("router");
  const first = await source.get(never);
  assert.equal(
    await source.retry(first, 401, { "www-authenticate": 'Bearer error="token_revoked"' }, never),
    undefined,
  );
  world.clock.jumpWall(24 * HOUR);
  assert.match((await failure(source.get(never))).message, /requires a new login/);
  world.clock.jumpWall(1);
  assert.match((await failure(source.get(never))).message, /not logged in to OpenRouter/);
  await world.auth.addKey("router", new Secret("sk-router-two-2222"), {});
  const other = await source.get(never);
  await source.retry(other, 429, {}, never);
  assert.equal(world.file().credential_pool["router"]?.length, 1, "it is forgotten with the next change");
});

test("a store of a newer version serves logins and is never written", async (t) => {
  const world = await loginWorld(t);
  await world.login();
  world.write({ ...world.file(), version: 2 });
  const first = await get(world.logins);
  left(world, 60_000);
  assert.equal((await get(world.logins)).bearer, first.bearer, "a renewed login could not be kept");
  assert.equal(world.portal.tokens("refresh_token").length, 0);
  assert.equal((await failure(world.auth.addKey("router", new Secret("sk-router-1"), {}))).code, "E_STATE");
  assert.equal(world.file().version, 2);
});

test("tokens that could not be written are written before they are used", async (t) => {
  const world = await loginWorld(t);
  await world.login();
  left(world, -1);
  const gate = world.portal.hold();
  const first = failure(get(world.logins));
  await world.portal.arrived(world.portal.requests.length + 1);
  mkdirSync(join(world.root, "auth.lock"));
  gate.go();
  assert.match((await first).message, /could not be renewed/);
  rmdirSync(join(world.root, "auth.lock"));
  world.clock.jumpWall(30_000);
  assert.ok(world.portal.accepts((await get(world.logins)).bearer));
  assert.equal(world.portal.tokens("refresh_token").length, 1);
});
