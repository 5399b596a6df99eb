import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Reply } from "../../fixtures/servers/model/script.js";
import { startModelServer } from "../../fixtures/servers/model/server.js";
import { loginWorld } from "../../fixtures/sim/login-world.js";
import { silentLog } from "../base/log/log.js";
import { Secret } from "../base/secret.js";
import { systemClock } from "../base/time/clock.js";
import type { ModelChoice, ModelEvent } from "../contracts/models/model.js";
import { askModel } from "../models/retry.js";
import { createModels, type Models } from "../models/select.js";
import { chatProvider } from "../models/wire/chat.js";

const KEYS = ["sk-acme-one-1111", "sk-acme-two-2222"];
const LIMIT: Reply = {
  status: 429,
  headers: { "retry-after": "1800" },
  body: { error: { message: "usage limit reached" } },
};
const REFUSED: Reply = { status: 401, body: { error: { message: "bad key" } } };
const OK: Reply = { text: "ok" };

/** The models of an owner whose keys are in the login store, and nowhere else. */
async function models(t: TestContext, replies: readonly Reply[], settings: Readonly<Record<string, unknown>> = {}) {
  const server = await startModelServer({ script: { replies }, auxiliary: false });
  t.after(() => server.close());
  const acme = { base_url: server.url, context_length: 64_000, model: "m", ...settings };
  const env = { THIRD: "sk-acme-three-33" };
  const world = await loginWorld(t, {
    settings: { providers: { acme, subscription: acme }, "auth.providers": {} },
    env,
  });
  const entry = {
    id: "chat_completions",
    load: async () => ({ id: "chat_completions", summary: "", create: chatProvider }),
  };
  const clock = { ...systemClock, now: () => world.clock.now() };
  const stored = async () => world.logins.keys;
  const made = createModels({
    config: world.config,
    net: world.net,
    clock,
    log: silentLog,
    providers: [entry],
    env,
    stored,
  });
  const sent = () => server.requests.map(({ headers }) => headers["authorization"]);
  return { world, made, sent, url: server.url };
}

const ask = async (made: Models, wanted = {}): Promise<string> => askWith(await made.choose(wanted));

async function askWith(choice: ModelChoice): Promise<string> {
  const request = { requestId: "r", model: "m", messages: [{ role: "user", content: "go" }], tools: [] } as const;
  const options = { signal: new AbortController().signal, clock: systemClock, random: () => 0, attempts: 2 };
  let last: ModelEvent | undefined;
  for await (const event of askModel(choice, request, options)) last = event;
  return last?.type === "failed" ? last.failure.message : (last?.type ?? "nothing");
}

test("AU2: of two stored keys the second serves the turn that the first is too limited for, and the list shows it", async (t) => {
  const { world, made, sent } = await models(t, [LIMIT, OK]);
  for (const key of KEYS) await world.auth.addKey("acme", new Secret(key), {});
  assert.equal(await ask(made), "done");
  assert.deepEqual(
    sent(),
    KEYS.map((key) => `Bearer ${key}`),
  );
  await world.logins.stop();
  const [first, second] = (await world.auth.list("acme")).providers[0]?.entries ?? [];
  assert.deepEqual(
    [first?.status, first?.reason, first?.reset_at],
    ["exhausted", "rate_limit", world.clock.now() + 1_800_000],
  );
  assert.deepEqual([second?.status, second?.current], ["ok", true]);
});

test("AU6: with every stored key at its limit the turn says which limit, until when, and no status", async (t) => {
  const { world, made } = await models(t, [LIMIT]);
  for (const key of KEYS) await world.auth.addKey("acme", new Secret(key), {});
  const said = await ask(made);
  assert.match(
    said,
    /^All 2 credentials for acme are rate-limited; the earliest is available at \d\d:\d\d:\d\d \(in 30 min\)\.$/,
  );
  assert.ok(!said.includes("401"));
});

test("another owner does not take a key that rests, and takes it again after auth reset", async (t) => {
  const { world, made, sent, url } = await models(t, [REFUSED, OK]);
  for (const key of KEYS) await world.auth.addKey("acme", new Secret(key), {});
  assert.equal(await ask(made), "done");
  await world.logins.stop();
  const other = world.open().keys;
  assert.deepEqual(
    other.keysFor("acme", url, []).map(({ state }) => state?.cause),
    ["auth", undefined],
  );
  await world.auth.reset("acme");
  assert.equal(await ask(made), "done");
  assert.equal(sent().at(-1), `Bearer ${KEYS[0]}`);
});

test("keys of the settings come after stored ones, and one that was removed is not sent", async (t) => {
  const { world, made, sent } = await models(t, [OK], { key_env: "THIRD" });
  await world.auth.addKey("acme", new Secret(KEYS[0] ?? ""), {});
  assert.deepEqual(
    (await world.auth.list("acme")).providers[0]?.entries.map(({ source }) => source),
    ["manual", "env:THIRD"],
  );
  await world.auth.remove("acme", "1", false);
  assert.equal(await ask(made), "done");
  await world.auth.remove("acme", "THIRD", false);
  assert.equal(await ask(made), "done");
  assert.deepEqual(sent(), ["Bearer sk-acme-three-33", undefined]);
});

test("a key goes to the address of its provider and to no other", async (t) => {
  const { world, made, sent } = await models(t, [OK]);
  const elsewhere = await startModelServer({ script: { replies: [OK] }, auxiliary: false });
  t.after(() => elsewhere.close());
  await world.auth.addKey("acme", new Secret(KEYS[0] ?? ""), {});
  assert.equal(await ask(made, { provider: "acme", baseUrl: elsewhere.url }), "done");
  assert.equal(elsewhere.requests[0]?.headers["authorization"], undefined);
  await world.auth.addKey("acme", new Secret(KEYS[1] ?? ""), { addresses: { inference_url: elsewhere.url } });
  assert.equal(await ask(made), "done");
  assert.deepEqual(sent(), [`Bearer ${KEYS[0]}`]);
});

/** A conversation that a login to the portal pays for. */
async function paid(t: TestContext, replies: readonly Reply[]) {
  const { world, made, sent, url } = await models(t, replies);
  const addresses = { portal_url: world.portal.url, inference_url: url };
  await world.auth.login("subscription", {
    addresses,
    told: async () => undefined,
    signal: new AbortController().signal,
  });
  const bearers = () => sent().map((header) => header?.replace("Bearer ", "") ?? "");
  return { world, choice: await made.choose({ provider: "subscription" }), bearers };
}

test("a login pays for requests: each has the bearer of its moment, also in the middle of a conversation", async (t) => {
  const { world, choice, bearers } = await paid(t, [OK]);
  assert.equal(await askWith(choice), "done");
  world.clock.jumpWall(3_600_000 - 60_000);
  assert.equal(await askWith(choice), "done");
  assert.deepEqual(
    [new Set(bearers()).size, bearers().map((bearer) => world.portal.accepts(bearer))],
    [2, [false, true]],
  );
});

test("a login that is refused is renewed once for a request, which costs no attempt", async (t) => {
  const { world, choice, bearers } = await paid(t, [REFUSED, OK, REFUSED]);
  assert.equal(await askWith(choice), "done");
  assert.equal(new Set(bearers()).size, 2);
  world.clock.jumpWall(61_000);
  assert.match(await askWith(choice), /bad key/);
  assert.deepEqual([bearers().length, new Set(bearers()).size], [4, 3]);
});

test("a login that is over ends the turn with the command that helps, and sends nothing", async (t) => {
  const { world, choice, bearers } = await paid(t, [OK]);
  world.portal.endAll();
  world.clock.jumpWall(3_600_001);
  assert.match(await askWith(choice), /requires a new login: agent auth add subscription/);
  assert.deepEqual(bearers(), []);
});

test("the bearer of a login goes to its own address and to no other", async (t) => {
  const { world, made, sent, url } = await models(t, [OK]);
  const addresses = { portal_url: world.portal.url, inference_url: "http://127.0.0.1:9/v1" };
  await world.auth.login("subscription", {
    addresses,
    told: async () => undefined,
    signal: new AbortController().signal,
  });
  assert.equal(await ask(made, { provider: "subscription" }), "done");
  assert.deepEqual([sent(), url.includes(":9/")], [[undefined], false]);
});
