import assert from "node:assert/strict";
import { test } from "node:test";
import { valuesOf } from "../../fixtures/servers/upstream/server.js";
import { proxyWorld } from "../../fixtures/worlds/proxy-world.js";

const KEY = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==";
/** Ways to ask for another protocol. */
const ASKS: readonly (readonly string[])[] = [
  ["Connection: Upgrade", "Upgrade: websocket", KEY, "Sec-WebSocket-Version: 13"],
  [
    "Connection: keep-alive, Upgrade",
    "Upgrade: websocket",
    KEY,
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Protocol: openai-realtime",
  ],
  ["connection: upgrade", "upgrade: WebSocket, h2c"],
  ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA"],
  ["Connection: Upgrade", "Upgrade: TLS/1.0"],
];

/** Where, how, and what a plain request would meet there. */
const PLACES = [
  { line: "GET /v1/models", more: [], meets: 200, upstream: 1 },
  { line: "HEAD /v1/models", more: [], meets: 200, upstream: 1 },
  { line: "POST /v1/chat/completions", more: ["Content-Length: 2"], body: "{}", meets: 200, upstream: 1 },
  { line: "POST /v1/completions", more: [], meets: 200, upstream: 1 },
  { line: "GET /v1/chat/completions", more: [], meets: 405, upstream: 0 },
  { line: "GET /v1/realtime?model=x", more: [], meets: 404, upstream: 0 },
  { line: "GET /api/ws?ticket=x", more: [], meets: 404, upstream: 0 },
  { line: "GET /v1/models", more: ["Origin: http://evil.test"], meets: 403, upstream: 0 },
] as const;

test("a request for another protocol is answered like a plain one, and the protocol stays", async (t) => {
  const { upstream, proxy, rawThen } = await proxyWorld(t);
  let count = 0;
  for (const place of PLACES) {
    for (const ask of ASKS) {
      count += 1;
      const before = upstream.seen.length;
      const head = [`${place.line} HTTP/1.1`, `Host: 127.0.0.1:${proxy.port}`, ...ask, ...place.more];
      const body = "body" in place ? place.body : "";
      // The request after it shows that the connection still speaks the same protocol, and ends it.
      const next = `GET /v1/models HTTP/1.1\r\nHost: 127.0.0.1:${proxy.port}\r\nConnection: close\r\n\r\n`;
      const came = await rawThen(`${head.join("\r\n")}\r\n\r\n${body}`, next);
      const name = `${place.line} ${place.more.join(" ")} ${ask.join(" ")}`;
      const statuses = [...came.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]));
      assert.deepEqual(statuses, place.meets === 200 ? [200, 200] : [place.meets], name);
      assert.equal(upstream.seen.length - before, place.meets === 200 ? place.upstream + 1 : 0, name);
      for (const seen of upstream.seen.slice(before)) {
        for (const gone of ["upgrade", "http2-settings", "sec-websocket-key", "sec-websocket-version"])
          assert.deepEqual(valuesOf(seen, gone), [], name);
      }
    }
  }
  assert.equal(count, 40);
});

test("an upstream that changes the protocol unasked is an upstream that cannot be used", async (t) => {
  const { upstream, url } = await proxyWorld(t);
  upstream.next({
    do: "raw",
    bytes: "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n\x81\x01a",
    after: "stay",
  });
  const answer = await fetch(`${url}/models`);
  assert.equal(answer.status, 502);
});
