import assert from "node:assert/strict";
import { test } from "node:test";
import { proves } from "../../fixtures/requirements.js";
import { proxyWorld } from "../../fixtures/worlds/proxy-world.js";

/** What a request line meets: `passed` reaches upstream, everything else is a status and a code of the proxy. */
type Meets =
  | "passed"
  | "400 bad_request"
  | "404 path_not_allowed"
  | "405 method_not_allowed"
  | "405 bad_request"
  | "431 bad_request";

interface Case {
  readonly method: string;
  readonly target: string;
  readonly meets: Meets;
  readonly headers?: readonly string[];
}

const SERVED = [
  { path: "/v1/chat/completions", method: "POST" },
  { path: "/v1/completions", method: "POST" },
  { path: "/v1/embeddings", method: "POST" },
  { path: "/v1/models", method: "GET" },
] as const;

/** What is made of each path that is served, and what it then meets. */
const VARIANTS: readonly (readonly [make: (path: string) => string, meets: Meets])[] = [
  [(path) => path, "passed"],
  [(path) => `${path}?`, "passed"],
  [(path) => `${path}?a=1&b=%2F..%2F&c`, "passed"],
  [(path) => `${path}?next=/../../secret//x`, "passed"],
  [(path) => `${path}?q=?`, "passed"],
  [(path) => `${path}/`, "404 path_not_allowed"],
  [(path) => `${path}/x`, "404 path_not_allowed"],
  [(path) => `${path}x`, "404 path_not_allowed"],
  [(path) => `${path}.`, "404 path_not_allowed"],
  [(path) => `${path};x=1`, "404 path_not_allowed"],
  [(path) => `${path}%20`, "404 path_not_allowed"],
  [(path) => `${path}%00`, "404 path_not_allowed"],
  [(path) => `${path}%2f`, "404 path_not_allowed"],
  [(path) => `${path}%3Fa=1`, "404 path_not_allowed"],
  [(path) => `/${path}`, "404 path_not_allowed"],
  [(path) => `/.${path}`, "404 path_not_allowed"],
  [(path) => `/x/..${path}`, "404 path_not_allowed"],
  [(path) => `/%2e%2e${path}`, "404 path_not_allowed"],
  [(path) => path.replace("/v1/", "/v1//"), "404 path_not_allowed"],
  [(path) => path.replace("/v1/", "/v1/./"), "404 path_not_allowed"],
  [(path) => path.replace("/v1/", "/v1/../v1/"), "404 path_not_allowed"],
  [(path) => path.replace("/v1/", "/v1%2f"), "404 path_not_allowed"],
  [(path) => path.replace("/v1/", "/v1\\"), "404 path_not_allowed"],
  [(path) => path.replace("/v1/", "/V1/"), "404 path_not_allowed"],
  [(path) => path.replace("/v1/", "/v2/"), "404 path_not_allowed"],
  [(path) => path.replace("/v1/", "/"), "404 path_not_allowed"],
  [(path) => path.toUpperCase(), "404 path_not_allowed"],
  [(path) => path.replace("m", "%6d"), "404 path_not_allowed"],
  [(path) => `http://127.0.0.1${path}`, "400 bad_request"],
  [(path) => `${path}#top`, "400 bad_request"],
  [(path) => path.slice(1), "400 bad_request"],
  [(path) => path.replace("e", "\u00e9"), "400 bad_request"],
];

const OTHERS: readonly Case[] = [
  { method: "GET", target: "/", meets: "404 path_not_allowed" },
  { method: "GET", target: "/health", meets: "404 path_not_allowed" },
  { method: "GET", target: "/v1", meets: "404 path_not_allowed" },
  { method: "POST", target: "/v1/responses", meets: "404 path_not_allowed" },
  { method: "GET", target: "/v1/models/gpt", meets: "404 path_not_allowed" },
  { method: "GET", target: "/api/v1/models", meets: "404 path_not_allowed" },
  { method: "GET", target: `/${"x".repeat(10_000)}`, meets: "404 path_not_allowed" },
  { method: "GET", target: `/${"x".repeat(17_000)}`, meets: "431 bad_request" },
  { method: "GET", target: `/v1/models?${"x".repeat(12_000)}`, meets: "passed" },
  { method: "OPTIONS", target: "*", meets: "400 bad_request" },
  { method: "CONNECT", target: "127.0.0.1:443", meets: "405 bad_request" },
  { method: "CONNECT", target: "/v1/models", meets: "405 bad_request" },
  { method: "TRACE", target: "/v1/models", meets: "405 bad_request" },
  { method: "HEAD", target: "/v1/models", meets: "passed" },
  { method: "POST", target: "/v1/models", meets: "405 method_not_allowed" },
  { method: "OPTIONS", target: "/v1/models", meets: "405 method_not_allowed" },
  { method: "GET", target: "/v1/chat/completions", meets: "405 method_not_allowed" },
  { method: "HEAD", target: "/v1/embeddings", meets: "405 method_not_allowed" },
  { method: "PUT", target: "/v1/completions", meets: "405 method_not_allowed" },
  { method: "DELETE", target: "/v1/models", meets: "405 method_not_allowed" },
  { method: "PATCH", target: "/v1/embeddings", meets: "405 method_not_allowed" },
  { method: "get", target: "/v1/models", meets: "400 bad_request" },
  { method: "BREW", target: "/v1/models", meets: "400 bad_request" },
  {
    method: "POST",
    target: "/v1/completions",
    headers: ["Content-Length: 2", "Transfer-Encoding: chunked"],
    meets: "400 bad_request",
  },
  {
    method: "POST",
    target: "/v1/completions",
    headers: ["Content-Length: 2", "Content-Length: 3"],
    meets: "400 bad_request",
  },
  { method: "POST", target: "/v1/completions", headers: ["Content-Length: -1"], meets: "400 bad_request" },
  { method: "POST", target: "/v1/completions", headers: ["Content-Length: 0x10"], meets: "400 bad_request" },
  {
    method: "POST",
    target: "/v1/completions",
    headers: ["Transfer-Encoding: gzip, chunked"],
    meets: "400 bad_request",
  },
  { method: "POST", target: "/v1/completions", headers: ["Transfer-Encoding: identity"], meets: "400 bad_request" },
  { method: "GET", target: "/v1/models", headers: [`X-Long: ${"x".repeat(17_000)}`], meets: "431 bad_request" },
  { method: "GET", target: "/v1/models", headers: ["Bad Name: 1"], meets: "400 bad_request" },
  { method: "GET", target: "/v1/models", headers: [" folded"], meets: "400 bad_request" },
];

const CASES: readonly Case[] = [
  ...SERVED.flatMap(({ path, method }) => VARIANTS.map(([make, meets]) => ({ method, target: make(path), meets }))),
  ...OTHERS,
];

test("every way to write a path meets what it should, and only what is served exactly reaches upstream", async (t) => {
  proves(t, "proxy.methods-decided");
  const { upstream, proxy, raw } = await proxyWorld(t);
  assert.ok(CASES.length >= 120, String(CASES.length));
  for (const { method, target, headers = [], meets } of CASES) {
    const before = upstream.seen.length;
    const name = `${method} ${target.slice(0, 80)} ${headers.join(" ").slice(0, 80)}`;
    const head = [`${method} ${target} HTTP/1.1`, `Host: 127.0.0.1:${proxy.port}`, "Connection: close", ...headers];
    const answer = await raw(Buffer.from(`${head.join("\r\n")}\r\n\r\n`, "latin1"));
    // An answer to HEAD has no body to look at.
    const wanted = method === "HEAD" ? meets.slice(0, 3) : meets;
    assert.equal(whatCame(answer), meets === "passed" ? "200" : wanted, name);
    assert.equal(upstream.seen.length - before, meets === "passed" ? 1 : 0, name);
    const mark = target.indexOf("/v1/");
    if (meets === "passed") assert.equal(upstream.seen.at(-1)?.target, `/api/v1/${target.slice(mark + 4)}`, name);
  }
});

test("a method that a path does not take is answered with those that it takes", async (t) => {
  const { proxy, raw } = await proxyWorld(t);
  const answer = await raw(`DELETE /v1/models HTTP/1.1\r\nHost: localhost:${proxy.port}\r\n\r\n`);
  assert.match(answer, /\r\nallow: GET, HEAD\r\n/i);
});

const TYPES = [
  { type: undefined, passed: true },
  { type: "application/json", passed: true },
  { type: "Application/JSON; charset=utf-8", passed: true },
  { type: "text/plain", passed: false },
  { type: "application/x-www-form-urlencoded", passed: false },
  { type: "multipart/form-data; boundary=x", passed: false },
  { type: "application/jsonp", passed: false },
  { type: "", passed: false },
] as const;

for (const { type, passed } of TYPES) {
  test(`a body of the type ${JSON.stringify(type)} is ${passed ? "passed on" : "refused"}`, async (t) => {
    const { upstream, proxy, raw } = await proxyWorld(t);
    const head = [
      "POST /v1/completions HTTP/1.1",
      `Host: localhost:${proxy.port}`,
      "Connection: close",
      "Content-Length: 2",
    ];
    const answer = await raw(
      `${[...head, ...(type === undefined ? [] : [`Content-Type: ${type}`])].join("\r\n")}\r\n\r\n{}`,
    );
    assert.equal(whatCame(answer), passed ? "200" : "415 unsupported_media_type");
    assert.equal(upstream.seen.length, passed ? 1 : 0);
  });
}

/** Status, and the code when the answer is the proxy's own, which must then be in its one form. */
function whatCame(answer: string): string {
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1] ?? "nothing";
  const [head = "", body = ""] = answer.split("\r\n\r\n");
  if (status === "200") return status;
  if (body === "") return status;
  const { error } = JSON.parse(body) as { error: Record<string, unknown> }; // every answer that is no 200 is the proxy's
  assert.deepEqual(Object.keys(error), ["message", "type", "code", "param"]);
  assert.match(head, /content-type: application\/json/i);
  return `${status} ${String(error["code"])}`;
}
