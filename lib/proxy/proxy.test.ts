import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { proves } from "../../fixtures/requirements.js";
import { valuesOf } from "../../fixtures/servers/upstream/server.js";
import { proxyWorld } from "../../fixtures/worlds/proxy-world.js";

const CHAT = "/chat/completions";
/** Code of an error of the proxy. */
const codeOf = async (answer: Response) => ((await answer.json()) as { error: { code: string } }).error.code; // its form is what the tests look at
const JSON_TYPE = { "content-type": "application/json" };

test("PX1: a chat goes upstream with the stored bearer in place of the client's, body and query byte for byte", async (t) => {
  proves(t, "proxy.auth.replaced");
  const { upstream, url } = await proxyWorld(t);
  const body = '{"model":"m",  "messages":[{"role":"user","content":"h\\u00e9 \u{1f600}"}]}';
  const answer = await fetch(`${url}${CHAT}?a=%2F&b=x+y&&c`, {
    method: "POST",
    headers: { ...JSON_TYPE, authorization: "Bearer junk" },
    body,
  });
  assert.equal(answer.status, 200);
  const [seen] = upstream.seen;
  assert.deepEqual(valuesOf(seen, "authorization"), ["Bearer bearer-1"]);
  assert.ok(!JSON.stringify(seen?.headers).includes("junk"));
  assert.equal(seen?.target, "/api/v1/chat/completions?a=%2F&b=x+y&&c");
  assert.equal(seen?.body.toString("utf8"), body);
  assert.deepEqual(valuesOf(seen, "host"), [`127.0.0.1:${upstream.port}`]);
});

test("PX2: the first event of a stream reaches the client before upstream sends the last, and all bytes are the same", async (t) => {
  const { upstream, url } = await proxyWorld(t);
  const pieces = [1, 2, 3, 4, 5].map((n) => `data: {"n":${n}}\n\n`);
  upstream.next({ do: "pieces", pieces });
  const answer = await fetch(`${url}${CHAT}`, { method: "POST", headers: JSON_TYPE, body: '{"stream":true}' });
  const reader = answer.body?.getReader();
  let text = "";
  for (const piece of pieces) {
    const { value } = (await reader?.read()) ?? {};
    text += Buffer.from(value ?? []).toString("utf8");
    assert.ok(text.endsWith(piece), "each event comes before the next is sent");
    upstream.release();
  }
  assert.equal((await reader?.read())?.done, true);
  assert.equal(text, pieces.join(""));
});

test("PX3: what is not served is 404 with the four paths that are, and upstream hears nothing", async (t) => {
  proves(t, "proxy.unknown-path.404", "proxy.unknown-path.error", "proxy.v1");
  const { upstream, proxy, raw } = await proxyWorld(t);
  for (const path of ["/v1/files", "/", "/v1/models/x", "/v1/models/", "//v1/models", "/v1/%6dodels"]) {
    const answer = await raw(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${proxy.port}\r\n\r\n`);
    assert.match(answer, /^HTTP\/1\.1 404 /);
    const { error } = JSON.parse(answer.split("\r\n\r\n")[1] ?? "");
    assert.deepEqual([error.type, error.code, error.param], ["path_not_allowed", "path_not_allowed", null]);
    assert.equal(
      error.message.split("Allowed: ")[1],
      "/v1/chat/completions, /v1/completions, /v1/embeddings, /v1/models",
    );
    assert.ok(error.message.startsWith(`${path} `));
  }
  assert.deepEqual(upstream.seen, []);
});

test("PX4: one refused bearer is replaced and the client sees a single 200", async (t) => {
  const { upstream, url, lines, noted } = await proxyWorld(t);
  upstream.next({ do: "answer", status: 401, body: "no" });
  const answer = await fetch(`${url}${CHAT}`, { method: "POST", headers: JSON_TYPE, body: '{"model":"m"}' });
  assert.equal(answer.status, 200);
  assert.deepEqual(
    upstream.seen.map((seen) => valuesOf(seen, "authorization")),
    [["Bearer bearer-1"], ["Bearer bearer-2"]],
  );
  assert.deepEqual(
    upstream.seen.map((seen) => seen.body.toString()),
    ['{"model":"m"}', '{"model":"m"}'],
  );
  await answer.text();
  await noted(1);
  assert.match(lines[0] ?? "", /status=200 in=13 out=\d+ ms=\d+ retried=yes truncated=no$/);
});

test("PX5: a bearer that is refused twice gives the client upstream's 401 after exactly two requests", async (t) => {
  const { upstream, url } = await proxyWorld(t);
  upstream.always({ do: "answer", status: 401, headers: [["x-why", "revoked"]], body: '{"error":"second"}' });
  const answer = await fetch(`${url}/models`);
  assert.deepEqual(
    [answer.status, answer.headers.get("x-why"), await answer.text()],
    [401, "revoked", '{"error":"second"}'],
  );
  assert.equal(upstream.seen.length, 2);
});

test("PX6: an upstream that is not there is 502, one that stays silent 504", async (t) => {
  const { upstream, url } = await proxyWorld(t, { settings: { headerMs: 1_000 } });
  upstream.next({ do: "silent" });
  const silent = await fetch(`${url}/models`);
  assert.deepEqual([silent.status, await codeOf(silent)], [504, "upstream_timeout"]);
  await upstream.dropped(1);
  await upstream.close();
  const absent = await fetch(`${url}${CHAT}`, { method: "POST", headers: JSON_TYPE, body: "{}" });
  assert.deepEqual([absent.status, await codeOf(absent)], [502, "upstream_unreachable"]);
});

test("PX7: keys and cookies of the client stay behind; an unknown header that is sent twice arrives twice", async (t) => {
  const { upstream, proxy, raw } = await proxyWorld(t);
  const mine = ["x-api-key: k1", "api-key: k2", "X-Goog-Api-Key: k3", "Cookie: k4=1", "x-foo: one", "X-Foo: two"];
  await raw(
    `GET /v1/models HTTP/1.1\r\nHost: localhost:${proxy.port}\r\n${mine.join("\r\n")}\r\nConnection: close\r\n\r\n`,
  );
  const [seen] = upstream.seen;
  assert.deepEqual(valuesOf(seen, "x-foo"), ["one", "two"]);
  assert.doesNotMatch(JSON.stringify(seen?.headers), /k[1-4]/);
});

test("PX8: foreign Host, Origin and site are refused before upstream hears of them", async (t) => {
  const { upstream, proxy, raw } = await proxyWorld(t);
  const own = `Host: 127.0.0.1:${proxy.port}`;
  const cases = [
    [["Host: evil.test"], 400, "host_not_allowed"],
    [[own, "Origin: http://evil.test"], 403, "origin_not_allowed"],
    [[own, "Sec-Fetch-Site: cross-site"], 403, "origin_not_allowed"],
  ] as const;
  for (const [headers, status, code] of cases) {
    const answer = await raw(`GET /v1/models HTTP/1.1\r\n${headers.join("\r\n")}\r\n\r\n`);
    assert.ok(answer.startsWith(`HTTP/1.1 ${status} `), answer);
    assert.equal(JSON.parse(answer.split("\r\n\r\n")[1] ?? "").error.code, code);
  }
  assert.deepEqual(upstream.seen, []);
});

test("PX10: five megabytes go upstream byte for byte; above the limit they are 413 and upstream hears nothing", async (t) => {
  const body = Buffer.alloc(5 << 20, "iVBORw0KGgo");
  const wide = await proxyWorld(t);
  assert.equal((await fetch(`${wide.url}${CHAT}`, { method: "POST", headers: JSON_TYPE, body })).status, 200);
  assert.ok(wide.upstream.seen[0]?.body.equals(body));
  const narrow = await proxyWorld(t, { settings: { maxBodyBytes: 1 << 20 } });
  const answer = await fetch(`${narrow.url}${CHAT}`, { method: "POST", headers: JSON_TYPE, body });
  assert.deepEqual([answer.status, await codeOf(answer)], [413, "payload_too_large"]);
  assert.deepEqual(narrow.upstream.seen, []);
});

test("a compressed answer is passed on as it was compressed, and plain ones are asked for when the client says nothing", async (t) => {
  const { upstream, proxy, raw } = await proxyWorld(t);
  const packed = gzipSync("hello");
  upstream.next({
    do: "answer",
    status: 200,
    headers: [
      ["content-encoding", "gzip"],
      ["content-length", String(packed.length)],
    ],
    body: packed,
  });
  const answer = await raw(
    `GET /v1/models HTTP/1.1\r\nHost: localhost:${proxy.port}\r\nAccept-Encoding: gzip, br\r\nConnection: close\r\n\r\n`,
  );
  assert.ok(Buffer.from(answer.split("\r\n\r\n")[1] ?? "", "latin1").equals(packed));
  assert.match(answer, /content-encoding: gzip/i);
  await raw(`GET /v1/models HTTP/1.1\r\nHost: localhost:${proxy.port}\r\nConnection: close\r\n\r\n`);
  assert.deepEqual(
    upstream.seen.map((seen) => valuesOf(seen, "accept-encoding")),
    [["gzip, br"], ["identity"]],
  );
});

test("a redirect is handed back, and not followed", async (t) => {
  const { upstream, url } = await proxyWorld(t);
  upstream.next({ do: "answer", status: 307, headers: [["location", `${upstream.url}/elsewhere`]] });
  const answer = await fetch(`${url}/models`, { redirect: "manual" });
  assert.deepEqual([answer.status, answer.headers.get("location")], [307, `${upstream.url}/elsewhere`]);
  assert.equal(upstream.seen.length, 1);
});

test("each of the four paths reaches upstream below the address of the login", async (t) => {
  proves(t, "proxy.openai-compatible", "names.proxy-url");
  proves(t, "proxy.path.chat-completions", "proxy.path.completions", "proxy.path.embeddings", "proxy.path.models");
  const { upstream, url } = await proxyWorld(t);
  const asked = [
    ["/chat/completions", "POST"],
    ["/completions", "POST"],
    ["/embeddings", "POST"],
    ["/models", "GET"],
    ["/models", "HEAD"],
  ] as const;
  for (const [path, method] of asked) {
    const body = method === "POST" ? { headers: JSON_TYPE, body: '{"model":"fake-1","input":"x","prompt":"y"}' } : {};
    const answer = await fetch(`${url}${path}`, { method, ...body });
    assert.equal(answer.status, 200);
    assert.equal((await answer.text()) === "", method === "HEAD");
    assert.deepEqual([upstream.seen.at(-1)?.method, upstream.seen.at(-1)?.target], [method, `/api/v1${path}`]);
  }
});
