import assert from "node:assert/strict";
import { createServer as createTlsServer } from "node:https";
import { createServer, type Server, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { gzipSync } from "node:zlib";
import { bothClients } from "../../../fixtures/both-clients.js";
import { LOOPBACK_TLS } from "../../../fixtures/loopback-tls.js";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { startForwardProxy } from "../../../fixtures/servers/forward-proxy.js";
import { NetError, type NetFailure, type NetRequest } from "../../base/net/net.js";
import { systemClock } from "../../base/time/clock.js";
import { headersFrom } from "./http-client.js";
import { createNet, type NetOptions } from "./net.js";
import { parseProxy } from "./tunnel.js";

const CRLF = "\r\n";
const head = (...lines: readonly string[]) => `${["HTTP/1.1 200 OK", ...lines].join(CRLF)}${CRLF}${CRLF}`;

/** A server that speaks in bytes: `speak` gets each request with its connection. */
async function setup(
  t: TestContext,
  stays: boolean,
  speak: (socket: Socket, request: string, count: number) => unknown,
  options: Partial<NetOptions> = {},
) {
  const sockets = new Set<Socket>();
  let requests = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    let seen = "";
    socket.on("error", () => socket.destroy());
    socket.on("data", (bytes: Buffer) => {
      seen += bytes.toString("latin1");
      if (!seen.includes(CRLF + CRLF)) return;
      const request = seen;
      seen = "";
      speak(socket, request, ++requests);
    });
  });
  const port = await listening(server);
  const net = createNet({ clock: systemClock, allowPrivate: () => true, stays, ...options });
  t.after(async () => {
    await net.close();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const url = `http://127.0.0.1:${port}/`;
  const ask = (more: Partial<NetRequest> = {}) =>
    net.fetch({ method: "GET", url, headers: {}, purpose: "web", ...more });
  const read = async (more: Partial<NetRequest> = {}) => (await ask(more)).text(1 << 20);
  return { net, url, ask, read, sockets, connections: () => sockets.size };
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

async function failure(work: Promise<unknown>): Promise<NetFailure> {
  const error = await work.then(
    (value) => assert.fail(`expected a failure, got ${JSON.stringify(value)}`),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof NetError, String(error));
  return error.failure;
}

bothClients("an answer in pieces of one byte is read as it was meant", async (t, stays) => {
  const answer = `${head("Transfer-Encoding: chunked", "X-Mark:  padded ")}5${CRLF}hello${CRLF}1;ext=1${CRLF}!${CRLF}0${CRLF}Trailer: x${CRLF}${CRLF}`;
  const { ask } = await setup(t, stays, async (socket) => {
    socket.setNoDelay(true);
    for (const byte of answer) {
      socket.write(byte);
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
  const response = await ask();
  assert.deepEqual([await response.text(100), response.headers["x-mark"]], ["hello!", "padded"]);
});

const CUT_SHORT: readonly (readonly [what: string, answer: string])[] = [
  ["a chunked answer", `${head("Transfer-Encoding: chunked")}5${CRLF}hello${CRLF}`],
  ["a chunked answer inside a chunk", `${head("Transfer-Encoding: chunked")}ff${CRLF}hello`],
  [
    "a chunked answer on a connection that is not kept",
    `${head("Connection: close", "Transfer-Encoding: chunked")}5${CRLF}hello${CRLF}`,
  ],
  ["an answer of a stated length", `${head("Content-Length: 10")}hello`],
  [
    "an answer of a stated length on a connection that is not kept",
    `${head("Connection: close", "Content-Length: 10")}hello`,
  ],
];

for (const [what, answer] of CUT_SHORT) {
  for (const end of ["end", "resetAndDestroy"] as const) {
    bothClients(`${what} that is cut off (${end}) is never taken for a whole one`, async (t, stays) => {
      const { ask } = await setup(t, stays, (socket) => socket.write(answer, () => socket[end]()));
      const work = ask().then((response) => response.text(100));
      assert.equal(await failure(work), "reset");
    });
  }
}

bothClients("an answer without a length ends with its connection", async (t, stays) => {
  const { read } = await setup(t, stays, (socket) => socket.end(`${head()}all of it`));
  assert.equal(await read(), "all of it");
});

bothClients("an answer of the older protocol is read", async (t, stays) => {
  const { read } = await setup(t, stays, (socket) => socket.end(`HTTP/1.0 200 OK${CRLF}${CRLF}old`));
  assert.equal(await read(), "old");
});

bothClients("news before the answer are no answer", async (t, stays) => {
  const early = `HTTP/1.1 103 Early Hints${CRLF}Link: </a>${CRLF}${CRLF}HTTP/1.1 102 Processing${CRLF}${CRLF}`;
  const { ask } = await setup(t, stays, (socket) => socket.write(`${early}${head("Content-Length: 4")}late`));
  const response = await ask();
  assert.deepEqual([response.status, response.headers["link"], await response.text(9)], [200, undefined, "late"]);
});

for (const [how, pieces] of [
  ["at once", (text: string) => [text]],
  ["byte by byte", (text: string) => [...text]],
] as const) {
  bothClients(`leave to go on that nobody asked for is no answer, ${how}`, async (t, stays) => {
    const go = `HTTP/1.1 100 Continue${CRLF}${CRLF}`;
    const { read } = await setup(t, stays, async (socket, _request, count) => {
      socket.setNoDelay(true);
      for (const piece of pieces(`${go}${go}${head("Content-Length: 19")}HTTP/1.1 100 and ${count}.`)) {
        socket.write(piece);
        await new Promise((resolve) => setImmediate(resolve));
      }
    });
    for (const count of [1, 2]) assert.equal(await read({ method: "POST", body: "x" }), `HTTP/1.1 100 and ${count}.`);
  });
}

bothClients("a head without end is given up, however slowly it goes on", async (t, stays) => {
  const clock = manualClock();
  let dripped: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => {
    dripped = resolve;
  });
  const { ask } = await setup(t, stays, (socket) => socket.write(`HTTP/1.1 200 OK${CRLF}X-Drip: `, dripped), { clock });
  const work = failure(ask({ idleMs: 5_000, totalMs: 0 }));
  await begun;
  clock.advance(5_000);
  assert.equal(await work, "timeout");
});

bothClients("a head of more than 16 KiB is refused", async (t, stays) => {
  const { ask } = await setup(t, stays, (socket) => socket.write(head(`X-Long: ${"x".repeat(17 << 10)}`)));
  assert.equal(await failure(ask()), "protocol");
  const some = await setup(t, stays, (socket) =>
    socket.write(head(`X-Long: ${"x".repeat(12 << 10)}`, "Content-Length: 0")),
  );
  assert.equal((await some.ask()).status, 200);
});

bothClients("what follows an answer unasked is never taken for the next one", async (t, stays) => {
  const { read } = await setup(t, stays, (socket, _request, count) =>
    socket.write(
      count === 1
        ? `${head("Content-Length: 3")}one${head("Content-Length: 4")}evil`
        : `${head("Content-Length: 3")}two`,
    ),
  );
  assert.equal(await read(), "one");
  assert.equal(await read(), "two");
});

const NONSENSE: readonly (readonly [what: string, answer: string])[] = [
  ["two lengths", `${head("Content-Length: 3", "Content-Length: 4")}abcd`],
  ["a length and chunks", `${head("Content-Length: 3", "Transfer-Encoding: chunked")}0${CRLF}${CRLF}`],
  ["a length that is no number", `${head("Content-Length: many")}abcd`],
  ["a chunk without a size", `${head("Transfer-Encoding: chunked")}zz${CRLF}`],
];
for (const [what, answer] of NONSENSE) {
  bothClients(`an answer with ${what} is refused`, async (t, stays) => {
    const { ask } = await setup(t, stays, (socket) => socket.write(answer));
    assert.equal(await failure(ask().then((response) => response.text(100))), "protocol");
  });
}

bothClients("a compressed answer that is broken or cut off is told", async (t, stays) => {
  const packed = gzipSync("hello".repeat(1_000));
  for (const body of [packed.subarray(0, 20), Buffer.from("no gzip at all")]) {
    const { ask } = await setup(t, stays, (socket) => {
      socket.write(head("Content-Encoding: gzip", `Content-Length: ${body.length}`));
      socket.write(body);
    });
    assert.equal(await failure(ask().then((response) => response.text(100_000))), "protocol");
  }
});

bothClients("a small answer that unpacks to much is read only as far as it may", async (t, stays) => {
  const bomb = gzipSync(Buffer.alloc(64 << 20));
  const { ask } = await setup(t, stays, (socket) => {
    socket.write(head("Content-Encoding: gzip", `Content-Length: ${bomb.length}`));
    socket.write(bomb);
  });
  const response = await ask({ maxBytes: 1 << 20 });
  let read = 0;
  const reading = (async () => {
    for await (const part of response.body) read += part.length;
  })();
  assert.equal(await failure(reading), "protocol");
  assert.ok(read <= 1 << 20);
});

bothClients("a connection that the server ended meanwhile is not used again", async (t, stays) => {
  const { read, sockets, connections } = await setup(t, stays, (socket) =>
    socket.write(`${head("Content-Length: 2")}ok`),
  );
  assert.equal(await read(), "ok");
  const [first] = sockets;
  const gone = new Promise((resolve) => first?.once("close", resolve));
  first?.end();
  await gone;
  assert.equal(await read({ method: "POST", body: "x" }), "ok");
  assert.equal(connections(), 2);
});

bothClients("a server is told that a connection is not to be kept", async (t, stays) => {
  const { read, connections } = await setup(t, stays, (socket, request) => {
    assert.match(request, /connection: close/i);
    socket.end(`${head("Content-Length: 2")}ok`);
  });
  const headers = { Connection: "close" };
  assert.deepEqual([await read({ headers }), await read({ headers }), connections()], ["ok", "ok", 2]);
});

bothClients("many requests at once are all answered, and their connections serve the next ones", async (t, stays) => {
  const { read, connections } = await setup(t, stays, (socket) => socket.write(`${head("Content-Length: 2")}ok`));
  const answers = await Promise.all(Array.from({ length: 30 }, () => read()));
  assert.deepEqual([answers.length, new Set(answers), connections() <= 30], [30, new Set(["ok"]), true]);
  const before = connections();
  for (let n = 0; n < 3; n++) await read();
  assert.ok(connections() <= before + 1);
});

bothClients("a header is sent once, whoever names it, and none about the connection", async (t, stays) => {
  let seen = "";
  const { read } = await setup(t, stays, (socket, request) => {
    seen = request;
    socket.write(`${head("Content-Length: 2")}ok`);
  });
  const headers = {
    "Accept-Encoding": "gzip",
    "Keep-Alive": "timeout=5",
    Connection: "upgrade, x-mark",
    Upgrade: "other",
    Expect: "100-continue",
    "Transfer-Encoding": "chunked",
    "X-Mark": "hé",
  };
  assert.equal(await read({ method: "POST", body: "grüß", headers }), "ok");
  const lines = seen.split(CRLF).map((line) => line.toLowerCase());
  const values = (name: string) =>
    lines.filter((line) => line.startsWith(`${name}:`)).map((line) => line.slice(name.length + 2));
  assert.deepEqual(values("accept-encoding"), ["gzip"]);
  assert.deepEqual(values("content-length"), ["6"]);
  assert.deepEqual(
    [values("keep-alive"), values("upgrade"), values("expect"), values("transfer-encoding")],
    [[], [], [], []],
  );
  assert.deepEqual([values("connection"), values("x-mark")], [["keep-alive"], ["hé"]]);
  assert.equal(values("host").length, 1);
});

bothClients("a request without a body says so where one is usual", async (t, stays) => {
  let seen = "";
  const { read } = await setup(t, stays, (socket, request) => {
    seen = request;
    socket.write(`${head("Content-Length: 2")}ok`);
  });
  for (const body of [undefined, ""]) {
    assert.equal(await read({ method: "POST", ...(body === undefined ? {} : { body }) }), "ok");
    assert.match(seen, /content-length: 0/i);
  }
});

bothClients("a header that would break the request is never sent", async (t, stays) => {
  const { ask, connections } = await setup(t, stays, (socket) => socket.write(head("Content-Length: 0")));
  assert.equal(await failure(ask({ headers: { "X-Mark": "a\r\nX-Other: b" } })), "protocol");
  assert.equal(connections(), 0);
});

bothClients("an answer that comes before the body was sent is read, and the body is let go", async (t, stays) => {
  let left: () => void = () => undefined;
  const gone = new Promise<void>((resolve) => {
    left = resolve;
  });
  const { ask } = await setup(t, stays, (socket, _request, count) => {
    if (count === 1)
      socket.write(`HTTP/1.1 413 Too Large${CRLF}Connection: close${CRLF}Content-Length: 3${CRLF}${CRLF}big`);
  });
  async function* pieces() {
    try {
      for (;;) yield Buffer.alloc(64 << 10);
    } finally {
      left();
    }
  }
  const response = await ask({ method: "POST", body: pieces(), redirects: false });
  assert.deepEqual([response.status, await response.text(10)], [413, "big"]);
  response.cancel();
  await gone;
});

bothClients("an encrypted request through a proxy is verified end to end", async (t, stays) => {
  const server = createTlsServer(LOOPBACK_TLS, (request, response) => response.end(`hello ${request.headers.host}`));
  const port = await listening(server);
  const proxy = await startForwardProxy({ kind: "http", to: port });
  const net = createNet({ clock: systemClock, allowPrivate: () => true, stays });
  t.after(async () => {
    await net.close();
    await proxy.close();
    server.close();
  });
  const by = parseProxy(`http://127.0.0.1:${proxy.port}`);
  const ask = (host: string, ca: string | undefined) =>
    net.fetch({
      method: "GET",
      url: `https://${host}/`,
      headers: {},
      purpose: "model",
      proxy: by,
      ...(ca && { trust: { ca } }),
    });
  assert.equal(await (await ask("localhost", LOOPBACK_TLS.cert)).text(100), "hello localhost");
  assert.equal(await failure(ask("other.test", LOOPBACK_TLS.cert)), "tls");
  assert.equal(await failure(ask("localhost", undefined)), "tls");
});

test("headers of an answer are joined as those of Node are", () => {
  const raw = ["Set-Cookie", "a=1", "set-cookie", "b=2", "Server", "one", "server", "two", "Via", "x", "via", "y"];
  assert.deepEqual(headersFrom(raw), { "set-cookie": "a=1, b=2", server: "one", via: "x, y" });
});
