import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { quietPort } from "../../../fixtures/e2e/port.js";
import type { Running } from "../../../fixtures/e2e/process.js";
import { type World, world } from "../../../fixtures/e2e/world.js";
import { proves } from "../../../fixtures/requirements.js";
import { startPortal } from "../../../fixtures/servers/portal/server.js";
import { startUpstream, type Upstream, valuesOf } from "../../../fixtures/servers/upstream/server.js";
import { storeLogin } from "../../../fixtures/worlds/login-file.js";
import type { ProxyStatus } from "../../contracts/owner/proxy.js";

const MIB = 1 << 20;
const SECRET = "stored-bearer-of-the-login";

test("PX9: without a login the start ends with 2 and names a command that exists", async (t) => {
  const { run } = await world(t);
  const { code, out, err } = await run(["proxy", "start", "--port", "0"]);
  assert.deepEqual([code, out], [2, ""]);
  const named = /agent (auth add subscription)/.exec(err)?.[1] ?? "";
  assert.notEqual(named, "", err);
  assert.equal((await run([...named.split(" "), "--help"])).code, 0);
  assert.equal((await run(["proxy", "start", "--provider", "nobody"])).code, 2);
});

test("a proxy without an owner becomes one for its length, serves, is seen, and ends with 0 at Ctrl+C", async (t) => {
  proves(t, "proxy.start", "proxy.status");
  const { home, start, json, run } = await loggedIn(t);
  const proxy = start(["proxy", "start", "--port", "0"]);
  const url = await ready(proxy);
  assert.match(await proxy.line((line) => line.includes("Ctrl+C")), /^agent: /);
  const answered = await fetch(`${url}/models`, { headers: { authorization: "Bearer junk" } });
  await answered.text(); // until then it is active
  assert.equal(answered.status, 200);
  const status = await json<ProxyStatus>("proxy", "status");
  assert.deepEqual(
    status.listeners.map(({ url: at, provider, active, total, errors }) => [at, provider, active, total, errors]),
    [[url, "subscription", 0, 1, 0]],
  );
  assert.deepEqual(
    status.adapters.map(({ name, authenticated, error }) => [name, authenticated, error]),
    [["subscription", true, null]],
  );
  assert.match((await run(["status"])).out, new RegExp(`^listener proxy: ${url}$`, "m"));
  // Nothing else works in it, and who comes is served.
  assert.equal((await json<{ dispatching: boolean }>("owner", "status")).dispatching, false);
  const created = await run(["kanban", "create", "a task", "--assignee", "default"]);
  assert.match(created.out, /^Created t_/);
  assert.match(created.err, /nothing will start it: the owner only serves a listener/);
  const port = url.split(":")[2]?.split("/")[0] ?? "";
  const again = await run(["proxy", "start", "--port", port]);
  assert.deepEqual([again.code, again.out], [0, `PROXY_READY url=${url}\n`]);
  const { code, out } = await proxy.end("SIGINT");
  assert.deepEqual([code, out], [0, `PROXY_READY url=${url}\n`]);
  await assert.rejects(fetch(`${url}/models`));
  assert.equal(
    (await run(["proxy", "status"])).out,
    `subscription  ready, token valid until ${localTime(LOGIN_ENDS)}\nno listener is open; agent proxy start opens one\n`,
  );
  assert.ok(!logsOf(home.logs).includes(SECRET) && logsOf(home.logs).includes("path=/v1/models"));
});

test("in an owner that runs the listener closes with the command, by its stop, or with the owner", async (t) => {
  const { start, run, owner, upstream } = await loggedIn(t, "proxy:\n  allowed_origins: [https://panel.example]\n");
  const running = await owner();
  const first = start(["proxy", "start", "--port", "0"]);
  const second = start(["proxy", "start", "--port", "0"]);
  const [one, two] = await Promise.all([ready(first), ready(second)]);
  assert.notEqual(one, two);
  assert.equal((await first.end("SIGTERM")).code, 0);
  await assert.rejects(fetch(`${one}/models`));
  assert.equal((await fetch(`${two}/models`, { headers: { origin: "https://panel.example" } })).status, 200);
  const taken = new URL(two).port;
  const elsewhere = await run(["proxy", "start", "--port", taken, "--host", "0.0.0.0"]);
  assert.equal(elsewhere.code, 1);
  assert.match(elsewhere.err, /is used by the proxy of subscription at http/);
  assert.equal((await run(["proxy", "start", "--port", String(upstream.port)])).code, 1);
  assert.equal((await run(["proxy", "stop", "--port", "1"])).code, 1);
  assert.equal((await run(["proxy", "stop"])).code, 0);
  assert.equal((await second.ended).code, 0);
  const third = start(["proxy", "start", "--port", "0"]);
  await ready(third);
  await run(["owner", "stop"]);
  assert.equal((await third.ended).code, 1);
  assert.equal((await running.ended).code, 0);
});

test("a caller that is killed takes its listener along", async (t) => {
  const { start, owner } = await loggedIn(t);
  await owner();
  const proxy = start(["proxy", "start", "--port", "0"]);
  const url = await ready(proxy);
  await proxy.end("SIGKILL");
  for (let open = true; open; )
    open = await fetch(`${url}/models`).then(
      ({ ok }) => ok,
      () => false,
    );
});

test("PX4, PX5: a login made with agent auth add is renewed once after a 401; one that was revoked says how to log in again", async (t) => {
  const portal = await startPortal({ interval: 0.01 });
  const upstream = await startUpstream();
  t.after(() => Promise.all([portal.close(), upstream.close()]));
  const { start, run } = await world(t);
  const added = await run(["auth", "add", "subscription", "--portal-url", portal.url, "--inference-url", upstream.url]);
  assert.equal(added.code, 0, added.err);
  const proxy = start(["proxy", "start", "--port", "0"]);
  const url = await ready(proxy);
  const bearers = () => upstream.seen.map((seen) => valuesOf(seen, "authorization")[0]?.split(" ")[1] ?? "");
  upstream.next({ do: "answer", status: 401 });
  assert.equal((await fetch(`${url}/models`)).status, 200);
  assert.equal(new Set(bearers()).size, 2);
  assert.deepEqual([portal.accepts(bearers()[1] ?? ""), portal.tokens("refresh_token").length], [true, 1]);
  assert.equal((await run(["proxy", "status", "--check"])).code, 0);
  portal.endAll();
  upstream.always({ do: "answer", status: 401, body: "theirs" });
  const before = upstream.seen.length;
  const refused = await fetch(`${url}/models`);
  assert.deepEqual([refused.status, await refused.text(), upstream.seen.length - before], [401, "theirs", 1]);
  const over = await fetch(`${url}/models`);
  assert.deepEqual([over.status, upstream.seen.length - before], [401, 1]);
  assert.match(await over.text(), /agent auth add subscription.*upstream_auth_failed/);
  const status = await run(["proxy", "status", "--check"]);
  assert.equal(status.code, 1, status.out);
  assert.match(status.out, /^subscription {2}needs attention: /);
  await proxy.end();
});

test("PX11: outside loopback a printed token is asked for, and is in no log", async (t) => {
  const { home, start } = await loggedIn(t);
  const proxy = start(["proxy", "start", "--port", "0", "--host", "0.0.0.0"]);
  const url = (await ready(proxy)).replace("0.0.0.0", "127.0.0.1");
  const token = /Bearer (\S+)/.exec(await proxy.line((line) => line.includes("Bearer")))?.[1] ?? "";
  assert.equal(token.length, 43);
  await proxy.line((line) => line.includes("not encrypted"));
  assert.equal((await fetch(`${url}/models`)).status, 401);
  const authorization = `Bearer ${token}`;
  assert.equal((await fetch(`${url}/models`, { headers: { authorization } })).status, 200);
  const own = Object.values(networkInterfaces())
    .flat()
    .find((one) => one?.family === "IPv4" && !one.internal)?.address;
  if (own !== undefined)
    assert.equal((await fetch(`${url.replace("127.0.0.1", own)}/models`, { headers: { authorization } })).status, 200);
  assert.equal((await proxy.end()).code, 0);
  assert.ok(!logsOf(home.logs).includes(token));
});

test("with proxy.autostart the listener is there with the owner; what keeps it from opening is told and stops nothing", async (t) => {
  const port = await quietPort();
  const { owner, json, home, upstream } = await loggedIn(t, `proxy:\n  autostart: true\n  port: ${port}\n`);
  const first = await owner();
  await reachable(port);
  assert.equal((await fetch(`http://127.0.0.1:${port}/v1/models`)).status, 200);
  await first.end();
  writeFileSync(home.config, readFileSync(home.config, "utf8").replace(`port: ${port}`, `port: ${upstream.port}`));
  const second = await owner();
  let status = await json<ProxyStatus>("proxy", "status");
  while (status.autostart_error === undefined) status = await json<ProxyStatus>("proxy", "status");
  assert.match(
    status.autostart_error,
    new RegExp(`cannot listen on 127.0.0.1:${upstream.port}: used by process ${process.pid} `),
  );
  await second.end();
});

test("64 MiB stream through in both directions while the memory of the proxy stays flat", async (t) => {
  const { start, upstream } = await loggedIn(t);
  const proxy = start(["proxy", "start", "--port", "0"]);
  const url = await ready(proxy);
  const post = (bytes: number) =>
    fetch(`${url}/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: new Uint8Array(bytes),
    });
  const get = async (bytes: number) => {
    upstream.next({ do: "flood", bytes });
    let got = 0;
    for await (const piece of (await fetch(`${url}/models`)).body ?? []) got += piece.length;
    return got;
  };
  for (let n = 0; n < 3; n++) await Promise.all([post(4 * MIB), get(4 * MIB)]);
  const before = peakOf(proxy.pid);
  assert.equal((await post(64 * MIB)).status, 200);
  assert.equal(upstream.seen.at(-1)?.bytes, 64 * MIB);
  assert.equal(await get(64 * MIB), 64 * MIB);
  const grown = (peakOf(proxy.pid) - before) / MIB;
  t.diagnostic(`peak memory grew by ${Math.round(grown)} MiB`);
  // What is kept for a second attempt, the pieces on their way, and garbage that is not collected yet.
  assert.ok(grown < 40, `${grown} MiB`);
  await proxy.end();
});

const LOGIN_ENDS = "2031-01-02T03:04:05.000Z";

/** A home with a login whose provider is a server of the test. */
async function loggedIn(t: TestContext, config = ""): Promise<World & { readonly upstream: Upstream }> {
  const upstream = await startUpstream();
  t.after(() => upstream.close());
  const made = await world(t, { config });
  storeLogin(made.home.dir, { provider: "subscription", bearer: SECRET, baseUrl: upstream.url, expiresAt: LOGIN_ENDS });
  t.after(() => {
    for (const seen of upstream.seen) assert.deepEqual(valuesOf(seen, "authorization"), [`Bearer ${SECRET}`]);
  });
  return { ...made, upstream };
}

async function ready(proxy: Running): Promise<string> {
  return (await proxy.line((line) => line.startsWith("PROXY_READY url="))).slice("PROXY_READY url=".length);
}

function localTime(iso: string): string {
  const at = new Date(iso);
  const two = (part: number) => String(part).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

const logsOf = (dir: string): string =>
  readdirSync(dir)
    .map((name) => readFileSync(join(dir, name), "utf8"))
    .join("\n");

/** Most memory that a process ever had, in bytes. */
const peakOf = (pid: number): number =>
  Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024;

/** Try until someone listens. */
async function reachable(port: number): Promise<void> {
  for (let open = false; !open; ) {
    open = await new Promise((resolve) => {
      const socket = connect(port, "127.0.0.1", () => resolve(socket.destroy() !== undefined));
      socket.once("error", () => setImmediate(() => resolve(false)));
    });
  }
}
