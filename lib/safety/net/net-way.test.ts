import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { TestContext } from "node:test";
import { bothClients } from "../../../fixtures/both-clients.js";
import { startForwardProxy } from "../../../fixtures/servers/forward-proxy.js";
import { NetError, type NetRequest } from "../../base/net/net.js";
import { systemClock } from "../../base/time/clock.js";
import { envProxy } from "./env-proxy.js";
import { createNet, type NetOptions } from "./net.js";

const PUBLIC = "93.184.216.34";
const NAMES: Readonly<Record<string, readonly string[]>> = { "site.test": [PUBLIC], "inside.test": ["10.0.0.5"] };

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A server behind a proxy that the environment names; this machine knows few names of its own. */
async function behindProxy(
  t: TestContext,
  stays: boolean,
  handler: Handler = (_request, response) => response.end("ok"),
  more: Partial<NetOptions> = {},
) {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const proxy = await startForwardProxy({ kind: "http", to: port });
  const env = { HTTP_PROXY: `http://127.0.0.1:${proxy.port}`, NO_PROXY: "direct.test" };
  const net = createNet({
    clock: systemClock,
    allowPrivate: () => false,
    resolve: async (host) => NAMES[host] ?? Promise.reject(Object.assign(new Error("no"), { code: "ENOTFOUND" })),
    proxyFor: (url) => envProxy(env, url),
    stays,
    ...more,
  });
  t.after(async () => {
    await net.close();
    await proxy.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { net, proxy, port };
}

const get = (url: string, more: Partial<NetRequest> = {}): NetRequest => ({
  method: "GET",
  url,
  headers: {},
  purpose: "web",
  ...more,
});

async function whyOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => assert.fail("it went through"),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof NetError, String(error));
  return `${error.failure} ${error.message}`;
}

bothClients(
  "with a trusted proxy a name that this machine does not know is resolved by the proxy",
  async (t, stays) => {
    const { net, proxy } = await behindProxy(t, stays);
    assert.equal(await (await net.fetch(get("http://elsewhere.test/"))).text(100), "ok");
    assert.equal(await (await net.fetch(get("http://site.test/"))).text(100), "ok");
    assert.deepEqual(proxy.asked, ["elsewhere.test:80", "site.test:80"]);
  },
);

bothClients("a proxy of the environment opens no way to private and metadata addresses", async (t, stays) => {
  const { net, proxy } = await behindProxy(t, stays);
  assert.match(await whyOf(net.fetch(get("http://10.0.0.5/"))), /^blocked .*10\.0\.0\.5 is a private address/);
  assert.match(await whyOf(net.fetch(get("http://inside.test/"))), /^blocked .*inside\.test is 10\.0\.0\.5, a private/);
  assert.match(await whyOf(net.fetch(get("http://169.254.169.254/"))), /^blocked .*metadata/);
  assert.match(await whyOf(net.fetch(get("http://metadata.google.internal/"))), /^blocked .*metadata/);
  assert.deepEqual(proxy.asked, []);
});

bothClients("NO_PROXY, this machine and requests for loopback go past the proxy", async (t, stays) => {
  const { net, proxy, port } = await behindProxy(t, stays);
  assert.match(await whyOf(net.fetch(get("http://direct.test/"))), /^dns /);
  const here = get(`http://127.0.0.1:${port}/`, { purpose: "model" });
  assert.equal(await (await net.fetch(here)).text(100), "ok");
  assert.equal(await (await net.fetch({ ...here, purpose: "loopback" })).text(100), "ok");
  assert.deepEqual(proxy.asked, []);
});

bothClients("behind a proxy, too, each redirect is looked at", async (t, stays) => {
  const { net, proxy } = await behindProxy(t, stays, (_request, response) =>
    response.writeHead(302, { location: "http://192.168.1.1/admin" }).end(),
  );
  assert.match(await whyOf(net.fetch(get("http://elsewhere.test/"))), /^blocked .*192\.168\.1\.1/);
  assert.deepEqual(proxy.asked, ["elsewhere.test:80"]);
});

bothClients("what one request must not reach is asked for it alone, at each hop", async (t, stays) => {
  const asked: string[] = [];
  const { net } = await behindProxy(t, stays, (request, response) =>
    request.url === "/first"
      ? response.writeHead(302, { location: "http://other.test/second" }).end()
      : response.end("ok"),
  );
  const refuse = async (url: URL) => {
    asked.push(url.href);
    return url.hostname === "other.test" ? "not there" : undefined;
  };
  assert.match(await whyOf(net.fetch(get("http://elsewhere.test/first", { refuse }))), /^blocked blocked: not there/);
  assert.deepEqual(asked, ["http://elsewhere.test/first", "http://other.test/second"]);
  assert.equal(await (await net.fetch(get("http://elsewhere.test/first"))).text(100), "ok");
});

bothClients("what the settings refuse is asked at each hop of a web request, and of no other", async (t, stays) => {
  const refuse = async (url: URL) => (url.hostname === "other.test" ? "on the list" : undefined);
  const { net } = await behindProxy(
    t,
    stays,
    (request, response) =>
      request.url === "/first" ? response.writeHead(302, { location: "http://other.test/" }).end() : response.end("ok"),
    { refuse },
  );
  assert.match(await whyOf(net.fetch(get("http://elsewhere.test/first"))), /blocked: on the list/);
  assert.equal(await (await net.fetch(get("http://other.test/", { purpose: "model" }))).text(100), "ok");
});
