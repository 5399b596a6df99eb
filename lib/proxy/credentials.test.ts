import assert from "node:assert/strict";
import { test } from "node:test";
import { proves } from "../../fixtures/requirements.js";
import { valuesOf } from "../../fixtures/servers/upstream/server.js";
import { loggedOut, proxyWorld, testSource } from "../../fixtures/worlds/proxy-world.js";
import { AppError } from "../base/errors.js";
import { systemClock } from "../base/time/clock.js";
import type { ProxyAdapter } from "../contracts/owner/proxy.js";
import { createAdapters } from "./adapters.js";
import { subscriptionAdapter } from "./subscription.js";

const JSON_TYPE = { "content-type": "application/json" };
const bearersOf = (seen: readonly Parameters<typeof valuesOf>[0][]) =>
  seen.flatMap((one) => valuesOf(one, "authorization"));
/** Let everything else go on until something is so. */
const turns = async (what: () => boolean) => {
  while (!what()) await new Promise((resolve) => setImmediate(resolve));
};
const errorOf = async (answer: Response) =>
  ((await answer.json()) as { error: { code: string; message: string } }).error; // its form is what the tests look at

test("fifty requests at once ask for the credential once, and renew a refused one once", async (t) => {
  const { upstream, url, source, proxy } = await proxyWorld(t);
  let open: () => void = () => undefined;
  source.gate = new Promise((resolve) => {
    open = resolve;
  });
  upstream.refuse("bearer-1"); // whichever comes first: a renewed one may overtake
  const asked = Array.from({ length: 50 }, () => fetch(`${url}/models`));
  await turns(() => proxy.counts().active === asked.length);
  open();
  const answers = await Promise.all(asked);
  assert.ok(answers.every(({ status }) => status === 200));
  assert.equal(upstream.seen.length, 100);
  assert.deepEqual(source.asked.get, 1);
  assert.equal(bearersOf(upstream.seen).filter((bearer) => bearer === "Bearer bearer-2").length, 50);
});

test("a login that is slow to renew does not hold up a stream that runs", async (t) => {
  const { upstream, url, source } = await proxyWorld(t);
  upstream.next({ do: "pieces", pieces: ["data: 1\n\n", "data: 2\n\n"] });
  const stream = await fetch(`${url}/models`);
  source.gate = new Promise(() => undefined);
  const waiting = new AbortController();
  const late = fetch(`${url}/models`, { signal: waiting.signal });
  const lateEnds = assert.rejects(late);
  await turns(() => source.asked.get === 2);
  upstream.release();
  assert.equal(await stream.text(), "data: 1\n\ndata: 2\n\n");
  waiting.abort();
  await lateEnds;
});

test("a login that is gone is 401 with its reason and the command that makes a new one", async (t) => {
  const { upstream, url, source } = await proxyWorld(t);
  source.broken = loggedOut();
  const answer = await fetch(`${url}/chat/completions`, { method: "POST", headers: JSON_TYPE, body: "{}" });
  const { code, message } = await errorOf(answer);
  assert.deepEqual([answer.status, code], [401, "upstream_auth_failed"]);
  assert.match(message, /was revoked.*agent auth add subscription/);
  assert.deepEqual(upstream.seen, []);
});

test("a login that was refused and is tried again says when, and names the command that tries at once", async (t) => {
  const { url, source } = await proxyWorld(t);
  const until = systemClock.now() + 90_000;
  source.broken = new AppError("E_AUTH", "The only credential for subscription was refused", { until });
  const answer = await fetch(`${url}/models`);
  const { code, message } = await errorOf(answer);
  assert.deepEqual([answer.status, code], [401, "upstream_auth_failed"]);
  assert.match(message, /was refused; retried in \d\d s, or immediately after agent auth reset subscription/);
  const wait = Number(answer.headers.get("retry-after"));
  assert.ok(wait >= 85 && wait <= 90, String(wait));
});

test("credentials that are all cooling down are 429 with the time until the first is free", async (t) => {
  const { url, source } = await proxyWorld(t);
  const until = systemClock.now() + 90_000;
  source.broken = new AppError("E_RATE_LIMIT", "All 2 credentials for subscription are rate-limited", { until });
  const answer = await fetch(`${url}/models`);
  const { code, message } = await errorOf(answer);
  assert.deepEqual([answer.status, code], [429, "credentials_exhausted"]);
  assert.match(message, /rate-limited/);
  const wait = Number(answer.headers.get("retry-after"));
  assert.ok(wait >= 85 && wait <= 90, String(wait));
});

test("a fault of the login itself is reported as one of the proxy, without its words", async (t) => {
  const { url, source } = await proxyWorld(t);
  source.broken = new TypeError("cannot read secret-thing");
  const answer = await fetch(`${url}/models`);
  const { code, message } = await errorOf(answer);
  assert.deepEqual([answer.status, code], [500, "proxy_error"]);
  assert.doesNotMatch(message, /secret-thing/);
});

for (const status of [429, 403, 500, 502, 503, 529]) {
  test(`upstream's ${status} is passed on as it is, after one request`, async (t) => {
    const { upstream, url, source } = await proxyWorld(t);
    upstream.always({ do: "answer", status, headers: [["retry-after", "7"]], body: '{"error":"theirs"}' });
    const answer = await fetch(`${url}/models`);
    assert.deepEqual(
      [answer.status, answer.headers.get("retry-after"), await answer.text()],
      [status, "7", '{"error":"theirs"}'],
    );
    assert.deepEqual([upstream.seen.length, source.asked.retry], [1, 0]);
  });
}

test("a provider with several credentials takes the next one after 429", async (t) => {
  const pooled = (source: Parameters<typeof subscriptionAdapter>[0]): ProxyAdapter => ({
    ...subscriptionAdapter(source),
    name: "pooled",
    getRetryCredential: (failed, status, headers, signal) => source.retry(failed, status, headers, signal),
  });
  const { upstream, url } = await proxyWorld(t, { adapter: pooled });
  upstream.next({ do: "answer", status: 429, body: "slow down" });
  assert.equal((await fetch(`${url}/models`)).status, 200);
  assert.deepEqual(bearersOf(upstream.seen), ["Bearer bearer-1", "Bearer bearer-2"]);
});

test("a refused bearer that cannot be replaced is not sent again", async (t) => {
  const { upstream, url, source } = await proxyWorld(t);
  source.renews = false;
  upstream.always({ do: "answer", status: 401, body: "theirs" });
  assert.equal(await (await fetch(`${url}/models`)).text(), "theirs");
  assert.deepEqual([upstream.seen.length, source.asked.retry], [1, 1]);
});

test("a renewal that fails leaves the client upstream's own 401", async (t) => {
  const failing = (source: Parameters<typeof subscriptionAdapter>[0]): ProxyAdapter => ({
    ...subscriptionAdapter(source),
    getRetryCredential: async () => {
      throw new AppError("E_AUTH", "the portal is down");
    },
  });
  const { upstream, url } = await proxyWorld(t, { adapter: failing });
  upstream.next({ do: "answer", status: 401, body: "theirs" });
  const answer = await fetch(`${url}/models`);
  assert.deepEqual([answer.status, await answer.text(), upstream.seen.length], [401, "theirs", 1]);
});

test("a body that was too large to keep is not sent again, but the bearer is renewed for the next request", async (t) => {
  const { upstream, url, source } = await proxyWorld(t, { settings: { retryBytes: 1 << 20 } });
  upstream.next({ do: "answer", status: 401, body: "theirs" });
  const body = Buffer.alloc((1 << 20) + 1, "x");
  const first = await fetch(`${url}/completions`, { method: "POST", headers: JSON_TYPE, body });
  assert.deepEqual([first.status, await first.text(), upstream.seen.length, source.asked.retry], [401, "theirs", 1, 1]);
  assert.equal((await fetch(`${url}/models`)).status, 200);
  assert.deepEqual(bearersOf(upstream.seen), ["Bearer bearer-1", "Bearer bearer-2"]);
});

test("a body that fits is sent again whole, in its own framing", async (t) => {
  const { upstream, proxy, raw } = await proxyWorld(t, { settings: { retryBytes: 1 << 20 } });
  upstream.next({ do: "answer", status: 401 });
  const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
  const head = `POST /v1/completions HTTP/1.1\r\nHost: localhost:${proxy.port}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n`;
  const answer = await raw(`${head}${chunk("a".repeat(500_000))}${chunk("b".repeat(500_000))}0\r\n\r\n`);
  assert.match(answer, /^HTTP\/1\.1 200 /);
  assert.deepEqual(
    upstream.seen.map((seen) => seen.bytes),
    [1_000_000, 1_000_000],
  );
  assert.equal(upstream.seen[0]?.sha256, upstream.seen[1]?.sha256);
});

test("when the second attempt cannot be made, that is what the client is told", async (t) => {
  const { upstream, url } = await proxyWorld(t);
  upstream.next({ do: "answer", status: 401, body: "theirs" }, { do: "reset", when: "after the body" });
  const answer = await fetch(`${url}/models`);
  assert.deepEqual([answer.status, (await errorOf(answer)).code], [502, "upstream_unreachable"]);
});

test("a bearer goes only to the address that is stored with it, and only over TLS outside this machine", async (t) => {
  const { upstream, url, source } = await proxyWorld(t);
  for (const baseUrl of [
    "http://192.0.2.1/v1",
    "ftp://127.0.0.1/",
    "nonsense",
    "http://169.254.169.254/",
    "https://metadata.google.internal/",
  ]) {
    source.baseUrl = baseUrl;
    const answer = await fetch(`${url}/models`);
    assert.deepEqual([answer.status, (await errorOf(answer)).code], [502, "upstream_unreachable"], baseUrl);
  }
  assert.deepEqual(upstream.seen, []);
  source.baseUrl = "http://192.0.2.1/v1";
  assert.match((await errorOf(await fetch(`${url}/models`))).message, /neither https nor on this machine/);
});

test("a client that is gone before a credential is asked for leaves nothing behind that brings the owner down", async (t) => {
  const unheard: unknown[] = [];
  const hear = (reason: unknown) => unheard.push(reason);
  process.on("unhandledRejection", hear);
  t.after(() => process.off("unhandledRejection", hear));
  const adapters = createAdapters();
  const untilGone = (signal: AbortSignal) =>
    new Promise<never>((_resolve, reject) =>
      signal.addEventListener("abort", () => reject(signal.reason), { once: true }),
    );
  adapters.register({ ...subscriptionAdapter(testSource("https://example.com")), getCredential: untilGone });
  await assert.rejects(adapters.find("subscription").getCredential(AbortSignal.abort(new Error("gone"))), /gone/);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(unheard, []);
});

test("adapters are found by name and alias; a name that no one has is refused with those that there are", (t) => {
  proves(t, "proxy.adapters.by-name");
  const adapters = createAdapters();
  const adapter = subscriptionAdapter(testSource("https://example.com"));
  adapters.register(adapter);
  assert.equal(adapters.find("subscription").displayName, adapter.displayName);
  assert.equal(adapters.find("nous").name, "subscription");
  assert.throws(() => adapters.find("other"), { code: "E_USAGE", message: /known: subscription/ });
  assert.throws(() => adapters.register({ ...adapter, name: "nous", aliases: [] }), { code: "E_INVALID" });
  for (const path of ["/models", "/v1/", "v1/models", "/v1/a b", "/v1/a?b"])
    assert.throws(
      () => adapters.register({ ...adapter, name: "x", aliases: [], allowedPaths: [path] }),
      { code: "E_INVALID" },
      path,
    );
  adapters.register({ ...adapter, name: "another", aliases: [] });
  assert.deepEqual(
    adapters.list().map(({ name }) => name),
    ["another", "subscription"],
  );
});
