import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type TestContext, test } from "node:test";
import { gzipSync } from "node:zlib";
import { bothClients } from "../../../fixtures/both-clients.js";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { proves } from "../../../fixtures/requirements.js";
import { type Net, NetError, type NetRequest, type NetResponse } from "../../base/net/net.js";
import { systemClock } from "../../base/time/clock.js";
import { waitText } from "./exchange.js";
import { createNet, type NetOptions } from "./net.js";

const PUBLIC = "93.184.216.34";

/** Names of the fake resolver. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  "site.test": [PUBLIC],
  "other.test": [PUBLIC],
  "private.test": ["10.0.0.5"],
  "loop.test": ["127.0.0.1"],
  "meta.test": ["169.254.169.254"],
  "mixed.test": [PUBLIC, "10.0.0.5"],
  "six.test": ["fd12::1"],
  "mapped.test": ["::ffff:169.254.169.254"],
  "fake.test": ["198.18.0.7"],
  localhost: ["127.0.0.1"],
};

/** Blocked for `web` whatever way they are reached. `always`: also with private addresses allowed. */
const BLOCKED: readonly (readonly [host: string, always: boolean])[] = [
  ["127.0.0.1", false],
  ["127.1", false],
  ["2130706433", false],
  ["0x7f000001", false],
  ["0x7f.0.0.1", false],
  ["0177.0.0.1", false],
  ["017700000001", false],
  ["127.0.0.1.", false],
  ["127.255.0.9", false],
  ["localhost", false],
  ["LOCALHOST.", false],
  ["loop.test", false],
  ["[::1]", false],
  ["[0:0:0:0:0:0:0:1]", false],
  ["[::ffff:127.0.0.1]", false],
  ["[::ffff:7f00:1]", false],
  ["[64:ff9b::7f00:1]", false],
  ["[2002:7f00:1::]", false],
  ["10.0.0.5", false],
  ["167772165", false],
  ["012.0.0.5", false],
  ["0xa000005", false],
  ["10.5", false],
  ["private.test", false],
  ["private.test.", false],
  ["mixed.test", false],
  ["172.16.0.1", false],
  ["172.31.9.9", false],
  ["192.168.0.1", false],
  ["192.168.257", false],
  ["[::ffff:192.168.0.1]", false],
  ["[2002:c0a8:1::]", false],
  ["100.64.0.1", false],
  ["0.0.0.0", false],
  ["0", false],
  ["[::]", false],
  ["224.0.0.1", false],
  ["255.255.255.255", false],
  ["240.0.0.1", false],
  ["192.0.2.1", false],
  ["198.18.0.1", false],
  ["fake.test", false],
  ["[fc00::1]", false],
  ["[fd12::1]", false],
  ["six.test", false],
  ["[ff02::1]", false],
  ["[2001:db8::1]", false],
  ["169.254.169.254", true],
  ["2852039166", true],
  ["0xa9fea9fe", true],
  ["0251.0376.0251.0376", true],
  ["169.254.43518", true],
  ["[::ffff:169.254.169.254]", true],
  ["[::ffff:a9fe:a9fe]", true],
  ["[64:ff9b::a9fe:a9fe]", true],
  ["[2002:a9fe:a9fe::]", true],
  ["100.100.100.200", true],
  ["[fd00:ec2::254]", true],
  ["[fe80::1]", true],
  ["meta.test", true],
  ["mapped.test", true],
  ["metadata.google.internal", true],
];

for (const [host, always] of BLOCKED) {
  bothClients(`a web request to ${host} is blocked`, async (t, stays) => {
    const { net, seen } = await setup(t, stays);
    await blocked(net.fetch(get(`http://${host}/x`)));
    assert.equal(seen(), 0);
  });

  bothClients(`a redirect to ${host} is blocked`, async (t, stays) => {
    const { net, seen } = await setup(t, stays, {}, redirectTo(`http://${host}/x`));
    await blocked(net.fetch(get("http://site.test/")));
    assert.equal(seen(), 1);
  });

  if (!always) continue;
  bothClients(`${host} stays blocked for configured endpoints and with private addresses allowed`, async (t, stays) => {
    const { net } = await setup(t, stays, { allowPrivate: () => true });
    await blocked(net.fetch(get(`http://${host}/x`)));
    await blocked(net.fetch({ ...get(`http://${host}/x`), purpose: "model" }));
  });
}

/** Addresses that a socket may turn out to be connected to, whatever its name said. */
const REBOUND = [
  "127.0.0.1",
  "127.0.0.53",
  "127.255.255.254",
  "0.0.0.0",
  "0.1.2.3",
  "10.0.0.5",
  "10.255.255.255",
  "172.16.0.1",
  "172.31.255.254",
  "192.168.0.1",
  "192.168.255.255",
  "100.64.0.1",
  "100.127.255.254",
  "100.100.100.200",
  "169.254.169.254",
  "169.254.0.1",
  "169.254.170.2",
  "192.0.0.8",
  "192.0.2.1",
  "198.18.0.1",
  "198.19.255.255",
  "198.51.100.1",
  "203.0.113.9",
  "224.0.0.1",
  "239.255.255.250",
  "240.0.0.1",
  "255.255.255.255",
  "::1",
  "::",
  "fe80::1",
  "fe80::1%eth0",
  "febf::1",
  "fc00::1",
  "fd12::1",
  "fd00:ec2::254",
  "ff02::1",
  "ff05::2",
  "2001:db8::1",
  "::ffff:127.0.0.1",
  "::ffff:10.0.0.5",
  "::ffff:172.16.0.1",
  "::ffff:192.168.0.1",
  "::ffff:169.254.169.254",
  "::ffff:100.64.0.1",
  "::ffff:0.0.0.0",
  "::ffff:224.0.0.1",
  "::ffff:7f00:1",
  "::ffff:a9fe:a9fe",
  "::ffff:c0a8:1",
  "0:0:0:0:0:ffff:a00:5",
  "64:ff9b::7f00:1",
  "64:ff9b::a9fe:a9fe",
  "64:ff9b::10.0.0.5",
  "64:ff9b::c0a8:1",
  "64:ff9b::6440:1",
  "2002:7f00:1::",
  "2002:a9fe:a9fe::",
  "2002:a00:5::1",
  "2002:c0a8:1::",
  "2002:6440:1::",
];

for (const address of REBOUND) {
  bothClients(
    `a socket that turns out to be connected to ${address} is closed before anything is sent`,
    async (t, stays) => {
      const { net, seen } = await setup(t, stays, { peer: () => address });
      await blocked(net.fetch(get("http://site.test/")));
      assert.equal(seen(), 0);
    },
  );
}

bothClients("a name is looked up once and the connection goes to the address that was checked", async (t, stays) => {
  let asked = 0;
  const dialled: string[] = [];
  const { net, port } = await setup(t, stays, {
    resolve: async () => (++asked === 1 ? [PUBLIC] : ["127.0.0.1"]),
    dial: (address) => {
      dialled.push(address);
      return { address: "127.0.0.1", port: port() };
    },
  });
  assert.equal((await net.fetch(get("http://rebind.test/"))).status, 200);
  assert.deepEqual(dialled, [PUBLIC]);
  await blocked(net.fetch(get("http://rebind.test/")));
});

bothClients("a name that cannot be resolved is not asked", async (t, stays) => {
  const { net } = await setup(t, stays);
  await fails("dns", net.fetch(get("http://unknown.test/")));
});

bothClients("file, gopher and data addresses are blocked", async (t, stays) => {
  const { net } = await setup(t, stays);
  for (const url of ["file:///etc/passwd", "gopher://site.test/", "data:text/plain,x"])
    await blocked(net.fetch(get(url)));
});

bothClients("the block names host, address and the key that would allow it", async (t, stays) => {
  const { net } = await setup(t, stays);
  const error = await blocked(net.fetch(get("http://private.test/")));
  assert.equal(error.message, "blocked: private.test is 10.0.0.5, a private address (security.allow_private_urls)");
});

bothClients("an address can be refused for what it says, at every hop", async (t, stays) => {
  const refuse = (url: URL) => (url.search.includes("hush") ? "the address carries a secret" : undefined);
  const { net, seen } = await setup(t, stays, { refuse }, redirectTo("http://site.test/?q=hush"));
  assert.equal(
    (await blocked(net.fetch(get("http://site.test/?q=hush")))).message,
    "blocked: the address carries a secret",
  );
  assert.equal(seen(), 0);
  await blocked(net.fetch(get("http://site.test/")));
  assert.equal(seen(), 1);
});

bothClients("private addresses can be allowed", async (t, stays) => {
  proves(t, "config.security.allow-private-urls");
  const { net } = await setup(t, stays, { allowPrivate: () => true });
  assert.equal((await net.fetch(get("http://private.test/"))).status, 200);
});

bothClients("an address of a local proxy counts for a name, never as a literal", async (t, stays) => {
  const { net } = await setup(t, stays, { fakeIpRanges: () => ["198.18.0.0/15"], peer: () => "198.18.0.7" });
  assert.equal((await net.fetch(get("http://fake.test/"))).status, 200);
  await blocked(net.fetch(get("http://198.18.0.7/")));
});

bothClients(
  "a configured endpoint may be private, but not send the request on to another private host",
  async (t, stays) => {
    const { net } = await setup(t, stays, {}, redirectTo("http://private.test/"));
    await blocked(net.fetch({ ...get("http://loop.test/"), purpose: "model" }));
  },
);

bothClients("the search for local servers reaches loopback only", async (t, stays) => {
  const { net } = await setup(t, stays);
  await blocked(net.fetch({ ...get("http://site.test/"), purpose: "loopback" }));
  const here = await setup(t, stays, { peer: () => "127.0.0.1" });
  assert.equal((await here.net.fetch({ ...get("http://127.0.0.1/"), purpose: "loopback" })).status, 200);
});

bothClients("credentials do not follow a redirect to another origin", async (t, stays) => {
  const heads: IncomingMessage["headers"][] = [];
  const { net } = await setup(t, stays, {}, (request, response) => {
    heads.push(request.headers);
    if (request.headers.host === "site.test") redirectTo("http://other.test/")(request, response);
    else response.end("there");
  });
  const response = await net.fetch({
    ...get("http://site.test/"),
    headers: { Authorization: "Bearer x", "X-Api-Key": "y", accept: "a" },
  });
  assert.equal(await response.text(100), "there");
  assert.equal(response.url, "http://other.test/");
  assert.equal(heads[0]?.authorization, "Bearer x");
  assert.equal(heads[1]?.authorization, undefined);
  assert.equal(heads[1]?.["x-api-key"], undefined);
  assert.equal(heads[1]?.accept, "a");
});

bothClients("a redirect chain ends after five hops", async (t, stays) => {
  const { net, seen } = await setup(t, stays, {}, redirectTo("http://site.test/again"));
  await fails("protocol", net.fetch(get("http://site.test/")));
  assert.equal(seen(), 6);
});

bothClients("an answer over the cap ends with an error, and text() cuts", async (t, stays) => {
  const { net } = await setup(t, stays, {}, (_request, response) => response.end("x".repeat(5000)));
  const response = await net.fetch({ ...get("http://site.test/"), maxBytes: 1000 });
  await fails("protocol", drain(response));
  assert.equal((await (await net.fetch(get("http://site.test/"))).text(10)).length, 10);
});

bothClients("a compressed answer counts by its real size", async (t, stays) => {
  const { net } = await setup(t, stays, {}, (_request, response) => {
    response.writeHead(200, { "content-encoding": "gzip" });
    response.end(gzipSync(Buffer.alloc(1 << 20)));
  });
  assert.equal((await (await net.fetch(get("http://site.test/"))).text(2 << 20)).length, 1 << 20);
  await fails("protocol", drain(await net.fetch({ ...get("http://site.test/"), maxBytes: 100_000 })));
});

bothClients("silence ends with a timeout, before and during the body", async (t, stays) => {
  const clock = manualClock();
  const arrived = gate();
  const { net } = await setup(t, stays, { clock }, (request, response) => {
    if (request.url === "/body") response.write("begin");
    else arrived.open();
  });
  const waiting = net.fetch({ ...get("http://site.test/never"), idleMs: 5_000, totalMs: 0 });
  const ended = fails("timeout", waiting);
  await arrived.opened;
  clock.advance(5_000);
  await ended;
  const response = await net.fetch({ ...get("http://site.test/body"), idleMs: 5_000, totalMs: 0 });
  const body = response.body[Symbol.asyncIterator]();
  assert.equal(Buffer.from((await body.next()).value ?? []).toString(), "begin");
  const silent = fails("timeout", body.next());
  await clock.waits(1);
  clock.advance(5_000);
  await silent;
});

bothClients("an abort closes the socket, and waits for no timer", async (t, stays) => {
  const closed = gate();
  const { net } = await setup(t, stays, { clock: manualClock() }, (request, response) => {
    request.socket.once("close", closed.open);
    response.write("begin");
  });
  const control = new AbortController();
  const response = await net.fetch({ ...get("http://site.test/"), signal: control.signal });
  const reading = fails("aborted", drain(response));
  control.abort();
  await reading;
  await closed.opened;
});

bothClients("an abort before the answer, and one before the request, are told as such", async (t, stays) => {
  const { net } = await setup(t, stays, {}, () => undefined);
  const control = new AbortController();
  const waiting = fails("aborted", net.fetch({ ...get("http://site.test/"), signal: control.signal }));
  control.abort();
  await waiting;
  await fails("aborted", net.fetch({ ...get("http://site.test/"), signal: control.signal }));
});

bothClients("a connection is used again, and not after a rebuild", async (t, stays) => {
  const ports = new Set<number | undefined>();
  const { net } = await setup(t, stays, {}, (request, response) => {
    ports.add(request.socket.remotePort);
    response.end("ok");
  });
  for (let n = 0; n < 3; n++) await (await net.fetch(get("http://site.test/"))).text(100);
  assert.equal(ports.size, 1);
  await net.rebuild();
  await (await net.fetch(get("http://site.test/"))).text(100);
  assert.equal(ports.size, 2);
});

bothClients(
  "a reader who stops at the mark of the end leaves the connection to the next request, although the end came later",
  async (t, stays) => {
    const ports = new Set<number | undefined>();
    let end: () => void = () => undefined;
    const { net } = await setup(t, stays, { clock: manualClock() }, (request, response) => {
      ports.add(request.socket.remotePort);
      response.write("data: [DONE]\n\n");
      end = () => response.end();
    });
    const other = await setup(t, stays, {}, (_request, response) => response.end("ok"));
    for (let n = 0; n < 3; n++) {
      for await (const _part of (await net.fetch(get("http://site.test/"))).body) break;
      end();
      await (await other.net.fetch(get("http://site.test/"))).text(100); // the end, which was sent before, is here as well
    }
    assert.equal(ports.size, 1);
  },
);

bothClients("nobody listening is told as refused, a cut connection as reset", async (t, stays) => {
  const { net } = await setup(t, stays, { dial: () => ({ address: "127.0.0.1", port: 1 }) });
  await fails("refused", net.fetch(get("http://site.test/")));
  const cut = await setup(t, stays, {}, (request) => request.socket.resetAndDestroy());
  await fails("reset", cut.net.fetch(get("http://site.test/")));
});

bothClients("what is no HTTP is told as protocol", async (t, stays) => {
  const { net } = await setup(t, stays, {}, (request) => request.socket.end("nonsense\r\n\r\n"));
  await fails("protocol", net.fetch(get("http://site.test/")));
});

bothClients("an answer that changes the protocol is an error, not a wait without end", async (t, stays) => {
  const upgrade = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n";
  const { net } = await setup(t, stays, {}, (request) => request.socket.write(upgrade));
  await fails("protocol", net.fetch(get("http://site.test/")));
});

bothClients("a closed network ends what is open", async (t, stays) => {
  const { net } = await setup(t, stays, {}, (_request, response) => response.write("begin"));
  const response = await net.fetch(get("http://site.test/"));
  const reading = fails("aborted", drain(response));
  await net.close();
  await reading;
});

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A real server on loopback behind public names; the door believes that it is connected to a public address. */
async function setup(
  t: TestContext,
  stays: boolean,
  options: Partial<NetOptions> = {},
  handler: Handler = (_request, response) => response.end("ok"),
) {
  let requests = 0;
  let port = 0;
  const server = createServer((request, response) => {
    requests += 1;
    handler(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  port = typeof address === "object" && address !== null ? address.port : 0;
  const net: Net = createNet({
    clock: systemClock,
    allowPrivate: () => false,
    resolve: async (host) => NAMES[host] ?? Promise.reject(Object.assign(new Error("no"), { code: "ENOTFOUND" })),
    dial: () => ({ address: "127.0.0.1", port }),
    peer: () => PUBLIC,
    stays,
    ...options,
  });
  t.after(async () => {
    await net.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { net, seen: () => requests, port: () => port };
}

const get = (url: string): NetRequest => ({ method: "GET", url, headers: {}, purpose: "web" });
const redirectTo =
  (location: string): Handler =>
  (_request, response) =>
    response.writeHead(302, { location }).end();

async function fails(failure: NetError["failure"], work: Promise<unknown>): Promise<NetError> {
  const error = await work.then(
    () => assert.fail(`expected ${failure}`),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof NetError, String(error));
  assert.equal(error.failure, failure, error.message);
  return error;
}

const blocked = (work: Promise<unknown>) => fails("blocked", work);

async function drain(response: NetResponse): Promise<void> {
  for await (const part of response.body) assert.ok(part.length > 0);
}

function gate(): { opened: Promise<void>; open: () => void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

test("a limit that runs out is named in seconds, whatever was left of it", () => {
  assert.deepEqual([19_999.995552, 30_000, 1_500, 250.4].map(waitText), ["20 s", "30 s", "1.5 s", "251 ms"]);
});
