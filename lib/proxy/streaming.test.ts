import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../fixtures/ports/clock.js";
import type { Behaviour } from "../../fixtures/servers/upstream/server.js";
import { type ProxyWorld, proxyWorld } from "../../fixtures/worlds/proxy-world.js";

const MIB = 1 << 20;

/** Answers that upstream does not finish, and what of them the client has got by then. */
const CUTS: readonly { readonly what: string; readonly bytes: string; readonly after: "end" | "reset" }[] = [
  { what: "shorter than its length", bytes: "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf of it", after: "end" },
  {
    what: "without its last chunk",
    bytes: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na\r\nhalf of it\r\n",
    after: "end",
  },
  {
    what: "in the middle of a chunk",
    bytes: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nhalf of it",
    after: "end",
  },
  {
    what: "with a chunk that is none",
    bytes: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na\r\nhalf of it\r\nzz\r\n",
    after: "end",
  },
  {
    what: "by a reset",
    bytes: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na\r\nhalf of it\r\n",
    after: "reset",
  },
];

for (const { what, bytes, after } of CUTS) {
  test(`an answer that ends ${what} is never complete for the client`, async (t) => {
    const { upstream, url, lines, noted } = await proxyWorld(t);
    upstream.next({ do: "raw", bytes, after });
    const answer = await fetch(`${url}/models`);
    await assert.rejects(answer.text());
    await noted(1);
    assert.match(lines.at(-1) ?? "", /truncated=upstream$/);
  });
}

test("a client of the old version gets a reset in place of an end that would look like the end of the answer", async (t) => {
  const { upstream, proxy } = await proxyWorld(t);
  upstream.next({
    do: "raw",
    bytes: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na\r\nhalf of it\r\n",
    after: "end",
  });
  const client = connect(proxy.port, "127.0.0.1");
  client.write(`GET /v1/models HTTP/1.0\r\nHost: localhost\r\n\r\n`);
  const [error] = await once(client.resume(), "error");
  assert.equal((error as NodeJS.ErrnoException).code, "ECONNRESET"); // the event of a socket carries what the system said
});

test("an answer that stops in its middle is cut off after the longest silence", async (t) => {
  const clock = manualClock();
  const { upstream, url, lines, noted } = await proxyWorld(t, { clock, settings: { idleMs: 50 } });
  upstream.next({ do: "pieces", pieces: ["data: 1\n\n", "data: 2\n\n"] });
  const reader = (await fetch(`${url}/models`)).body?.getReader();
  await reader?.read();
  let over = false;
  const cut = assert
    .rejects(async () => reader?.read())
    .finally(() => {
      over = true;
    });
  while (!over) {
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(10);
  }
  await cut;
  await noted(1);
  await upstream.dropped(1);
  assert.match(lines.at(-1) ?? "", /out=9 .*truncated=upstream$/);
});

test("an answer without a length that ends with its connection is complete", async (t) => {
  const { upstream, url } = await proxyWorld(t);
  upstream.next({ do: "raw", bytes: "HTTP/1.0 200 OK\r\n\r\nall of it", after: "end" });
  assert.equal(await (await fetch(`${url}/models`)).text(), "all of it");
});

const SILENCES: readonly { readonly when: string; readonly meets: Behaviour; readonly body: boolean }[] = [
  { when: "while upstream says nothing", meets: { do: "silent" }, body: true },
  { when: "while upstream reads nothing", meets: { do: "stall" }, body: true },
  { when: "in the middle of a stream", meets: { do: "pieces", pieces: ["data: 1\n\n", "data: 2\n\n"] }, body: false },
];

for (const { when, meets, body } of SILENCES) {
  for (const how of ["closes", "resets"] as const) {
    test(`a client that ${how} ${when} ends the request upstream before any time goes by`, async (t) => {
      const { upstream, proxy, lines, noted } = await proxyWorld(t, { clock: manualClock() });
      upstream.next(meets);
      const client = await asking(proxy.port, body ? "x".repeat(3 * MIB) : "{}");
      await upstream.until((seen) => seen.length === 1 && (meets.do === "stall" || seen[0]?.sha256 !== undefined));
      if (meets.do === "pieces") await once(client, "data");
      if (how === "closes") client.destroy();
      else client.resetAndDestroy();
      if (meets.do !== "stall") await upstream.dropped(1); // who reads nothing does not see an end either
      await noted(1);
      assert.match(lines.at(-1) ?? "", /truncated=client$/);
    });
  }
}

test("a client that closes while the login is being renewed sends nothing upstream", async (t) => {
  const { upstream, proxy, source, lines, noted } = await proxyWorld(t);
  let open: () => void = () => undefined;
  source.gate = new Promise((resolve) => {
    open = resolve;
  });
  const client = await asking(proxy.port, "{}");
  while (source.asked.get === 0) await new Promise((resolve) => setImmediate(resolve));
  client.destroy();
  await noted(1);
  open();
  assert.deepEqual([upstream.seen.length, lines.length], [0, 1]);
  assert.match(lines[0] ?? "", /status=499 .*truncated=client$/);
});

test("upstream is slowed down to what the client reads", async (t) => {
  const world = await proxyWorld(t);
  world.upstream.next({ do: "flood", bytes: 64 * MIB });
  const client = connect(world.proxy.port, "127.0.0.1");
  t.after(() => client.destroy());
  client.pause().write(`GET /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  await world.upstream.until((seen) => (seen[0]?.sent ?? 0) > 256 << 10);
  const sent = () => world.upstream.seen[0]?.sent ?? 0;
  for (let before = -1; before < sent(); ) {
    before = sent();
    await meanwhile(world);
  }
  assert.ok(sent() < 32 * MIB, String(sent()));
  let got = 0;
  client.on("data", (piece) => {
    got += piece.length;
  });
  client.resume();
  while (got < 64 * MIB) await once(client, "data");
});

test("a client is slowed down to what upstream reads, once its body is larger than what is kept", async (t) => {
  const world = await proxyWorld(t);
  world.upstream.next({ do: "stall" });
  const client = connect(world.proxy.port, "127.0.0.1");
  t.after(() => client.destroy());
  client.on("error", () => undefined); // it ends in the middle
  client.write(`POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${64 * MIB}\r\n\r\n`);
  let taken = 0;
  const piece = Buffer.alloc(256 << 10, 0x61);
  const push = () =>
    client.write(piece, () => {
      taken += piece.length;
      if (taken < 64 * MIB && !client.destroyed) push();
    });
  push();
  await world.upstream.until((seen) => seen.length === 1);
  for (let before = -1; before < taken && taken < 64 * MIB; ) {
    before = taken;
    await meanwhile(world);
  }
  assert.ok(taken < 40 * MIB, String(taken));
});

test("a body in chunks that grows beyond the limit is refused, and upstream loses its request", async (t) => {
  const { upstream, proxy, raw } = await proxyWorld(t, { settings: { maxBodyBytes: MIB } });
  const chunk = `${(600 << 10).toString(16)}\r\n${"x".repeat(600 << 10)}\r\n`;
  const head = `POST /v1/completions HTTP/1.1\r\nHost: localhost:${proxy.port}\r\nTransfer-Encoding: chunked\r\n\r\n`;
  const answer = await raw(`${head}${chunk}${chunk}0\r\n\r\n`);
  assert.match(answer, /^HTTP\/1\.1 413 [\s\S]*payload_too_large/);
  await upstream.until((seen) => seen.every((one) => one.dropped));
});

test("a body that is announced as too large is refused before any of it is sent", async (t) => {
  const { upstream, proxy, raw } = await proxyWorld(t);
  const head = `POST /v1/completions HTTP/1.1\r\nHost: localhost:${proxy.port}\r\nContent-Length: ${65 * MIB}\r\nExpect: 100-continue\r\n\r\n`;
  const answer = await raw(head);
  assert.match(answer, /^HTTP\/1\.1 413 [\s\S]*connection: close[\s\S]*payload_too_large/);
  assert.deepEqual(upstream.seen, []);
});

test("a client that waits for leave to send its body gets it", async (t) => {
  const { upstream, proxy, rawThen } = await proxyWorld(t);
  const head = `POST /v1/completions HTTP/1.1\r\nHost: localhost:${proxy.port}\r\nContent-Length: 2\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n`;
  const answer = await rawThen(head, "{}");
  assert.match(answer, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
  assert.equal(upstream.seen[0]?.body.toString(), "{}");
});

test("a body that stands still is given up", async (t) => {
  const { upstream, proxy, raw } = await proxyWorld(t, { settings: { idleMs: 50 } });
  const answer = await raw(
    `POST /v1/completions HTTP/1.1\r\nHost: localhost:${proxy.port}\r\nContent-Length: 10\r\n\r\n{`,
  );
  assert.match(answer, /^HTTP\/1\.1 408 /);
  await upstream.dropped(1);
});

test("an answer that comes before the body has ended is passed on", async (t) => {
  const { source, proxy, rawThen } = await proxyWorld(t);
  source.baseUrl = `http://127.0.0.1:${(await answersAtOnce(t)).port}/api/v1`;
  const head = `POST /v1/completions HTTP/1.1\r\nHost: localhost:${proxy.port}\r\nContent-Length: 4\r\nConnection: close\r\n\r\n{}`;
  const answer = await rawThen(head, "  ");
  assert.match(answer, /^HTTP\/1\.1 418 /);
  assert.ok(answer.endsWith("early"));
});

test("a bearer that is refused before the body has ended is replaced, and the whole body goes to the second attempt", async (t) => {
  const { source, proxy, rawThen } = await proxyWorld(t);
  const bodies: string[] = [];
  const refuses = await answersAtOnce(t, 401, bodies);
  source.baseUrl = `http://127.0.0.1:${refuses.port}/api/v1`;
  const head = `POST /v1/completions HTTP/1.1\r\nHost: localhost:${proxy.port}\r\nContent-Length: 6\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n`;
  const asked = rawThen(`${head}abc`, "def");
  assert.match(await asked, /HTTP\/1\.1 401 [\s\S]*early$/);
  assert.deepEqual([source.asked.retry, bodies.at(-1)], [1, "abcdef"]);
});

/** A server that answers as soon as a request begins. */
async function answersAtOnce(t: TestContext, status = 418, bodies: string[] = []): Promise<{ port: number }> {
  const { createServer } = await import("node:http");
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (piece: string) => {
      body += piece;
    });
    request.on("end", () => bodies.push(body));
    response.writeHead(status, { "content-length": 5 }).end("early");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.closeAllConnections());
  t.after(() => server.close());
  const address = server.address();
  return { port: typeof address === "object" && address !== null ? address.port : 0 };
}

/** A client in the middle of a request, whose body has been handed to the system. */
async function asking(port: number, body: string): Promise<Socket> {
  const client = connect(port, "127.0.0.1");
  client.on("error", () => undefined); // it is the one that leaves
  client.write(`POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n`);
  client.write(body);
  return client;
}

/** Twenty whole requests beside the one that stands. */
async function meanwhile({ url }: ProxyWorld): Promise<void> {
  for (let n = 0; n < 20; n++) assert.equal((await fetch(`${url}/models`)).status, 200);
}
