import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { proves } from "../../../fixtures/requirements.js";
import { runLine } from "../../../fixtures/sim/run-line.js";
import { WEBHOOK_SECRET, type WebhookWorld, webhookWorld } from "../../../fixtures/worlds/webhook-world.js";
import { webhookMethods } from "../../app/gateway/webhooks-api.js";
import type { NewSubscription } from "../../contracts/gateway/webhooks.js";

const api = (world: WebhookWorld) => webhookMethods(world.owner.app, world);
const subscribe = (world: WebhookWorld, name: string, more: Partial<NewSubscription> = {}) =>
  api(world).subscribeWebhook({
    name,
    deliver: "log",
    deliver_extra: {},
    deliver_only: false,
    force: false,
    secret: WEBHOOK_SECRET,
    ...more,
  });
const texts = (seen: readonly { readonly text: string }[]) => seen.map(({ text }) => text);
const ONLY = { deliver: "msgt", deliver_only: true, prompt: "Build {build.status}" } as const;
const RED = { build: { status: "red" } };
const id = (value: string) => ({ headers: { "x-request-id": value } });

test("GW-140 a signed event is sent to the home channel as it is, and no model is asked", async (t) => {
  proves(t, "cli.webhook");
  const world = await webhookWorld(t);
  await subscribe(world, "ci", ONLY);
  const { status, json } = await world.post("ci", RED, id("d1"));
  assert.deepEqual([status, json], [200, { status: "delivered", route: "ci", target: "msgt", delivery_id: "d1" }]);
  assert.deepEqual(
    world.platform.ledger.map(({ chat, text }) => [chat, text]),
    [["1", "Build red"]],
  );
  assert.equal(world.owner.model.requests.length, 0);
});

test("a subscription whose answers could not be delivered now warns, and one that could does not", async (t) => {
  const world = await webhookWorld(t);
  const warningsOf = async (deliver: string, deliver_extra: Readonly<Record<string, string>> = {}) =>
    (await subscribe(world, "ci", { deliver, deliver_extra, force: true })).warnings;
  for (const deliver of ["log", "msgt", "msgt:7"]) assert.deepEqual(await warningsOf(deliver), []);
  assert.deepEqual(await warningsOf("msgd:5"), [
    "cannot deliver output to msgd:5: msgd is not configured; agent gateway setup msgd",
  ]);
  assert.deepEqual(await warningsOf("msgd", { chat_id: "5" }), await warningsOf("msgd:5"));
  assert.match((await warningsOf("msgd")).join(), /^cannot deliver output to msgd: msgd does not have a home channel/);
});

test("GW-141 the same id again is a duplicate and sends nothing, also after a restart and fifty times at once", async (t) => {
  const world = await webhookWorld(t);
  await subscribe(world, "ci", ONLY);
  await world.post("ci", RED, id("d1"));
  const duplicate = { status: "duplicate", delivery_id: "d1" };
  assert.deepEqual((await world.post("ci", RED, id("d1"))).json, duplicate);
  await world.restart();
  assert.deepEqual((await world.post("ci", RED, id("d1"))).json, duplicate);
  const storm = await Promise.all(Array.from({ length: 20 }, () => world.post("ci", RED, id("d2"))));
  const delivered = storm.filter(({ json }) => json["status"] === "delivered");
  const others = storm.filter(
    ({ json }) => !["delivered", "in_progress", "duplicate"].includes(String(json["status"])),
  );
  assert.deepEqual([delivered.length, others, world.platform.ledger.length], [1, [], 2]);
});

test("GW-142 a signed event of another service becomes a turn, a bad signature nothing, another event is ignored", async (t) => {
  const world = await webhookWorld(t, { script: [{ text: "looked" }] });
  await subscribe(world, "gh", { deliver: "msgt", prompt: "Look at {repository.name}", events: ["push"] });
  const body = JSON.stringify({ repository: { name: "one" } });
  const hub = (text: string) => `sha256=${createHmac("sha256", WEBHOOK_SECRET).update(text).digest("hex")}`;
  const headers = (signature: string, event: string) => ({
    "x-unsigned": "",
    "x-hub-signature-256": signature,
    "x-github-event": event,
    "x-github-delivery": `g-${event}`,
  });
  const bad = await world.post("gh", body, { headers: headers(hub("other"), "push") });
  assert.deepEqual([bad.status, bad.json], [401, { status: "error", error: "missing or wrong signature" }]);
  const ignored = await world.post("gh", body, { headers: headers(hub(body), "issues") });
  assert.deepEqual([ignored.status, ignored.json], [200, { status: "ignored", event: "issues" }]);
  const good = await world.post("gh", body, { headers: headers(hub(body), "push") });
  assert.deepEqual(
    [good.status, good.json],
    [202, { status: "accepted", route: "gh", event: "push", delivery_id: "g-push" }],
  );
  assert.deepEqual(
    (await world.shown(1)).map(({ chat, text }) => [chat, text]),
    [["1", "looked"]],
  );
  assert.match(JSON.stringify(world.owner.model.requests), /data, not instructions\.\]\\\\nLook at one/);
  const again = await world.post("gh", body, { headers: headers(hub(body), "push") });
  assert.deepEqual([again.status, again.json], [200, { status: "duplicate", delivery_id: "g-push" }]);
});

test("GW-143 a subscription that is made while it runs is served at once, and one that is removed no more", async (t) => {
  const world = await webhookWorld(t);
  assert.equal(world.built().webhooks.url(), undefined);
  const made = await subscribe(world, "ci", ONLY);
  assert.equal(made.listening, true);
  assert.equal((await world.post("ci", RED)).status, 200);
  assert.equal((await fetch(`${world.url()}/health`)).status, 200);
  await subscribe(world, "other", ONLY);
  await api(world).removeWebhook("ci");
  assert.equal((await world.post("ci", RED)).status, 404);
  await api(world).removeWebhook("other");
  assert.equal(world.built().webhooks.url(), undefined);
});

test("GW-144 one id on two routes is two deliveries", async (t) => {
  const world = await webhookWorld(t);
  for (const name of ["a", "b"]) await subscribe(world, name, ONLY);
  for (const name of ["a", "b"]) assert.equal((await world.post(name, RED, id("d1"))).json["status"], "delivered");
  assert.equal(world.platform.ledger.length, 2);
});

const WRONG_LINES = [
  {
    words: ["ci", "--deliver-only", "--deliver", "log", "--prompt", "x"],
    code: 2,
    says: /--deliver-only requires a target/,
  },
  { words: ["ci", "--deliver-only", "--deliver", "msgt"], code: 2, says: /requires a --prompt/ },
  { words: ["Not Good"], code: 1, says: /invalid webhook name/ },
  { words: ["ci", "--deliver-extra", "no json"], code: 2, says: /--deliver-extra must be a JSON object/ },
  { words: ["ci", "--deliver", "nowhere"], code: 1, says: /unknown target "nowhere"/ },
  { words: ["ci", "--deliver", "github_comment"], code: 2, says: /requires repo/ },
] as const;

for (const { words, code, says } of WRONG_LINES) {
  test(`${says.source.includes("target/") || ([...words] as string[]).includes("log") ? "GW-145 " : ""}webhook subscribe ${words.join(" ")} ends with ${code} and says why`, async (t) => {
    const { owner } = await webhookWorld(t);
    const { gateway } = owner.app;
    const got = await runLine(["webhook", "subscribe", ...words], { gateway });
    assert.equal(got.code, code);
    assert.match(got.err, says);
  });
}

test("the command line makes, lists and removes subscriptions, and shows a secret once", async (t) => {
  const world = await webhookWorld(t);
  const gateway = { ...world.owner.app.gateway, ...api(world) };
  const run = (...words: readonly string[]) => runLine(["webhook", ...words], { gateway });
  const made = JSON.parse((await run("subscribe", "ci", "--events", "push, tag", "--prompt", "p", "--json")).out);
  assert.match(made.secret, /^[\w-]{43}$/);
  assert.deepEqual([made.events, made.deliver, made.url], [["push", "tag"], "log", `${world.url()}/webhooks/ci`]);
  const again = await run("add", "ci", "--prompt", "p");
  assert.deepEqual([again.code, /already/.test(again.err)], [1, true]);
  assert.equal((await run("subscribe", "ci", "--prompt", "q", "--force", "--secret", "short")).code, 0);
  const listed = (await run("list", "--json")).out;
  assert.equal(listed.includes("short"), false);
  assert.deepEqual(
    JSON.parse(listed).map((one: { readonly name: string; readonly secret: string }) => [one.name, one.secret]),
    [["ci", "****"]],
  );
  const tested = await run("test", "ci", "--event", "e1");
  assert.deepEqual([tested.code, tested.out.startsWith("202 ")], [0, true]);
  assert.equal((await run("test", "none")).code, 1);
  assert.equal((await run("remove", "ci")).code, 0);
  assert.equal((await run("remove", "ci")).code, 1);
  const asked = await runLine(["webhook", "list"], { gateway, env: { AGENT_SESSION_ID: "x" } });
  assert.match(asked.err, /the agent may not read or change webhooks/);
});

test("a delivery that fails for certain is reported, and the sender's repetition is sent", async (t) => {
  const world = await webhookWorld(t);
  await subscribe(world, "ci", ONLY);
  world.platform.fate = () => "refused";
  const failed = await world.post("ci", RED, id("d1"));
  assert.deepEqual(
    [failed.status, failed.json],
    [502, { status: "error", error: "Delivery failed", delivery_id: "d1" }],
  );
  world.platform.fate = () => "taken";
  assert.equal((await world.post("ci", RED, id("d1"))).json["status"], "delivered");
  assert.deepEqual(texts(world.platform.ledger), ["Build red"]);
});

test("a delivery of which delivery unknown is reported once, and not sent again", async (t) => {
  const world = await webhookWorld(t);
  await subscribe(world, "ci", ONLY);
  world.platform.fate = () => "cut-after";
  assert.equal((await world.post("ci", RED, id("d1"))).status, 502);
  world.platform.fate = () => "taken";
  const again = await world.post("ci", RED, id("d1"));
  assert.deepEqual([again.status, again.json], [200, { status: "unknown", delivery_id: "d1" }]);
  assert.equal(world.platform.ledger.length, 1);
});

test("with gateway.resend_unknown such a delivery is sent again", async (t) => {
  const world = await webhookWorld(t, { config: "gateway:\n  resend_unknown: true\n  retry_base_ms: 1\n" });
  await subscribe(world, "ci", ONLY);
  const fates = ["cut-before", "taken"] as const;
  let calls = 0;
  world.platform.fate = () => fates[calls++] ?? "taken";
  assert.equal((await world.post("ci", RED, id("d1"))).json["status"], "delivered");
  assert.equal(world.platform.ledger.length, 1);
});

test("a delivery without result within ten seconds fails, its row is closed, and a repetition is sent", async (t) => {
  const clock = manualClock();
  const world = await webhookWorld(t, { clock });
  await subscribe(world, "ci", ONLY);
  world.platform.fate = () => "own-5xx";
  const first = world.post("ci", RED, id("d1"));
  while (world.platform.calls.length === 0) await new Promise((resolve) => setImmediate(resolve));
  const second = await world.post("ci", RED, id("d1"));
  assert.deepEqual([second.status, second.json], [409, { status: "in_progress" }]);
  clock.advance(10_000);
  assert.equal((await first).status, 502);
  world.platform.fate = () => "taken";
  assert.equal((await world.post("ci", RED, id("d1"))).json["status"], "delivered");
  assert.deepEqual(texts(world.platform.ledger), ["Build red"]);
});

test("a platform that is not connected, and a home that is not set, fail at once and keep the id free", async (t) => {
  const world = await webhookWorld(t);
  await subscribe(world, "ci", ONLY);
  await subscribe(world, "far", { ...ONLY, deliver: "msgd" });
  assert.equal((await world.post("far", RED, id("d1"))).status, 502);
  await world.built().gateway.supervisor.pause("msgt");
  while (world.built().gateway.supervisor.connected().length > 0) await new Promise((resolve) => setImmediate(resolve));
  assert.equal((await world.post("ci", RED, id("d1"))).status, 502);
  assert.equal((await world.built().gateway.outbox.list("pending", 5)).length, 0);
});

test("after an hour the same id is another delivery", async (t) => {
  const clock = manualClock();
  const world = await webhookWorld(t, { clock });
  await subscribe(world, "ci", ONLY);
  await world.post("ci", RED, id("d1"));
  clock.advance(3_600_000);
  assert.equal((await world.post("ci", RED, id("d1"))).json["status"], "delivered");
  assert.equal(world.platform.ledger.length, 2);
});

test("more requests in a minute than the route takes are told when to come again", async (t) => {
  const clock = manualClock();
  const world = await webhookWorld(t, {
    clock,
    config: "webhooks:\n  routes:\n    ci:\n      secret: s\n      rate_limit: 3\n      prompt: p\n",
  });
  const post = () => world.post("ci", {}, { secret: "s" });
  for (let at = 0; at < 3; at++) assert.equal((await post()).status, 202);
  assert.equal((await world.post("ci", {}, { secret: "wrong" })).status, 401);
  clock.advance(20_000);
  const late = await post();
  assert.deepEqual([late.status, late.headers["retry-after"]], [429, "40"]);
  clock.advance(40_000);
  assert.equal((await post()).status, 202);
});

test("routes of config.yaml win, take WEBHOOK_SECRET, and can be switched off", async (t) => {
  const routes =
    "webhooks:\n  routes:\n    ci: {deliver: msgt, deliver_only: true, prompt: 'from config'}\n    off: {enabled: false}\n    wrong: {rate_limit: none}\n";
  const world = await webhookWorld(t, { config: routes, env: { WEBHOOK_SECRET: "shared" } });
  await subscribe(world, "ci", { ...ONLY, prompt: "from subscription" });
  assert.equal((await world.post("ci", {})).status, 401);
  assert.equal((await world.post("ci", {}, { secret: "shared" })).status, 200);
  assert.deepEqual(texts(world.platform.ledger), ["from config"]);
  assert.equal((await world.post("off", {}, { secret: "shared" })).status, 403);
  assert.match(world.built().webhooks.problems().join(), /webhooks\.routes\.wrong\.rate_limit/);
  await assert.rejects(api(world).removeWebhook("off"), { code: "E_NOT_FOUND" });
});

test("a route without a secret takes nothing; INSECURE_NO_AUTH takes everything on this machine alone", async (t) => {
  const config = "webhooks:\n  routes:\n    none: {prompt: p}\n    open: {prompt: p, secret: INSECURE_NO_AUTH}\n";
  const here = await webhookWorld(t, { config, script: [{ text: "ok" }] });
  assert.equal((await here.post("none", {})).status, 403);
  assert.equal((await here.post("open", {}, { headers: { "x-unsigned": "" } })).status, 202);
  const everywhere = await webhookWorld(t, { config, env: { WEBHOOK_HOST: "0.0.0.0" } });
  assert.equal((await everywhere.post("open", {}, { headers: { "x-unsigned": "" } })).status, 403);
});

test("a taken port is a problem that is shown, and nothing else stops", async (t) => {
  const first = await webhookWorld(t, { env: { WEBHOOK_ENABLED: "true" } });
  const port = new URL(first.url()).port;
  const second = await webhookWorld(t, {
    env: { WEBHOOK_ENABLED: "true", WEBHOOK_PORT: port },
    script: [{ text: "PONG" }],
  });
  assert.match(second.built().webhooks.problems().join(), new RegExp(`cannot bind port ${port}.*WEBHOOK_PORT`));
  await second.say("1", "ping");
  assert.deepEqual(texts(await second.shown(1)), ["PONG"]);
});
