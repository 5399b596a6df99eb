import assert from "node:assert/strict";
import { test } from "node:test";
import { loginWorld } from "../../fixtures/sim/login-world.js";

const never = new AbortController().signal;
const KEYS = ["one", "two", "three"];

/** Three keys, the second of which is preferred. */
const pool = () =>
  KEYS.map((label, at) => ({
    id: `0000000${at}`,
    label,
    auth_type: "api_key",
    access_token: `sk-${label}`,
    priority: at === 1 ? 0 : 1,
    source: "manual",
    obtained_at: `2026-01-0${3 - at}T00:00:00Z`,
  }));

const STRATEGIES: readonly (readonly [strategy: string, taken: readonly string[]])[] = [
  ["fill_first", ["two", "two", "two", "two"]],
  ["unknown", ["two", "two", "two", "two"]],
  ["round_robin", ["one", "two", "three", "one"]],
  ["least_used", ["two", "three", "one", "two"]],
  ["random", ["three", "three", "three", "three"]],
];

for (const [strategy, taken] of STRATEGIES) {
  test(`stored keys are taken as ${strategy} says`, async (t) => {
    const { logins, write } = await loginWorld(t, { settings: { credential_pool_strategies: { router: strategy } } });
    write({ version: 1, credential_pool: { router: pool() } });
    const found: string[] = [];
    for (const _ of taken) found.push((await logins.source("router").get(never)).bearer.replace("sk-", ""));
    assert.deepEqual(found, taken);
  });
}

test("whose turn it is and how often each was taken outlive the owner, and are written now and then", async (t) => {
  const world = await loginWorld(t, { settings: { credential_pool_strategies: { router: "round_robin" } } });
  world.write({ version: 1, credential_pool: { router: pool() } });
  const get = async (logins = world.logins) => (await logins.source("router").get(never)).bearer;
  assert.equal(await get(), "sk-one");
  assert.equal(await get(), "sk-two");
  assert.equal(world.file().credential_pool["router"]?.[0]?.["request_count"], undefined, "no request waits for that");
  await world.logins.stop();
  const stored = world.file().credential_pool["router"] ?? [];
  assert.deepEqual(
    stored.map((entry) => [entry["label"], entry["request_count"]]),
    [
      ["three", undefined],
      ["one", 1],
      ["two", 1],
    ],
  );
  assert.equal(await get(world.open()), "sk-three");
});

test("of credentials that rest and that are over, neither is taken", async (t) => {
  const { logins, write, clock } = await loginWorld(t);
  const reset = new Date(clock.now() + 60_000).toISOString();
  const [one, two, three] = pool();
  write({
    version: 1,
    credential_pool: {
      router: [
        { ...one, last_status: "dead" },
        { ...two, last_status: "exhausted", last_error_reset_at: reset },
        three,
      ],
    },
  });
  assert.equal((await logins.source("router").get(never)).bearer, "sk-three");
  clock.jumpWall(60_000);
  assert.equal((await logins.source("router").get(never)).bearer, "sk-two");
});

test("a success clears what an earlier limit left", async (t) => {
  const world = await loginWorld(t);
  const [one] = pool();
  const past = new Date(world.clock.now() - 1).toISOString();
  const mark = {
    last_status: "exhausted",
    last_error_code: "429",
    last_error_reason: "rate_limit",
    last_error_reset_at: past,
  };
  world.write({ version: 1, credential_pool: { router: [{ ...one, ...mark }] } });
  const source = world.logins.source("router");
  source.succeeded?.(await source.get(never));
  await world.logins.stop();
  const [entry] = world.file().credential_pool["router"] ?? [];
  assert.deepEqual(
    [entry?.["last_status"], entry?.["last_error_code"], entry?.["last_error_reset_at"]],
    ["ok", undefined, undefined],
  );
});
