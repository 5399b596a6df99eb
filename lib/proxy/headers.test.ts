import assert from "node:assert/strict";
import { test } from "node:test";
import OpenAI from "openai";
import { valuesOf } from "../../fixtures/servers/upstream/server.js";
import { proxyWorld } from "../../fixtures/worlds/proxy-world.js";

/** Header lines of a client, and what upstream then has under the names of `at`. Written down by hand: nothing here is asked of the proxy's own table. */
interface RequestCase {
  readonly sent: readonly string[];
  readonly at: string;
  readonly arrives: readonly string[];
}

const GONE_ONE_BY_ONE = [
  "Keep-Alive: timeout=5",
  "Proxy-Authenticate: Basic",
  "Proxy-Authorization: Basic c2VjcmV0",
  "Proxy-Connection: keep-alive",
  "TE: trailers",
  "Trailer: X-Sum",
  "Upgrade: websocket",
  "X-Api-Key: secret",
  "Api-Key: secret",
  "X-Goog-Api-Key: secret",
  "X-Auth-Token: secret",
  "X-Agent-Token: secret",
  "Cookie: session=secret",
  "Cookie2: secret",
  "Referer: http://localhost/page",
  "Sec-Fetch-Mode: cors",
  "Sec-CH-UA: x",
  "Sec-WebSocket-Key: x",
  "Forwarded: for=1.2.3.4",
  "X-Forwarded-For: 1.2.3.4",
  "X-Forwarded-Host: evil.test",
  "X-Forwarded-Anything: x",
  "X-Real-IP: 1.2.3.4",
  "Via: 1.1 other",
  "Expect: nothing",
] as const;

const nameOf = (line: string) => line.slice(0, line.indexOf(":"));
const swapped = (line: string) =>
  line.replace(/[a-z]/gi, (c) => (c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase()));
const upper = (line: string) => `${nameOf(line).toUpperCase()}${line.slice(line.indexOf(":"))}`;

const REQUESTS: readonly RequestCase[] = [
  ...GONE_ONE_BY_ONE.map((line) => ({ sent: [line], at: nameOf(line), arrives: [] })),
  ...GONE_ONE_BY_ONE.filter((line) => !line.startsWith("Expect")).map((line) => ({
    sent: [upper(line), swapped(line)],
    at: nameOf(line),
    arrives: [],
  })),
  { sent: ["Authorization: Bearer secret"], at: "authorization", arrives: ["Bearer bearer-1"] },
  {
    sent: ["AUTHORIZATION: Basic secret", "authorization: Bearer secret"],
    at: "authorization",
    arrives: ["Bearer bearer-1"],
  },
  { sent: ["Connection: X-Hop", "X-Hop: secret"], at: "x-hop", arrives: [] },
  { sent: ["connection: close, x-one ,X-Two", "X-One: secret", "x-two: secret"], at: "x-one", arrives: [] },
  { sent: ["connection: x-one ,X-Two", "X-One: secret", "x-two: secret"], at: "x-two", arrives: [] },
  { sent: ["Connection: x-one", "Connection: x-two", "x-two: secret"], at: "x-two", arrives: [] },
  { sent: ["Connection: authorization", "Authorization: secret"], at: "authorization", arrives: ["Bearer bearer-1"] },
  { sent: ["Connection: user-agent", "User-Agent: secret"], at: "user-agent", arrives: [] },
  { sent: ["Connection: host"], at: "host", arrives: ["<upstream>"] },
  { sent: ["User-Agent: client/1"], at: "user-agent", arrives: ["client/1"] },
  { sent: ["Accept: a", "Accept: b"], at: "accept", arrives: ["a", "b"] },
  { sent: ["X-Foo: one", "x-foo: two", "X-FOO: one"], at: "x-foo", arrives: ["one", "two", "one"] },
  { sent: ["X-Empty:"], at: "x-empty", arrives: [""] },
  { sent: ["X-Latin: gr\u00fc\u00df"], at: "x-latin", arrives: ["gr\u00fc\u00df"] },
  { sent: ["X-Tab: a\tb  c"], at: "x-tab", arrives: ["a\tb  c"] },
  { sent: ["X-Stainless-Lang: js"], at: "x-stainless-lang", arrives: ["js"] },
  { sent: ["OpenAI-Organization: o"], at: "openai-organization", arrives: ["o"] },
  { sent: ["Idempotency-Key: k"], at: "idempotency-key", arrives: ["k"] },
  { sent: ["X-Forwarded: kept"], at: "x-forwarded", arrives: ["kept"] },
  { sent: ["Second: kept"], at: "second", arrives: ["kept"] },
  { sent: ["Cookies: kept"], at: "cookies", arrives: ["kept"] },
  { sent: ["Accept-Encoding: br"], at: "accept-encoding", arrives: ["br"] },
  { sent: ["Accept-Encoding:"], at: "accept-encoding", arrives: [""] },
  { sent: [], at: "accept-encoding", arrives: ["identity"] },
  { sent: [], at: "host", arrives: ["<upstream>"] },
  { sent: [], at: "content-length", arrives: [] },
  // A GET without a body names no length (RFC 9110, 8.6); that of a POST is in the test of bodies below.
  { sent: ["Content-Length: 0"], at: "content-length", arrives: [] },
  { sent: ["Content-Length: 00"], at: "content-length", arrives: [] },
  { sent: ["X-Private: kept", "x-private-: kept"], at: "x-private", arrives: ["kept"] },
  { sent: ["Origins: kept"], at: "origins", arrives: ["kept"] },
  { sent: ["X-Request-Id: mine"], at: "x-request-id", arrives: ["mine"] },
  { sent: ["Upgrade-Insecure-Requests: 1"], at: "upgrade-insecure-requests", arrives: ["1"] },
  { sent: ["__proto__: x"], at: "__proto__", arrives: ["x"] },
];

test("every header of a request arrives as the table says, and no secret does", async (t) => {
  assert.ok(REQUESTS.length >= 80, String(REQUESTS.length));
  const { upstream, proxy, raw } = await proxyWorld(t);
  for (const { sent, at, arrives } of REQUESTS) {
    const lines = ["GET /v1/models HTTP/1.1", `Host: 127.0.0.1:${proxy.port}`, "Connection: close", ...sent];
    const answer = await raw(Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"));
    const name = sent.join(" | ");
    assert.match(answer, /^HTTP\/1\.1 200 /, name);
    const seen = upstream.seen.at(-1);
    const wanted = arrives.map((value) => value.replace("<upstream>", `127.0.0.1:${upstream.port}`));
    assert.deepEqual(valuesOf(seen, at), wanted, name);
    assert.doesNotMatch(JSON.stringify(seen?.headers), /secret/, name);
  }
});

test("what is kept keeps its order and its spelling", async (t) => {
  const { upstream, proxy, raw } = await proxyWorld(t);
  await raw(
    `GET /v1/models HTTP/1.1\r\nX-b: 1\r\nHost: localhost:${proxy.port}\r\nx-A: 2\r\nX-B: 3\r\nConnection: close\r\n\r\n`,
  );
  assert.deepEqual(
    upstream.seen[0]?.headers.filter(([name]) => /^x-/i.test(name)),
    [
      ["X-b", "1"],
      ["x-A", "2"],
      ["X-B", "3"],
    ],
  );
});

test("further names that the configuration drops do not arrive, prefixes included", async (t) => {
  const { upstream, proxy, raw } = await proxyWorld(t, { settings: { dropHeaders: ["x-stainless-*", "user-agent"] } });
  const mine = ["X-Stainless-OS: Linux", "x-stainless-lang: js", "User-Agent: sdk", "User-Agents: kept"];
  await raw(
    `GET /v1/models HTTP/1.1\r\nHost: localhost:${proxy.port}\r\n${mine.join("\r\n")}\r\nConnection: close\r\n\r\n`,
  );
  assert.deepEqual(
    upstream.seen[0]?.headers.map(([name]) => name.toLowerCase()),
    ["host", "connection", "authorization", "user-agents", "accept-encoding"],
  );
});

test("a body of known length is announced with it, one in chunks goes on in chunks", async (t) => {
  const { upstream, proxy, raw } = await proxyWorld(t);
  const head = `POST /v1/completions HTTP/1.1\r\nHost: localhost:${proxy.port}\r\nConnection: close\r\n`;
  await raw(`${head}Content-Length: 00002\r\n\r\n{}`);
  await raw(`${head}Transfer-Encoding: Chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\nX-Sum: secret\r\n\r\n`);
  await raw(`${head}\r\n`);
  await raw(`${head}Content-Length: 00\r\n\r\n`);
  const framing = upstream.seen.map((seen) => [
    valuesOf(seen, "content-length"),
    valuesOf(seen, "transfer-encoding"),
    seen.body.toString(),
  ]);
  assert.deepEqual(framing, [
    [["2"], [], "{}"],
    [[], ["chunked"], "{}"],
    [["0"], [], ""],
    [["0"], [], ""],
  ]);
});

const ANSWERS: readonly (readonly [line: string, arrives: boolean])[] = [
  ["Set-Cookie: a=1", false],
  ["set-cookie2: a=1", false],
  ["Access-Control-Allow-Origin: *", false],
  ["Access-Control-Expose-Headers: x", false],
  ["Strict-Transport-Security: max-age=1", false],
  ["Alt-Svc: h3", false],
  ["Proxy-Authenticate: Basic", false],
  ["Keep-Alive: timeout=77", false],
  ["Trailer: x", false],
  ["Upgrade: h2c", false],
  ["X-Hop: listed", false],
  ["Retry-After: 7", true],
  ["X-RateLimit-Remaining: 3", true],
  ["X-Request-Id: r1", true],
  ["Location: /elsewhere", true],
  ["WWW-Authenticate: Bearer", true],
  ["Cache-Control: no-store", true],
  ["Content-Type: text/plain", true],
  ["Server: s", true],
  ["X-Latin: gr\u00fc\u00df", true],
];

test("every header of an answer arrives as the table says", async (t) => {
  const { upstream, proxy, raw } = await proxyWorld(t);
  const lines = ANSWERS.map(([line]) => line);
  const answer = [
    "HTTP/1.1 203 Quite Fine",
    ...lines,
    "X-Two: 1",
    "x-two: 2",
    "Connection: x-hop, close",
    "Content-Length: 2",
  ];
  upstream.next({ do: "raw", bytes: Buffer.from(`${answer.join("\r\n")}\r\n\r\nok`, "latin1"), after: "end" });
  const came = await raw(`GET /v1/models HTTP/1.1\r\nHost: localhost:${proxy.port}\r\nConnection: close\r\n\r\n`);
  assert.match(came, /^HTTP\/1\.1 203 Quite Fine\r\n/);
  for (const [line, arrives] of ANSWERS) assert.equal(came.includes(`\r\n${line}\r\n`), arrives, line);
  assert.ok(came.includes("\r\nX-Two: 1\r\n") && came.includes("\r\nx-two: 2\r\n"));
  assert.ok(came.includes("\r\nContent-Length: 2\r\n") && came.endsWith("\r\n\r\nok"));
});

test("an allowed origin is let in and told so, for itself alone", async (t) => {
  const origin = "https://panel.example";
  const { upstream, proxy, raw } = await proxyWorld(t, { settings: { allowedOrigins: [origin] } });
  const ask = (method: string, from: string) =>
    raw(
      `${method} /v1/models HTTP/1.1\r\nHost: localhost:${proxy.port}\r\nOrigin: ${from}\r\nConnection: close\r\n\r\n`,
    );
  const preflight = await ask("OPTIONS", origin);
  assert.match(preflight, /^HTTP\/1\.1 204 /);
  assert.match(preflight, /access-control-allow-origin: https:\/\/panel\.example\r\n/i);
  assert.match(
    preflight,
    /access-control-allow-methods: GET, HEAD\r\naccess-control-allow-headers: authorization, content-type\r\naccess-control-max-age: 600\r\n/i,
  );
  assert.deepEqual(upstream.seen, []);
  const answer = await ask("GET", origin);
  assert.match(
    answer,
    /\r\naccess-control-allow-origin: https:\/\/panel\.example\r\naccess-control-expose-headers: [^\r]*\bretry-after\b[^\r]*\r\nvary: Origin\r\n/i,
  );
  assert.deepEqual(valuesOf(upstream.seen[0], "origin"), []);
  for (const other of ["https://panel.example:444", "http://panel.example", "null"]) {
    const refused = await ask("OPTIONS", other);
    assert.match(refused, /^HTTP\/1\.1 403 /);
    assert.doesNotMatch(refused, /access-control/i);
  }
});

/** Names as the Anthropic client sends them from a page; those of the OpenAI client are recorded from the client itself. */
const ANTHROPIC = [
  "anthropic-beta",
  "anthropic-dangerous-direct-browser-access",
  "anthropic-version",
  "content-type",
  "idempotency-key",
];
const STAINLESS = [
  "arch",
  "helper",
  "lang",
  "os",
  "package-version",
  "retry-count",
  "runtime",
  "runtime-version",
  "timeout",
];

/** Header names that the OpenAI client sets in a browser. */
async function openaiNames(): Promise<string[]> {
  const names: string[] = [];
  const client = new OpenAI({
    apiKey: "any",
    organization: "o",
    project: "p",
    dangerouslyAllowBrowser: true,
    fetch: async (_url, init) => {
      names.push(...new Headers(init?.headers).keys());
      return Response.json({ data: [] });
    },
  });
  await client.models.list();
  return names;
}

test("the official clients pass the preflight of a browser, and what they do not send is not allowed", async (t) => {
  const origin = "https://panel.example";
  const { proxy, raw } = await proxyWorld(t, { settings: { allowedOrigins: [origin] } });
  const allowed = async (names: readonly string[]) => {
    const head = `OPTIONS /v1/chat/completions HTTP/1.1\r\nHost: localhost:${proxy.port}\r\nOrigin: ${origin}\r\nAccess-Control-Request-Method: POST`;
    const answer = await raw(
      `${head}\r\nAccess-Control-Request-Headers: ${names.join(",")}\r\nConnection: close\r\n\r\n`,
    );
    assert.match(answer, /^HTTP\/1\.1 204 /);
    assert.match(answer, /\r\nvary: Origin, Access-Control-Request-Headers\r\n/i);
    return /\r\naccess-control-allow-headers: ([^\r]*)\r\n/i.exec(answer)?.[1]?.split(", ") ?? [];
  };
  const openai = await openaiNames();
  assert.ok(openai.includes("authorization") && openai.includes("x-stainless-lang"), `recorded ${openai.join(", ")}`);
  const anthropic = [...ANTHROPIC, "x-api-key", ...STAINLESS.map((name) => `x-stainless-${name}`)];
  for (const names of [openai, anthropic]) {
    const given = await allowed(names);
    assert.deepEqual(
      names.filter((name) => !given.includes(name)),
      [],
    );
  }
  assert.deepEqual(await allowed(["cookie", "x-forwarded-for", "host", "x-stainless-a b", "", "*"]), [
    "authorization",
    "content-type",
  ]);
});
