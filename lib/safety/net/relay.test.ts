import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { NetError } from "../../base/net/net.js";
import type { Relay } from "../../base/net/relay.js";
import { createRelay } from "./relay.js";

const NEVER = [
  "http://169.254.169.254/",
  "http://[fd00:ec2::254]/",
  "http://0xa9fea9fe/",
  "http://metadata.google.internal/",
  "ftp://127.0.0.1/",
];

for (const base of NEVER) {
  test(`${base} is never asked`, async (t) => {
    const { relay } = await setup(t);
    assert.throws(
      () => relay.send(requestTo(base)),
      (error: unknown) => error instanceof NetError && error.failure === "blocked",
    );
  });
}

test("a name that means an address which is never asked is not connected to", async (t) => {
  const { relay, port, resolved } = await setup(t);
  resolved.push({ address: "127.0.0.1", family: 4 }, { address: "169.254.169.254", family: 4 });
  await fails(relay, `http://upstream.test:${port}/`, "blocked");
});

test("a name is resolved for a new connection alone, and the connection is used again", async (t) => {
  const { relay, port, resolved, asked, connections } = await setup(t);
  resolved.push({ address: "127.0.0.1", family: 4 });
  for (let n = 0; n < 3; n++) assert.equal(await textOf(relay, `http://upstream.test:${port}/`), "here");
  assert.deepEqual([asked(), connections()], [1, 1]);
});

test("a name that no one knows, a port where no one listens and an end without an answer are told apart", async (t) => {
  const { relay, port } = await setup(t, (request) => request.socket.destroy());
  await fails(relay, "http://upstream.test/", "dns");
  await fails(relay, "http://127.0.0.1:1/", "refused");
  await fails(relay, `http://127.0.0.1:${port}/`, "reset");
});

test("a connection that does not come about is given up in time", async (t) => {
  const clock = manualClock();
  const relay = await createRelay(clock, () => new Promise(() => undefined));
  t.after(() => relay.close());
  const { body, answer } = relay.send(requestTo("http://upstream.test/"));
  body.end();
  clock.advance(1_000);
  await assert.rejects(answer, (error: unknown) => error instanceof NetError && error.failure === "timeout");
  assert.equal(clock.waiting, 0);
});

test("the target and the headers are sent as they are given, the host ahead of them", async (t) => {
  let seen: { url: string | undefined; headers: readonly string[] } | undefined;
  const { relay, port } = await setup(t, (request, response) => {
    seen = { url: request.url, headers: request.rawHeaders };
    response.end("here");
  });
  const headers = ["hOst", "other.test", "X-Two", "1", "x-two", "2"];
  const { body, answer } = relay.send({
    ...requestTo(`http://127.0.0.1:${port}/ignored`),
    target: "/a/../b?c=%2f",
    headers,
  });
  body.end();
  (await answer).body.resume();
  assert.equal(seen?.url, "/a/../b?c=%2f");
  assert.deepEqual(seen?.headers.slice(0, 2), ["host", "other.test"]);
  const [, , ...others] = headers;
  const at = seen?.headers.indexOf("X-Two") ?? -1;
  assert.deepEqual(seen?.headers.slice(at, at + 4), others);
});

test("a body is sent by its length where that is given, in chunks otherwise, and none where none is told", async (t) => {
  const seen: string[] = [];
  const { relay, port } = await setup(t, async (request, response) => {
    let body = "";
    for await (const piece of request) body += String(piece);
    const { "content-length": length, "transfer-encoding": coding } = request.headers;
    seen.push([request.method, length, coding, body].join(" "));
    response.end();
  });
  for (const [method, framing, text] of [
    ["POST", ["Content-Length", "5"], "hello"],
    ["POST", ["Transfer-Encoding", "chunked"], "hello"],
    ["POST", ["Content-Length", "0"], ""],
    ["GET", [], ""],
    ["DELETE", ["Transfer-Encoding", "chunked"], "hello"],
  ] as const) {
    const to = requestTo(`http://127.0.0.1:${port}/`);
    const { body, answer } = relay.send({ ...to, method, headers: [...to.headers, ...framing] });
    body.end(text);
    (await answer).body.resume();
  }
  assert.deepEqual(seen, ["POST 5  hello", "POST  chunked hello", "POST 0  ", "GET   ", "DELETE  chunked hello"]);
});

test("an answer that is cut off ends with an error, and one that is dropped drops its connection", async (t) => {
  let gone: (value: unknown) => void = () => undefined;
  const { relay, port } = await setup(t, (request, response) => {
    response.writeHead(200, { "content-length": "10" });
    response.write("hello");
    if (request.url === "/cut") setImmediate(() => request.socket.destroy());
    else request.socket.once("close", gone);
  });
  const base = `http://127.0.0.1:${port}/`;
  const cut = relay.send({ ...requestTo(base), target: "/cut" });
  cut.body.end();
  const { body } = await cut.answer;
  await assert.rejects(async () => {
    for await (const piece of body) assert.equal(String(piece), "hello");
  });
  const closed = new Promise((resolve) => {
    gone = resolve;
  });
  const dropped = relay.send(requestTo(base));
  dropped.body.end();
  (await dropped.answer).body.on("error", () => undefined);
  dropped.cancel();
  await closed;
});

function requestTo(base: string) {
  return { method: "GET", base: new URL(base), target: "/", headers: ["Host", new URL(base).host], connectMs: 1_000 };
}

async function textOf(relay: Relay, base: string): Promise<string> {
  const { body, answer } = relay.send(requestTo(base));
  body.end();
  let text = "";
  for await (const piece of (await answer).body) text += String(piece);
  return text;
}

async function fails(relay: Relay, base: string, failure: NetError["failure"]): Promise<void> {
  await assert.rejects(textOf(relay, base), (error: unknown) => error instanceof NetError && error.failure === failure);
}

async function setup(t: TestContext, answer: RequestListener = (_request, response) => void response.end("here")) {
  let asked = 0;
  let connections = 0;
  const resolved: { address: string; family: number }[] = [];
  const relay = await createRelay(manualClock(), async (host) => {
    asked += 1;
    if (resolved.length === 0) throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: "ENOTFOUND" });
    return resolved;
  });
  const server = createServer(answer);
  server.on("connection", () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    relay.close();
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { relay, port, resolved, asked: () => asked, connections: () => connections };
}
