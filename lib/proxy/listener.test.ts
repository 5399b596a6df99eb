import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../fixtures/ports/clock.js";
import { proves } from "../../fixtures/requirements.js";
import { proxyWorld } from "../../fixtures/worlds/proxy-world.js";
import { PROXY_KEYS } from "./settings.js";

const TOKEN = "t".repeat(43);
const codeOf = async (answer: Response) => ((await answer.json()) as { error: { code: string } }).error.code; // its form is what the tests look at

test("PX11: a listener that other machines reach wants its token, and nothing else", async (t) => {
  const { upstream, url, lines, proxy } = await proxyWorld(t, { host: "0.0.0.0", token: TOKEN });
  const ask = (authorization?: string) =>
    fetch(`${url}/models`, authorization === undefined ? {} : { headers: { authorization } });
  for (const wrong of [undefined, "Bearer junk", `Basic ${TOKEN}`, `Bearer ${TOKEN}x`, `Bearer ${TOKEN.slice(1)}`]) {
    const answer = await ask(wrong);
    assert.deepEqual([answer.status, answer.headers.get("www-authenticate")], [401, "Bearer"]);
    assert.equal(await codeOf(answer), "proxy_token_required");
  }
  assert.deepEqual(upstream.seen, []);
  assert.equal((await ask(`Bearer ${TOKEN}`)).status, 200);
  assert.ok(!JSON.stringify(upstream.seen).includes(TOKEN) && !lines.join("\n").includes(TOKEN));
  assert.equal(
    (await fetch(`http://0.0.0.0:${proxy.port}/v1/models`, { headers: { authorization: `Bearer ${TOKEN}` } })).status,
    200,
  );
});

test("the token is asked for before the path is looked at, and not by a browser's first question", async (t) => {
  const origin = "https://panel.example";
  const { url } = await proxyWorld(t, { host: "0.0.0.0", token: TOKEN, settings: { allowedOrigins: [origin] } });
  assert.equal((await fetch(`${url}/files`)).status, 401);
  assert.equal((await fetch(`${url}/models`, { method: "OPTIONS", headers: { origin } })).status, 204);
});

test("who guesses tokens waits longer and longer for the answers", async (t) => {
  const clock = manualClock();
  const { url } = await proxyWorld(t, { host: "0.0.0.0", token: TOKEN, clock });
  for (let n = 0; n < 5; n++) assert.equal((await fetch(`${url}/models`)).status, 401);
  const sixth = fetch(`${url}/models`);
  await clock.waits();
  clock.advance(99);
  assert.equal(clock.waiting, 1);
  clock.advance(1);
  assert.equal((await sixth).status, 401);
});

test("more requests at once than the listener takes are told to come again", async (t) => {
  proves(t, "limit.rates-decided");
  assert.equal(PROXY_KEYS.find(({ key }) => key === "proxy.max_requests")?.default, 128);
  const { upstream, url, proxy } = await proxyWorld(t, { settings: { maxRequests: 3 } });
  upstream.always({ do: "pieces", pieces: ["a", "b"] });
  const open = await Promise.all([1, 2, 3].map(() => fetch(`${url}/models`)));
  const fourth = await fetch(`${url}/models`);
  assert.deepEqual([fourth.status, fourth.headers.get("retry-after"), await codeOf(fourth)], [503, "1", "proxy_busy"]);
  assert.deepEqual([proxy.counts().active, proxy.counts().errors], [3, 1]);
  upstream.release();
  assert.deepEqual(await Promise.all(open.map((one) => one.text())), ["ab", "ab", "ab"]);
  upstream.always(undefined);
  assert.equal((await fetch(`${url}/models`)).status, 200);
});

test("what is no HTTP is answered in the form of the listener", async (t) => {
  const { raw } = await proxyWorld(t);
  for (const nonsense of [
    "\x16\x03\x01\x02",
    "GET\r\n\r\n",
    "GET / HTTP/9.9\r\n\r\n",
    "GET /v1/models HTTP/1.1\r\nA\0b: c\r\n\r\n",
  ]) {
    const answer = await raw(Buffer.from(`${nonsense}\r\n\r\n`, "latin1"));
    assert.match(
      answer,
      /^HTTP\/1\.1 400 [\s\S]*\{"error":\{"message":"[^"]+","type":"bad_request","code":"bad_request","param":null\}\}$/,
    );
  }
});

test("a header that is hidden behind thousands of others is seen", async (t) => {
  const { upstream, proxy, raw } = await proxyWorld(t);
  const answer = await raw(
    `GET /v1/models HTTP/1.1\r\nHost: localhost:${proxy.port}\r\n${"a:\r\n".repeat(3000)}Origin: http://evil.test\r\n\r\n`,
  );
  assert.match(answer, /^HTTP\/1\.1 403 /);
  assert.deepEqual(upstream.seen, []);
});

test("an error repeats nothing of the request unescaped, and only the beginning of a long path", async (t) => {
  const { proxy, raw } = await proxyWorld(t);
  const answer = await raw(`GET /"<script>\\${"x".repeat(5000)} HTTP/1.1\r\nHost: localhost:${proxy.port}\r\n\r\n`);
  const body = answer.split("\r\n\r\n")[1] ?? "";
  assert.ok(body.length < 600);
  assert.ok(body.includes('/\\"<script>\\\\xxx'));
});

test("a request that is refused in the middle of its body still gets to read why", async (t) => {
  const { url } = await proxyWorld(t);
  const answer = await fetch(`${url}/responses`, { method: "POST", body: Buffer.alloc(4 << 20) });
  assert.deepEqual([answer.status, await codeOf(answer)], [404, "path_not_allowed"]);
});

test("nothing that follows a refused request on its connection is passed on", async (t) => {
  const { upstream, proxy, raw } = await proxyWorld(t);
  const good = `GET /v1/models HTTP/1.1\r\nHost: localhost:${proxy.port}\r\n\r\n`;
  const answer = await raw(`GET /v1/models HTTP/1.1\r\nHost: evil.test\r\n\r\n${good}${good}`);
  assert.deepEqual([...answer.matchAll(/HTTP\/1\.1 \d+/g)].map(String), ["HTTP/1.1 400"]);
  assert.deepEqual(upstream.seen, []);
});

test("requests in a row on one connection are answered in their order", async (t) => {
  const { proxy, raw } = await proxyWorld(t);
  const head = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost:${proxy.port}\r\n`;
  const answer = await raw(`${head("/v1/models")}\r\n${head("/v1/models?2")}\r\n${head("/nowhere")}\r\n`);
  assert.deepEqual(
    [...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map((match) => match[1]),
    ["200", "200", "404"],
  );
});

test("one line of the log for each request, with neither query nor header in it", async (t) => {
  const { url, lines, noted } = await proxyWorld(t);
  await fetch(`${url}/models?key=hidden`, { headers: { "x-note": "hidden" } });
  await fetch(`${url}/nothing?key=hidden`);
  await noted(2);
  const shown = lines.map((line) => line.replace(/ms=\d+/, "ms=N"));
  assert.deepEqual(shown, [
    "request method=GET path=/v1/models adapter=subscription status=200 in=0 out=89 ms=N retried=no truncated=no",
    "request method=GET path=/v1/nothing adapter=subscription status=404 in=0 out=0 ms=N retried=no truncated=no",
  ]);
});

test("a listener that closes refuses newcomers and lets what runs come to its end", async (t) => {
  const { upstream, url, proxy } = await proxyWorld(t);
  upstream.next({ do: "pieces", pieces: ["a", "b"] });
  const running = await fetch(`${url}/models`);
  const closing = proxy.close(60_000);
  await assert.rejects(fetch(`${url}/models`));
  upstream.release();
  assert.equal(await running.text(), "ab");
  await closing;
});

test("what still runs when the time is over is cut off on both sides", async (t) => {
  const { clock, upstream, url, proxy } = await quietWorld(t);
  upstream.next({ do: "pieces", pieces: ["a", "b"] });
  const running = await fetch(`${url}/models`);
  const cut = assert.rejects(running.text());
  const closing = proxy.close(10_000);
  clock.advance(10_000);
  await Promise.all([cut, closing, upstream.dropped(1)]);
});

test("a connection that no one uses does not hold up the closing", async (t) => {
  const { proxy } = await quietWorld(t);
  const client = connect(proxy.port, "127.0.0.1");
  await once(client, "connect");
  client.write("GET /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await once(client, "data");
  await proxy.close(10_000);
});

/** A proxy whose clock stands still. */
async function quietWorld(t: TestContext) {
  const clock = manualClock();
  return { clock, ...(await proxyWorld(t, { clock })) };
}
