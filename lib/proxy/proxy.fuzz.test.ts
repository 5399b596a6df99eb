import assert from "node:assert/strict";
import { test } from "node:test";
import { seeded } from "../../fixtures/ports/random.js";
import { type Behaviour, valuesOf } from "../../fixtures/servers/upstream/server.js";
import { proxyWorld } from "../../fixtures/worlds/proxy-world.js";

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
  for (let n = 0; n < (SHORT ? 300 : 2000); n++) {
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

const FULL = "whole answer ".repeat(2_000);
const HALF = FULL.slice(0, FULL.length / 2);
/** What upstream does, and whether a client may take the answer for whole. */
const MEETS: readonly Behaviour[] = [
  { do: "answer", status: 200, body: FULL },
  { do: "answer", status: 200, headers: [["content-length", String(FULL.length)]], body: FULL },
  { do: "answer", status: 401, body: FULL },
  { do: "answer", status: 429, body: FULL },
  { do: "answer", status: 500, body: FULL },
  { do: "pieces", pieces: [FULL] },
  { do: "reset" },
  { do: "reset", when: "at once" },
  { do: "raw", bytes: `HTTP/1.1 200 OK\r\nContent-Length: ${FULL.length}\r\n\r\n${HALF}`, after: "end" },
  { do: "raw", bytes: `HTTP/1.1 200 OK\r\nContent-Length: ${FULL.length}\r\n\r\n${HALF}`, after: "reset" },
  {
    do: "raw",
    bytes: `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${HALF.length.toString(16)}\r\n${HALF}\r\n`,
    after: "end",
  },
  { do: "raw", bytes: "nonsense\r\n\r\n", after: "end" },
  { do: "silent" },
];

test("in any mixture of faults and clients that leave, no answer is whole that was not, and nothing is left behind", async (t) => {
  const random = seeded(7);
  const { upstream, url, proxy } = await proxyWorld(t, {
    settings: { headerMs: 300, idleMs: 300, retryBytes: 64 << 10 },
  });
  const rounds = SHORT ? 200 : 1000;
  const outcomes = new Map<string, number>();
  const one = async () => {
    upstream.next(MEETS[random.below(MEETS.length)] ?? { do: "silent" });
    const leaving = new AbortController();
    const body = "b".repeat(random.below(4) === 0 ? 200_000 : random.below(1000));
    if (random.below(4) === 0) for (let turns = random.below(20); turns > 0; turns--) await Promise.resolve();
    const asked = fetch(`${url}/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
      signal: leaving.signal,
    });
    if (random.below(5) === 0) leaving.abort();
    const outcome = await whatCame(asked, random.below(6) === 0 ? leaving : undefined);
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  };
  for (let done = 0; done < rounds; done += 20) await Promise.all(Array.from({ length: 20 }, one));
  for (const kind of ["200 whole", "500 whole", "502 told", "broken off", "left"])
    assert.ok((outcomes.get(kind) ?? 0) > 0, `${kind}: ${JSON.stringify([...outcomes])}`);
  while (proxy.counts().active > 0) await new Promise((resolve) => setImmediate(resolve));
  upstream.always({ do: "answer", status: 200, body: FULL });
  upstream.forget();
  assert.equal(await (await fetch(`${url}/models`)).text(), FULL);
});

/** How a request ended for its client. Throws when an answer looked whole and was not. */
async function whatCame(asked: Promise<Response>, leavesAfterHead: AbortController | undefined): Promise<string> {
  try {
    const answer = await asked;
    leavesAfterHead?.abort();
    const text = await answer.text();
    if (text === FULL) return `${answer.status} whole`;
    assert.ok(
      answer.headers.get("content-type")?.startsWith("application/json"),
      `${answer.status} with ${text.length} characters`,
    );
    return `${answer.status} told`;
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error;
    return error instanceof Error && error.name === "AbortError" ? "left" : "broken off";
  }
}
