import assert from "node:assert/strict";
import { request } from "node:http";
import { connect, createServer, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { startForwardProxy } from "../../../fixtures/servers/forward-proxy.js";
import { loopback } from "../../../fixtures/servers/shared/loopback.js";
import type { FilterOptions } from "./address-filter.js";
import { type FilterProxy, openFilterProxy } from "./filter-proxy.js";

const PUBLIC = "93.184.216.34";

interface World {
  readonly proxy: FilterProxy;
  /** Paths that the server was asked for. */
  readonly seen: readonly string[];
  readonly port: number;
}

/** A proxy whose public addresses all lead to one server of this machine, which is reached that way alone. */
async function world(t: TestContext, options: Partial<FilterOptions> = {}): Promise<World> {
  const seen: string[] = [];
  const server = await loopback(async (incoming, response) => {
    seen.push(`${incoming.headers.host}${incoming.url}`);
    if (incoming.url === "/away") response.writeHead(302, { location: "http://10.0.0.5/" });
    response.end(`${incoming.method} ${incoming.headers["proxy-connection"] ?? "no hop"} ${incoming.headers["x-own"]}`);
  });
  t.after(() => server.close());
  const proxy = await openFilterProxy({
    clock: manualClock(),
    allowPrivate: () => false,
    setting: "browser.allow_private_urls",
    resolve: async (host) => (host === "site.test" ? [PUBLIC] : host === "inner.test" ? ["10.0.0.5"] : []),
    dial: () => ({ address: "127.0.0.1", port: server.port }),
    ...options,
  });
  t.after(() => proxy.close());
  return { proxy, seen, port: server.port };
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly location?: string | undefined;
}

function get({ proxy }: World, url: string): Promise<Answer> {
  const { hostname, port } = new URL(proxy.url);
  return new Promise((resolve, reject) => {
    const headers = { host: new URL(url).host, "proxy-connection": "keep-alive", "x-own": "kept" };
    const sent = request({ hostname, port, path: url, headers, agent: false }, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => {
        text += chunk.toString();
      });
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, text, location: response.headers.location }),
      );
    });
    sent.on("error", reject);
    sent.end();
  });
}

/** The first line that the proxy answers to a CONNECT, and the connection behind it. */
function tunnel({ proxy }: World, place: string): Promise<{ readonly line: string; readonly socket: Socket }> {
  const socket = connect(Number(new URL(proxy.url).port), "127.0.0.1");
  socket.on("error", () => undefined); // its end is looked at
  socket.write(`CONNECT ${place} HTTP/1.1\r\nhost: ${place}\r\n\r\n`);
  return new Promise((resolve) => {
    socket.once("data", (chunk: Buffer) => resolve({ line: chunk.toString().split("\r\n")[0] ?? "", socket }));
  });
}

test("a public address is fetched, and headers between neighbours stay with the proxy", async (t) => {
  const made = await world(t);
  assert.deepEqual(await get(made, "http://site.test/a?b=1"), {
    status: 200,
    text: "GET no hop kept",
    location: undefined,
  });
  assert.deepEqual(made.seen, ["site.test/a?b=1"]);
});

for (const url of [
  "http://10.0.0.5/",
  "http://127.0.0.1:8080/",
  "http://localhost/",
  "http://inner.test/",
  "http://169.254.169.254/latest/meta-data/",
  "http://metadata.google.internal/",
  "http://[::1]/",
  "http://[::ffff:10.0.0.5]/",
  "http://2130706433/",
  "http://0x7f.1/",
]) {
  test(`${url} is refused, in the open and through a tunnel, and nothing is sent`, async (t) => {
    const made = await world(t, {
      resolve: async (host) => (host === "inner.test" ? ["10.0.0.5"] : ["127.0.0.1"]),
    });
    const { status, text } = await get(made, url);
    assert.equal(status, 403);
    assert.match(text, /^blocked: /);
    const { line, socket } = await tunnel(made, `${new URL(url).host.replace(/:\d+$/, "")}:443`);
    socket.destroy();
    assert.equal(line, "HTTP/1.1 403 Refused");
    assert.deepEqual(made.seen, []);
    assert.equal(made.proxy.refused().length, 2);
    assert.match(String(await made.proxy.refusal(url)), /^blocked: /);
  });
}

test("a refusal of a private address names the setting of the browser; with it the address is let out, metadata never is", async (t) => {
  const made = await world(t);
  assert.match((await get(made, "http://10.0.0.5/")).text, /private address \(browser\.allow_private_urls\)/);
  const open = await world(t, { allowPrivate: () => true });
  assert.equal((await get(open, "http://10.0.0.5/")).status, 200);
  assert.equal((await get(open, "http://169.254.169.254/")).status, 403);
});

test("a name that answers with a private address the second time leads nowhere the second time", async (t) => {
  const answers = [[PUBLIC], ["127.0.0.1"], [PUBLIC, "10.0.0.5"]];
  const made = await world(t, { resolve: async () => answers.shift() ?? [] });
  assert.equal((await get(made, "http://site.test/1")).status, 200);
  assert.equal((await get(made, "http://site.test/2")).status, 403);
  assert.equal((await get(made, "http://site.test/3")).status, 403);
  assert.deepEqual(made.seen, ["site.test/1"]);
});

test("the other end of a connection is looked at as well", async (t) => {
  const made = await world(t, { peer: () => "192.168.1.1" });
  assert.equal((await get(made, "http://site.test/")).status, 403);
  assert.deepEqual(made.seen, []);
});

test("a redirect is handed to the browser, which asks again and is refused", async (t) => {
  const made = await world(t);
  const { status, location } = await get(made, "http://site.test/away");
  assert.equal(status, 302);
  assert.equal((await get(made, String(location))).status, 403);
});

test("a tunnel carries bytes both ways, and each end closes the other", async (t) => {
  const echo = createServer((socket) => {
    socket.on("error", () => undefined); // the other end has gone
    socket.pipe(socket);
  });
  await new Promise<void>((resolve) => {
    echo.listen(0, "127.0.0.1", () => resolve());
  });
  t.after(() => echo.close());
  const address = echo.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const made = await world(t, { dial: () => ({ address: "127.0.0.1", port }) });
  const { line, socket } = await tunnel(made, "site.test:443");
  assert.equal(line, "HTTP/1.1 200 Connection established");
  const back = new Promise<string>((resolve) => {
    socket.once("data", (chunk: Buffer) => resolve(chunk.toString()));
  });
  socket.write("hello");
  assert.equal(await back, "hello");
  const closed = new Promise<void>((resolve) => {
    socket.once("close", () => resolve());
  });
  await made.proxy.close();
  await closed;
});

test("a site that the settings block is refused, and a name without an address is a failure of the gateway", async (t) => {
  const made = await world(t, { refuse: async ({ hostname }) => (hostname === "site.test" ? "listed" : undefined) });
  assert.equal((await get(made, "http://site.test/")).text, "blocked: listed\n");
  const { status } = await get(made, "http://gone.test/");
  assert.equal(status, 502);
  assert.equal(await made.proxy.refusal("http://gone.test/"), undefined);
});

test("with a trusted proxy of the environment everything goes through it, and what the guard refuses still goes nowhere", async (t) => {
  const asked: (readonly string[])[] = [];
  for (const kind of ["http", "socks5"] as const) {
    const server = await loopback(async (_request, response) => void response.end("behind it"));
    t.after(() => server.close());
    const upstream = await startForwardProxy({ kind, to: server.port });
    t.after(() => upstream.close());
    const made = await world(t, { proxyFor: () => ({ kind, host: "127.0.0.1", port: upstream.port }) });
    assert.equal((await get(made, "http://site.test/page")).text, "behind it");
    assert.equal((await get(made, "http://elsewhere.test/page")).text, "behind it", "a name that only the proxy knows");
    const { line, socket } = await tunnel(made, "site.test:443");
    socket.destroy();
    assert.match(line, / 200 /);
    assert.equal((await get(made, "http://inner.test/")).status, 403);
    assert.deepEqual(made.seen, [], "nothing goes past the proxy");
    asked.push(upstream.asked);
  }
  const places = ["site.test:80", "elsewhere.test:80", "site.test:443"];
  assert.deepEqual(asked, [places, places]);
});
