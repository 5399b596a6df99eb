import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { proves } from "../../../fixtures/requirements.js";
import { PORTAL } from "../../../fixtures/servers/portal/server.js";
import { loginWorld } from "../../../fixtures/sim/login-world.js";

const never = new AbortController().signal;

test("a login shows what to do, then who is logged in, and no token", async (t) => {
  const world = await loginWorld(t, { portal: { email: "me@example.com", pending: 1 } });
  const ran = await world.run(["auth", "add", "subscription"]);
  assert.deepEqual(ran.code, 0, ran.err);
  assert.match(
    ran.err,
    new RegExp(`confirm the code ABCD-1001 .*\\n {2}${world.portal.url}/device\\?user_code=ABCD-1001\\n`),
  );
  assert.match(ran.out, /^Logged in to Subscription portal: #1 me@example\.com oauth device_code ok/);
  assert.match(
    (await world.run(["auth"])).out,
    /^subscription \(Subscription portal\)\n-> #1 me@example\.com oauth device_code ok/,
  );
  const status = await world.run(["auth", "status", "nous", "--json"]);
  assert.equal(status.code, 0);
  assert.deepEqual(JSON.parse(status.out), {
    provider: "subscription",
    name: "Subscription portal",
    logged_in: true,
    type: "oauth",
    account: "me@example.com",
    region: null,
    expires_at: new Date(world.clock.now() + 3_600_000).toISOString(),
    error: null,
  });
  const { access_token: token } = world.file().credential_pool["subscription"]?.[0] ?? {};
  assert.ok(typeof token === "string" && !`${ran.out}${ran.err}${status.out}`.includes(token));
});

test("the page of a login is opened unless that is not wanted", async (t) => {
  const world = await loginWorld(t);
  await world.run(["login", "subscription"]);
  await world.run(["login", "subscription", "--no-browser"]);
  assert.deepEqual(world.pages, [`${world.portal.url}/device?user_code=ABCD-1001`]);
});

test("logging in again to the same account takes the place of the earlier login", async (t) => {
  const world = await loginWorld(t, { portal: { email: "me@example.com" } });
  await world.run(["login", "subscription"]);
  await world.run(["login", "subscription"]);
  assert.equal(world.file().credential_pool["subscription"]?.length, 1);
});

test("what a portal says cannot move the cursor of a terminal", async (t) => {
  const world = await loginWorld(t);
  world.portal.next(PORTAL.token, {
    status: 400,
    body: { error: "invalid", error_description: "no\u001b]0;owned\u0007\u001b[2J\nagain" },
  });
  const refused = await world.run(["auth", "add", "subscription"]);
  assert.match(refused.err, /Subscription portal: no ]0;owned {2}\[2J\nagain/);
});

test("a login that is refused, or that no one confirms, fails with the reason and stores nothing", async (t) => {
  const world = await loginWorld(t);
  world.portal.next(PORTAL.token, { status: 400, body: { error: "access_denied" } });
  const refused = await world.run(["auth", "add", "subscription"]);
  assert.equal(refused.code, 1);
  assert.match(refused.err, /failed to log in to Subscription portal: the login was denied at the portal/);
  const late = await loginWorld(t, { portal: { pending: 1_000, interval: 0.1 }, quick: 20 });
  const timed = await late.run(["auth", "add", "subscription", "--timeout", "1"]);
  assert.equal(timed.code, 1);
  assert.match(timed.err, /expired before it was confirmed/);
  assert.deepEqual((await late.auth.list()).providers, []);
});

test("Ctrl+C gives a login up with exit code 130", async (t) => {
  const world = await loginWorld(t, { portal: { pending: 1_000 } });
  const stop = new AbortController();
  const running = world.run(["auth", "add", "subscription"], { signal: stop.signal });
  await world.portal.arrived(2);
  stop.abort("SIGINT");
  const { code, err } = await running;
  assert.equal(code, 130);
  assert.match(err, /cancelled; nothing stored/);
});

test("a portal that is busy or silent for a moment does not end a login", async (t) => {
  const world = await loginWorld(t);
  world.portal.next(PORTAL.token, { status: 502 }, { status: 200, lost: true });
  const { code } = await world.run(["auth", "add", "subscription"]);
  assert.deepEqual(
    [code, world.portal.tokens("device_code").length],
    [1, 3],
    "the code was used up by the answer that was lost",
  );
});

test("an address for requests that the portal names counts only at the host that the user named", async (t) => {
  const world = await loginWorld(t, { portal: { inferenceUrl: "https://elsewhere.example/v1" } });
  const { code, err } = await world.run(["auth", "add", "subscription"]);
  assert.equal(code, 0);
  assert.match(err, /ignored another request address from the portal: "https:\/\/elsewhere\.example\/v1"/);
  assert.equal((await world.logins.source("subscription").get(never)).baseUrl, `${world.portal.url}/v1`);
});

test("a key comes from the option or from standard input, and is not shown", async (t) => {
  const world = await loginWorld(t);
  const option = await world.run([
    "auth",
    "add",
    "router",
    "--api-key",
    "sk-one-12345678",
    "--label",
    "mine",
    "--priority",
    "3",
  ]);
  const piped = await world.run(["auth", "add", "router"], { input: "sk-two-12345678\n" });
  assert.equal(option.out, "Added to router: #1 mine api_key manual ok\n");
  assert.equal(piped.out, "Added to router: #2 api_key-1 api_key manual ok\n");
  const list = await world.run(["auth", "list", "router"]);
  assert.match(list.out, / {3}#1 mine .*\n-> #2 api_key-1 /);
  assert.ok(!list.out.includes("sk-"));
  assert.deepEqual(
    world.file().credential_pool["router"]?.map((entry) => entry["access_token"]),
    ["sk-one-12345678", "sk-two-12345678"],
  );
});

test("a key that is there already is not stored twice", async (t) => {
  const world = await loginWorld(t);
  for (const label of ["a", "b"])
    await world.run(["auth", "add", "router", "--api-key", "sk-one-12345678", "--label", label]);
  assert.deepEqual(
    world.file().credential_pool["router"]?.map((entry) => entry["label"]),
    ["b"],
  );
});

test("AU5: a key of a variable that was removed is not picked up again until something is added", async (t) => {
  const world = await loginWorld(t, { env: { ROUTER_API_KEY: "sk-env-12345678" } });
  assert.match((await world.run(["auth", "list", "router"])).out, /#1 ROUTER_API_KEY api_key env:ROUTER_API_KEY ok/);
  const removed = await world.run(["auth", "remove", "router", "1"]);
  assert.match(removed.out, /ROUTER_API_KEY is still set but ignored/);
  assert.match((await world.run(["auth", "list"])).out, /^No logins or keys/);
  assert.equal(world.logins.source("router").isAuthenticated(), false);
  await world.run(["auth", "add", "router", "--api-key", "sk-own-12345678"]);
  assert.match((await world.run(["auth", "list", "router"])).out, /#1 api_key-1 .*\n.*#2 ROUTER_API_KEY/);
});

test("logging out forgets the login, tells the portal, and leaves keys alone", async (t) => {
  const world = await loginWorld(t);
  await world.run(["login", "subscription"]);
  await world.run(["auth", "add", "subscription", "--api-key", "sk-key-12345678"]);
  const { access_token: token } = world.file().credential_pool["subscription"]?.[0] ?? {};
  const ran = await world.run(["logout", "subscription"]);
  assert.deepEqual([ran.code, ran.out, ran.err], [0, "Logged out of subscription: 1 login removed.\n", ""]);
  assert.equal(world.portal.accepts(String(token)), false);
  const file = world.file();
  assert.deepEqual([file.providers, file["active_provider"]], [{}, null]);
  assert.equal(file.credential_pool["subscription"]?.[0]?.["auth_type"], "api_key");
});

test("a portal that cannot be told does not keep anyone logged in", async (t) => {
  const world = await loginWorld(t);
  await world.run(["login", "subscription"]);
  world.portal.next(PORTAL.revoke, { status: 500 });
  const ran = await world.run(["auth", "logout", "subscription"]);
  assert.equal(ran.code, 0);
  assert.match(ran.err, /could not be reached/);
  const status = await world.run(["auth", "status", "subscription"]);
  assert.deepEqual([status.code, status.out], [1, "subscription: logged out\n"]);
});

test("auth refresh renews now, and says what stood in the way", async (t) => {
  const world = await loginWorld(t);
  await world.run(["login", "subscription"]);
  assert.match((await world.run(["auth", "refresh", "subscription"])).out, /^Renewed: #1 /);
  world.portal.next(PORTAL.token, { status: 503 });
  const failed = await world.run(["auth", "refresh", "subscription", "--all"]);
  assert.equal(failed.code, 1);
  assert.match(failed.out, /^Not renewed: #1 .* the provider responded 503\n/);
  assert.equal((await world.run(["auth", "refresh", "subscription"])).code, 0, "whoever asks is not kept waiting");
  assert.equal((await world.run(["auth", "refresh", "router"])).code, 1);
});

test("auth reset takes up what rests, and a revoked key", async (t) => {
  const world = await loginWorld(t);
  await world.run(["auth", "add", "router", "--api-key", "sk-one-12345678"]);
  await world.run(["auth", "add", "router", "--api-key", "sk-two-12345678"]);
  const source = world.logins.source("router");
  const first = await source.get(never);
  const second = await source.retry(first, 401, { "www-authenticate": 'Bearer error="token_revoked"' }, never);
  assert.ok(second);
  await source.retry(second, 429, { "retry-after": "240" }, never);
  const list = await world.run(["auth", "list", "router"]);
  assert.match(
    list.out,
    / {3}#1 api_key-1 api_key manual must be replaced \(token_revoked\)\n {3}#2 api_key-2 api_key manual exhausted \(rate_limit\), available in /,
  );
  assert.equal((await world.run(["auth", "reset", "router"])).out, "Reset 2 of router.\n");
  assert.equal((await source.get(never)).bearer, first.bearer);
});

test("what is asked of the second provider's regions, and of plans, is answered before anything begins", async (t) => {
  proves(t, "auth.plan-needed");
  const world = await loginWorld(t);
  const ran = await world.run(["auth", "add", "anthropic", "--type", "oauth"]);
  assert.match(ran.err, /^This login requires a top-tier subscription with purchased extra usage credits\. .*API key/);
});

const ELSEWHERE = ["--portal-url", "https://p.example", "--inference-url", "https://i.example"];
const MISUSE: readonly (readonly [argv: readonly string[], code: number, said: RegExp])[] = [
  [["add", "mars"], 2, /unknown provider "mars" \(known: subscription, /],
  [["add"], 2, /provider/],
  [["add", "subscription", "--portal-url", "http://portal.example"], 2, /credentials are only sent to https/],
  [["add", "subscription", "--portal-url", "ftp://portal.example"], 2, /credentials are only sent to https/],
  [["add", "subscription", "--type", "magic"], 2, /type/],
  [["add", "subscription", "--type", "oauth", "--api-key", "k"], 2, /exclude each other/],
  [["add", "subscription", "--region", "cn"], 2, /subscription does not have regions/],
  [["add", "regional", "--region", "mars"], 2, /unknown region "mars" of regional \(known: global, cn\)/],
  [
    [
      "add",
      "subscription",
      "--manual-paste",
      "--portal-url",
      "https://p.example",
      "--inference-url",
      "https://i.example",
    ],
    2,
    /does not support pasting/,
  ],
  [["add", "router"], 2, /key for router: pass --api-key KEY or write it to standard input/],
  [["add", "router", "--type", "oauth"], 2, /supports API keys only/],
  [["add", "router", "--api-key", "two words"], 2, /single line of printable ASCII without spaces/],
  [["add", "vendor"], 2, /requires a client_id: pass --client-id, or set auth\.providers\.vendor\.client_id/],
  [["add", "anthropic"], 2, /login to Anthropic is not supported yet; use an API key/],
  [
    ["add", "subscription", ...ELSEWHERE, "--insecure"],
    2,
    /--insecure applies to hosts of this machine, not https:\/\/p\.example/,
  ],
  [
    ["add", "subscription", ...ELSEWHERE, "--ca-bundle", "/nowhere/ca.pem"],
    2,
    /--ca-bundle \/nowhere\/ca\.pem: no such file/,
  ],
  [["add", "router", "--api-key", "k", "--ca-bundle", "ca.pem"], 2, /--ca-bundle and --insecure apply to logins only/],
  [["remove", "router", "1"], 1, /no credential "1" of router/],
  [["list", "mars"], 2, /unknown provider/],
  [["status", "router"], 1, /^$/],
];

for (const [argv, code, said] of MISUSE) {
  test(`auth ${argv.join(" ")} ends with ${code}`, async (t) => {
    const world = await loginWorld(t, { settings: { "auth.providers": {} } });
    const ran = await world.run(["auth", ...argv]);
    assert.equal(ran.code, code, ran.err);
    assert.match(ran.err, said);
  });
}

test("a login without an address names the option and the setting", async (t) => {
  const world = await loginWorld(t, { settings: { "auth.providers": {} } });
  const ran = await world.run(["auth", "add", "subscription"]);
  assert.equal(ran.code, 2);
  assert.match(ran.err, /requires a portal_url: pass --portal-url, or set auth\.providers\.subscription\.portal_url/);
});

test("names that several credentials have are not guessed at", async (t) => {
  const world = await loginWorld(t);
  for (const key of ["sk-one-12345678", "sk-two-12345678"])
    await world.run(["auth", "add", "router", "--api-key", key, "--label", "same"]);
  const ran = await world.run(["auth", "remove", "router", "same"]);
  assert.equal(ran.code, 2);
  assert.match(ran.err, /several credentials of router match "same"/);
  assert.ok(readFileSync(world.path, "utf8").includes("sk-two"));
  assert.equal((await world.run(["auth", "remove", "router", "#2"])).code, 0);
  assert.ok(!readFileSync(world.path, "utf8").includes("sk-two"));
});
