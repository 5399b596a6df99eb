import assert from "node:assert/strict";
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { loginWorld } from "../../fixtures/sim/login-world.js";
import { type Log, silentLog } from "../base/log/log.js";
import { systemSpawner } from "../base/process/spawn-system.js";
import { Secret } from "../base/secret.js";

const modeOf = (path: string) => statSync(path).mode & 0o777;
const key = (n: number) => new Secret(`sk-router-${n}-12345678`);
const never = new AbortController().signal;

test("looking at logins makes no file", async (t) => {
  const world = await loginWorld(t);
  assert.deepEqual((await world.auth.list()).providers, []);
  assert.deepEqual(readdirSync(world.root), []);
});

test("the file is for its owner alone, and a looser mode is taken back with one warning", async (t) => {
  const world = await loginWorld(t);
  await world.auth.addKey("router", key(1), {});
  assert.deepEqual([modeOf(world.path), modeOf(world.root)], [0o600, 0o700]);
  chmodSync(world.path, 0o644);
  chmodSync(world.root, 0o755);
  const told: string[] = [];
  const log: Log = { ...silentLog, warning: (message) => void told.push(message), child: () => log };
  const other = world.open({ log });
  assert.equal(other.source("router").isAuthenticated(), true);
  other.store.view();
  assert.deepEqual([modeOf(world.path), modeOf(world.root)], [0o600, 0o700]);
  assert.equal(told.filter((line) => line.includes("readable by others")).length, 2);
});

test("who only looks changes no mode", async (t) => {
  const world = await loginWorld(t);
  await world.auth.addKey("router", key(1), {});
  chmodSync(world.path, 0o640);
  assert.equal(world.open({ readonly: true }).source("router").isAuthenticated(), true);
  assert.equal(modeOf(world.path), 0o640);
});

const CORRUPT = [
  "",
  "{",
  '{"version":1,',
  "[]",
  '{"version":"1"}',
  '{"version":1,"credential_pool":[]}',
  "\u0000\u0000",
];

for (const text of CORRUPT) {
  test(`what cannot be read is kept beside it before it is replaced: ${JSON.stringify(text)}`, async (t) => {
    const world = await loginWorld(t);
    world.write(text === "" ? " " : text);
    const { problems, providers } = await world.auth.list();
    assert.deepEqual(providers, []);
    assert.match(problems[0] ?? "", /treating it as empty; a copy is .*auth\.json\.corrupt\.20260301T120000000Z/);
    await world.auth.addKey("router", key(1), {});
    const copies = readdirSync(world.root).filter((name) => name.includes(".corrupt."));
    assert.equal(copies.length, 1);
    assert.equal(readFileSync(join(world.root, copies[0] ?? ""), "utf8"), text === "" ? " " : text);
    assert.equal(modeOf(join(world.root, copies[0] ?? "")), 0o600);
    assert.equal(world.file().credential_pool["router"]?.length, 1);
    assert.deepEqual((await world.auth.list()).problems, []);
  });
}

test("members that this version does not know stay as they are", async (t) => {
  const world = await loginWorld(t);
  const strange = { id: 7, what: "an entry of another form" };
  const entry = {
    id: "0a0b0c0d",
    auth_type: "api_key",
    label: "old",
    access_token: "sk-old-12345678",
    resource_url: "x",
    more: { a: [1] },
  };
  world.write({
    version: 1,
    future: { deep: [1, 2] },
    providers: { router: { colour: "blue" } },
    credential_pool: { router: [entry, strange], other: [strange] },
  });
  const source = world.logins.source("router");
  const used = await source.get(never);
  await source.retry(used, 429, {}, never);
  await world.auth.addKey("router", key(1), {});
  const file = world.file();
  assert.deepEqual(file["future"], { deep: [1, 2] });
  assert.deepEqual(file.providers["router"], { colour: "blue" });
  const [first, second] = file.credential_pool["router"] ?? [];
  assert.deepEqual([first?.["resource_url"], first?.["more"], first?.["last_status"]], ["x", { a: [1] }, "exhausted"]);
  assert.deepEqual(second, strange);
  assert.deepEqual(file.credential_pool["other"], [strange]);
});

test("keys that two owners add at the same time are all there", async (t) => {
  const world = await loginWorld(t);
  const both = [world.logins, world.open()];
  const add = (n: number) =>
    both[n % 2]?.store.update((document) => document.add("router", { id: `0000000${n}`, auth_type: "api_key" }));
  await Promise.all(Array.from({ length: 10 }, (_, n) => add(n)));
  assert.equal(world.file().credential_pool["router"]?.length, 10);
  assert.ok(!existsSync(join(world.root, "auth.lock")));
});

test("the lock of an owner that was killed holds no one up, and what it was writing is removed", async (t) => {
  const world = await loginWorld(t);
  await world.auth.addKey("router", key(1), {});
  const gone = { pid: 999_999_999, start_ticks: "1", boot_id: systemSpawner.boot, nonce: "aa" };
  writeFileSync(join(world.root, "auth.lock"), JSON.stringify(gone));
  writeFileSync(join(world.root, "auth.json.999999999.new"), "half of a secret");
  await world.auth.addKey("router", key(2), {});
  assert.deepEqual(readdirSync(world.root).sort(), ["auth.json"]);
});

test("a borrowed key is stored without its secret, and another one in its place begins again", async (t) => {
  const env: Record<string, string> = { ROUTER_API_KEY: "sk-env-first-12345678" };
  const world = await loginWorld(t, { env });
  const source = world.logins.source("router");
  const used = await source.get(never);
  assert.equal(used.bearer, "sk-env-first-12345678");
  await source.retry(used, 429, { "retry-after": "600" }, never);
  const text = readFileSync(world.path, "utf8");
  assert.ok(!text.includes("sk-env"));
  assert.match(text, /"secret_fingerprint": "sha256:[0-9a-f]{16}"/);
  assert.equal((await world.auth.list("router")).providers[0]?.entries[0]?.status, "exhausted");
  env["ROUTER_API_KEY"] = "sk-env-second-12345678";
  assert.equal((await source.get(never)).bearer, "sk-env-second-12345678");
});

test("what one profile keeps for itself stays its own when another one adds the same", async (t) => {
  const world = await loginWorld(t, { profile: "work" });
  world.write({
    version: 1,
    providers: {},
    credential_pool: {
      router: [
        {
          id: "0000aaaa",
          scope: "profile:home",
          label: "k",
          auth_type: "api_key",
          priority: 0,
          access_token: key(1).reveal(),
        },
      ],
      subscription: [
        { id: "0000bbbb", scope: "profile:home", label: "l", auth_type: "oauth", priority: 0, last_status: "dead" },
      ],
    },
  });
  await world.auth.addKey("router", key(1), { thisProfile: true });
  await world.login();
  const pool = world.file().credential_pool;
  const scopes = (provider: string) =>
    pool[provider]?.map(({ id, scope }) => [id === "0000aaaa" || id === "0000bbbb", scope]);
  assert.deepEqual(scopes("router"), [
    [true, "profile:home"],
    [false, "profile:work"],
  ]);
  assert.deepEqual(scopes("subscription"), [
    [true, "profile:home"],
    [false, "shared"],
  ]);
});

test("a profile sees its own credentials first, and those of no other profile", async (t) => {
  const world = await loginWorld(t, { profile: "work" });
  await world.auth.addKey("router", key(1), {});
  await world.auth.addKey("router", key(2), { thisProfile: true });
  const bearer = async (profile: string) => (await world.open({ profile }).source("router").get(never)).bearer;
  assert.equal(await bearer("work"), key(2).reveal());
  assert.equal(await bearer("default"), key(1).reveal());
});
