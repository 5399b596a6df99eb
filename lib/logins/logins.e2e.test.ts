import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type TestContext, test } from "node:test";
import { type Running, start } from "../../fixtures/e2e/process.js";
import { noTmux, openTerminal } from "../../fixtures/e2e/tmux.js";
import { type World, world } from "../../fixtures/e2e/world.js";
import { seeded } from "../../fixtures/ports/random.js";
import { proves } from "../../fixtures/requirements.js";
import { startPortal } from "../../fixtures/servers/portal/server.js";
import { startUpstream, valuesOf } from "../../fixtures/servers/upstream/server.js";

const PROBE = resolve("dist/test/programs/login-probe.cjs");

interface File {
  readonly credential_pool: Readonly<Record<string, Record<string, unknown>[]>>;
}

/** The store, which must be whole and private whenever it is looked at. */
function stored({ home }: World): File | undefined {
  const path = join(home.dir, "auth.json");
  if (!existsSync(path)) return undefined;
  assert.deepEqual([statSync(path).mode & 0o777, statSync(home.dir).mode & 0o777], [0o600, 0o700]);
  return JSON.parse(readFileSync(path, "utf8"));
}

const probe = (made: World, act: "use" | "write", profile: string): Running =>
  start(process.execPath, [PROBE, act, made.home.dir, profile], { env: made.env, cwd: made.work });

async function loggedIn(t: TestContext, inference?: string) {
  const portal = await startPortal({ interval: 0.01, email: "me@example.com" });
  t.after(() => portal.close());
  const made = await world(t);
  const where = ["--portal-url", portal.url, "--inference-url", inference ?? `${portal.url}/v1`];
  const { code, err } = await made.run(["auth", "add", "subscription", ...where]);
  assert.equal(code, 0, err);
  return { portal, made };
}

test("AU1: SIGKILL while keys are stored always leaves a whole, private file, and the next one goes on", async (t) => {
  const made = await world(t, { faults: true });
  const random = seeded(7);
  let confirmed = 0;
  for (let round = 0; round < 4; round++) {
    const writers = ["a", "b"].map((name) => probe(made, "write", name));
    await Promise.all(writers.map((writer) => writer.next(2)));
    await writers[0]?.next(1 + random.below(6));
    const ended = await Promise.all(writers.map((writer) => writer.end("SIGKILL")));
    const ids = new Set(stored(made)?.credential_pool["router"]?.map((entry) => entry["id"]));
    const told = ended.flatMap(({ out }) => out.split("\n").slice(0, -1));
    assert.ok(told.length >= 4 && told.every((id) => ids.has(id)), "what was confirmed is there");
    confirmed += told.length;
  }
  for (const point of ["logins.locked", "file.drafted/auth.json", "logins.written"]) {
    const adding = await made.run(["auth", "add", "router", "--api-key", `sk-${point}`, "--label", point], {
      env: { AGENT_FAULT: `${point}:1` },
    });
    assert.equal(adding.code, 128, point); // by a signal
    const labels = stored(made)?.credential_pool["router"]?.map((entry) => entry["label"]);
    assert.equal(labels?.includes(point), point === "logins.written");
  }
  const last = await made.run(["auth", "add", "router", "--api-key", "sk-last", "--label", "last"]);
  assert.equal(last.code, 0, last.err);
  const entries = stored(made)?.credential_pool["router"] ?? [];
  assert.ok(entries.length > confirmed && entries.at(-1)?.["label"] === "last");
});

test("two profiles with one login that has ended make exactly one renewal, and both get it", async (t) => {
  const { portal, made } = await loggedIn(t);
  const path = join(made.home.dir, "auth.json");
  const file = stored(made);
  for (const entry of file?.credential_pool["subscription"] ?? []) entry["expires_at"] = "2020-01-01T00:00:00.000Z";
  writeFileSync(path, JSON.stringify(file), { mode: 0o600 });
  const gate = portal.hold();
  const came = portal.arrived(portal.requests.length + 1);
  const users = ["default", "work", "home"].map((profile) => probe(made, "use", profile));
  await came;
  gate.go();
  const ended = await Promise.all(users.map(({ ended }) => ended));
  assert.deepEqual(
    ended.map(({ code, err }) => [code, err]),
    ended.map(() => [0, ""]),
  );
  const bearers = new Set(ended.map(({ out }) => out.trim()));
  assert.equal(bearers.size, 1);
  assert.ok([...bearers].every((bearer) => portal.accepts(bearer)));
  assert.equal(portal.tokens("refresh_token").length, 1);
});

test("a login shows in the list, in status and in doctor, and its tokens nowhere", async (t) => {
  proves(t, "auth.logged-in-shown");
  const { made } = await loggedIn(t);
  const shown = await Promise.all([["auth"], ["status"], ["doctor"]].map((argv) => made.run(argv)));
  for (const { out } of shown) assert.match(out, /subscription.*\n?.*me@example\.com/);
  const [entry] = stored(made)?.credential_pool["subscription"] ?? [];
  for (const token of [entry?.["access_token"], entry?.["refresh_token"]])
    assert.ok(typeof token === "string" && shown.every(({ out, err }) => !`${out}${err}`.includes(token)));
});

test("PX4: a bearer that the upstream refuses is renewed at the portal, and the client sees one good answer", async (t) => {
  const upstream = await startUpstream();
  t.after(() => upstream.close());
  const { portal, made } = await loggedIn(t, upstream.url);
  const proxy = made.start(["proxy", "start", "--port", "0"]);
  const url = /url=(\S+)/.exec(await proxy.line((line) => line.startsWith("PROXY_READY")))?.[1] ?? "";
  upstream.next({ do: "answer", status: 401, body: "{}" });
  const headers = { authorization: "Bearer junk" };
  assert.equal((await fetch(`${url}/models`, { headers })).status, 200);
  const bearers = upstream.seen.map((seen) => valuesOf(seen, "authorization")[0]?.replace("Bearer ", "") ?? "");
  assert.deepEqual(
    [bearers.length, new Set(bearers).size, bearers.map((bearer) => portal.accepts(bearer))],
    [2, 2, [false, true]],
  );
  assert.equal(stored(made)?.credential_pool["subscription"]?.[0]?.["access_token"], bearers[1]);
  portal.endAll();
  upstream.always({ do: "answer", status: 401, body: "{}" });
  assert.equal((await fetch(`${url}/models`, { headers })).status, 401);
  const over = await fetch(`${url}/models`, { headers });
  const { error } = (await over.json()) as { error: { code: string; message: string } }; // the proxy's own form
  assert.deepEqual([over.status, error.code], [401, "upstream_auth_failed"]);
  assert.match(error.message, /agent auth add subscription/);
  assert.equal(upstream.seen.length, 3, "a login that is over is not sent");
  await proxy.end("SIGINT");
});

test("at a terminal the key is asked for and never shown, with an owner and without", {
  skip: noTmux() ?? false,
}, async (t) => {
  const made = await world(t);
  const terminal = await openTerminal(t, { ...made.env, HOME: made.home.dir }, made.work);
  const add = async (key: string, place: number) => {
    await terminal.type(`${process.execPath} ${made.program} auth add router\n`);
    await terminal.until((screen) => screen.split("Key for router (hidden):").length === place + 1);
    await terminal.type(key);
    await terminal.press("Enter");
    const screen = await terminal.until((text) => text.includes(`#${place} api_key-${place} api_key manual ok`));
    assert.ok(!screen.includes("sk-typed"));
  };
  await add("sk-typed-one", 1);
  await made.owner();
  await add("sk-typed-two", 2);
  await terminal.type(`${process.execPath} ${made.program} auth add router; echo ended $?\n`);
  await terminal.until((screen) => screen.split("Key for router (hidden):").length === 4);
  await terminal.press("C-c");
  await terminal.until((screen) => screen.includes("ended 130"));
  const keys = stored(made)?.credential_pool["router"]?.map((entry) => entry["access_token"]);
  assert.deepEqual(keys, ["sk-typed-one", "sk-typed-two"]);
});
