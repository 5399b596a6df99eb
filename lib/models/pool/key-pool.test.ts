import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import type { Reply } from "../../../fixtures/servers/model/script.js";
import { startModelServer } from "../../../fixtures/servers/model/server.js";
import { silentLog } from "../../base/log/log.js";
import { Secret } from "../../base/secret.js";
import type { Config, ConfigKey } from "../../contracts/config/config.js";
import type { ModelEvent, ModelFailure } from "../../contracts/models/model.js";
import { createNet } from "../../safety/net/net.js";
import { askModel } from "../retry.js";
import { createModels } from "../select.js";
import { chatProvider } from "../wire/chat.js";
import { Pool } from "./key-pool.js";

const NAMES = ["key-one-1111", "key-two-2222", "key-three-33"];
const RATE: ModelFailure = { class: "rate_limit", message: "slow down", retry: true, rotate: true };
const BILLING: ModelFailure = { class: "billing", message: "out of credit", retry: false, rotate: true };
const AUTH: ModelFailure = { class: "auth", message: "invalid key", retry: false, rotate: true };

const configOf = (settings: Readonly<Record<string, unknown>> = {}): Config => ({
  get: <T>(key: ConfigKey<T>) => (settings[key.key] ?? key.default) as T, // the rows below write what the keys want
  source: () => "default",
  raw: () => undefined,
  hasVariable: () => false,
  onChange: () => () => undefined,
});

function poolOf(settings: Readonly<Record<string, unknown>> = {}, keys = NAMES) {
  const clock = manualClock("2026-03-01T12:00:00Z");
  const pool = new Pool({ config: configOf(settings), clock, random: () => 0.5 }, "acme");
  return { clock, pool: pool.take(keys.map((key) => ({ secret: new Secret(key) }))) };
}

const none = new Set<string>();
const nameOf = (pool: Pool, tried: ReadonlySet<string> = none): string | undefined => {
  const lease = pool.lease(tried);
  if (lease) pool.release(lease);
  return lease?.secret.reveal();
};

function spend(pool: Pool, failure: ModelFailure): "rotate" | "same" | "keep" | "nothing" {
  const lease = pool.lease(none);
  if (!lease) return "nothing";
  pool.release(lease);
  return pool.failed(lease, failure);
}

const STRATEGIES: readonly (readonly [strategy: string, taken: readonly number[]])[] = [
  ["fill_first", [0, 0, 0, 0]],
  ["round_robin", [0, 1, 2, 0]],
  ["least_used", [0, 1, 2, 0]],
  ["random", [1, 1, 1, 1]],
];

for (const [strategy, taken] of STRATEGIES) {
  test(`keys are taken as ${strategy} says`, () => {
    const { pool } = poolOf({ credential_pool_strategies: { acme: strategy } });
    const seen = taken.map(() => {
      const lease = pool.lease(none);
      assert.ok(lease);
      pool.used(lease);
      pool.release(lease);
      return NAMES.indexOf(lease.secret.reveal());
    });
    assert.deepEqual(seen, taken);
  });
}

test("a key that is in use is shared only when all are", () => {
  const { pool } = poolOf();
  const leases = [1, 2, 3, 4].map(() => pool.lease(none)?.secret.reveal());
  assert.deepEqual(leases, [NAMES[0], NAMES[1], NAMES[2], NAMES[0]]);
});

test("the first rate limit waits with the same key, the second goes on with the next one", () => {
  const { pool } = poolOf();
  assert.equal(spend(pool, RATE), "same");
  assert.equal(nameOf(pool), NAMES[0]);
  assert.equal(spend(pool, RATE), "rotate");
  assert.equal(nameOf(pool), NAMES[1]);
});

const AT_ONCE: readonly (readonly [name: string, failure: ModelFailure])[] = [
  ["out of credit", BILLING],
  ["a refused key", AUTH],
  ["a usage limit that is reached", { ...RATE, message: "Usage limit reached" }],
];

for (const [name, failure] of AT_ONCE) {
  test(`the key is changed at once: ${name}`, () => {
    const { pool } = poolOf();
    assert.equal(spend(pool, failure), "rotate");
    assert.equal(nameOf(pool), NAMES[1]);
  });
}

const KEPT: readonly ModelFailure[] = [
  { class: "auth", message: "no access to this model", retry: false }, // 403: the account, not the key
  { class: "server_error", message: "boom", retry: true },
  { class: "timeout", message: "reset", retry: true, transport: true },
];

for (const failure of KEPT) {
  test(`the key is not changed: ${failure.message}`, () => {
    const { pool } = poolOf();
    assert.equal(spend(pool, failure), "keep");
    assert.equal(nameOf(pool), NAMES[0]);
  });
}

const RESTS: readonly (readonly [name: string, failure: ModelFailure, keys: number, seconds: number])[] = [
  ["a refused key rests 5 minutes", AUTH, 3, 300],
  ["a key without credit rests an hour", BILLING, 3, 3_600],
  ["the last key without credit rests 5 minutes", BILLING, 1, 300],
  ["a limited key rests an hour", { ...RATE, message: "usage limit" }, 3, 3_600],
  ["the last limited key rests a minute", { ...RATE, message: "usage limit" }, 1, 60],
  ["a limited key rests as long as the provider says", { ...RATE, message: "usage limit", resetMs: 90_000 }, 3, 90],
];

for (const [name, failure, keys, seconds] of RESTS) {
  test(name, () => {
    const { pool, clock } = poolOf({}, NAMES.slice(0, keys));
    spend(pool, failure);
    clock.advance(seconds * 1_000 - 1);
    assert.notEqual(nameOf(pool), NAMES[0]);
    clock.advance(1);
    assert.equal(nameOf(pool), NAMES[0]);
  });
}

test("a revoked key is never taken again, and a new one in its place is", () => {
  const { pool, clock } = poolOf({}, NAMES.slice(0, 2));
  spend(pool, { ...AUTH, message: "error token_revoked" });
  clock.advance(30 * 86_400_000);
  assert.equal(nameOf(pool), NAMES[1]);
  pool.take(["key-new-4444", NAMES[1] ?? ""].map((key) => ({ secret: new Secret(key) })));
  assert.equal(nameOf(pool), "key-new-4444");
});

test("when no key is left the error says when the first is free, and shows none of them", () => {
  const { pool } = poolOf({}, NAMES.slice(0, 2));
  spend(pool, { ...RATE, message: "usage limit", resetMs: 600_000 });
  spend(pool, { ...RATE, message: "usage limit", resetMs: 300_000 });
  const problem = pool.problem();
  assert.match(
    problem.message,
    /^All 2 credentials for acme are rate-limited; the earliest is available at \d\d:\d\d:\d\d \(in 5 min\)\.$/,
  );
  assert.deepEqual([problem.class, problem.fallback, problem.retry], ["credentials_exhausted", true, false]);
  assert.ok(!JSON.stringify([problem, pool]).includes("key-"));
});

test("refused keys ask for new ones", () => {
  const { pool } = poolOf({}, NAMES.slice(0, 2));
  spend(pool, AUTH);
  spend(pool, AUTH);
  assert.match(pool.problem().message, /^All 2 credentials for acme were rejected/);
});

interface Row {
  readonly name: string;
  readonly replies: readonly Reply[];
  /** Keys of the requests, as places in the list. */
  readonly keys: readonly number[];
  readonly waits: readonly number[];
  readonly end: string;
}

const OK: Reply = { text: "ok" };
const LIMIT: Reply = { status: 429, headers: { "retry-after": "7" } };
const REFUSED: Reply = { status: 401, body: { error: { message: "bad key" } } };

const ROWS: readonly Row[] = [
  { name: "a refused key", replies: [REFUSED, OK], keys: [0, 1], waits: [], end: "done" },
  { name: "an empty account", replies: [{ status: 402 }, OK], keys: [0, 1], waits: [], end: "done" },
  { name: "one rate limit", replies: [LIMIT, OK], keys: [0, 0], waits: [7_000], end: "done" },
  { name: "two rate limits", replies: [LIMIT, LIMIT, OK], keys: [0, 0, 1], waits: [7_000], end: "done" },
  { name: "a missing right", replies: [{ status: 403 }], keys: [0], waits: [], end: "auth" },
  { name: "a server error", replies: [{ status: 500 }, OK], keys: [0, 0], waits: [2_000], end: "done" },
  { name: "every key refused", replies: [REFUSED], keys: [0, 1, 2], waits: [], end: "credentials_exhausted" },
  {
    name: "rotation costs no attempt",
    replies: [REFUSED, REFUSED, { status: 500 }, OK],
    keys: [0, 1, 2, 2],
    waits: [2_000],
    end: "done",
  },
];

for (const row of ROWS) {
  test(`each request has one key: ${row.name}`, async (t) => {
    const { keys, waits, last } = await asked(t, row.replies);
    assert.deepEqual(keys, row.keys);
    assert.deepEqual(waits, row.waits);
    assert.equal(last?.type === "failed" ? last.failure.class : last?.type, row.end);
  });
}

async function asked(t: TestContext, replies: readonly Reply[]) {
  const server = await startModelServer({ script: { replies }, auxiliary: false });
  t.after(() => server.close());
  const waits: number[] = [];
  const clock = { ...manualClock("2026-03-01T12:00:00Z"), sleep: async (ms: number) => void waits.push(ms) };
  const net = createNet({ clock, allowPrivate: () => true });
  t.after(() => net.close());
  const config = configOf({
    providers: {
      acme: { base_url: server.url, api_keys: NAMES.slice(0, 2), key_env: ["THIRD"], context_length: 64_000 },
    },
    "model.provider": "acme",
    "model.default": "m",
  });
  const entry = {
    id: "chat_completions",
    load: async () => ({ id: "chat_completions", summary: "", create: chatProvider }),
  };
  const choice = await createModels({
    config,
    net,
    clock,
    log: silentLog,
    providers: [entry],
    env: { THIRD: NAMES[2] },
  }).choose();
  const request = { requestId: "r", model: "m", messages: [{ role: "user", content: "go" }], tools: [] } as const;
  const events: ModelEvent[] = [];
  const options = { signal: new AbortController().signal, clock, random: () => 0, attempts: 2 };
  for await (const event of askModel(choice, request, options)) events.push(event);
  const keys = server.requests.map(({ headers }) =>
    NAMES.indexOf((headers["authorization"] ?? "").replace("Bearer ", "")),
  );
  return { keys, waits, last: events.at(-1) };
}
