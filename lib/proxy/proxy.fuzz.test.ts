import assert from "node:assert/strict";
import { test } from "node:test";
import { proxyWorld } from "../../fixtures/proxy-world.js";
import { valuesOf } from "../../fixtures/servers/upstream/server.js";
import { seeded } from "../../fixtures/sim/random.js";

const SHORT = process.env["AGENT_TEST_SHORT"] === "1";
const GOOD = [
  "GET /v1/models HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer hidden\r\nCookie: hidden\r\nConnection: close\r\n\r\n",
  "POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: hidden\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}",
  "POST /v1/embeddings HTTP/1.1\r\nHost: localhost\r\nAuthorization: hidden\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
];
const PIECES = [
  "\r\n",
  "\n",
  "\r",
  "\0",
  " ",
  "\t",
  ":",
  "/",
  "%",
  "..",
  "?",
  "#",
  "Host: evil.test\r\n",
  "Origin: null\r\n",
  "chunked",
  "-1",
  "\xff",
  "HTTP/1.0",
  "0\r\n\r\n",
];
/** What is left open in the middle of a head or a body is not waited for long. */
const IDLE_MS = 60;
const SERVED = /^\/api\/v1\/(chat\/completions|completions|embeddings|models)(\?.*)?$/;

test("whatever bytes a client sends, upstream sees whole requests to what is served, and nothing of the client's secrets", async (t) => {
  const random = seeded(20_261_120);
  const { upstream, raw, url } = await proxyWorld(t, { settings: { idleMs: IDLE_MS / 2 } });
  for (let n = 0; n < (SHORT ? 300 : 3000); n++) {
    let text = GOOD[random.below(GOOD.length)] ?? "";
    for (let cuts = 1 + random.below(3); cuts > 0; cuts--) {
      const at = random.below(text.length);
      text = `${text.slice(0, at)}${random.below(3) === 0 ? "" : (PIECES[random.below(PIECES.length)] ?? "")}${text.slice(at + random.below(3))}`;
    }
    const answer = await raw(Buffer.from(text, "latin1"), IDLE_MS);
    for (const [, status] of answer.matchAll(/^HTTP\/1\.1 (\d+) /gm))
      assert.match(status ?? "", /^(200|400|403|404|405|408|413|415)$/, JSON.stringify(text));
  }
  for (const seen of upstream.seen) {
    assert.match(seen.target, SERVED);
    assert.deepEqual(valuesOf(seen, "authorization"), ["Bearer bearer-1"]);
    for (const name of ["cookie", "x-api-key"]) assert.deepEqual(valuesOf(seen, name), []);
  }
  assert.equal((await fetch(`${url}/models`)).status, 200);
});
