import assert from "node:assert/strict";
import { test } from "node:test";
import { type DashboardWorld, dashboardWorld } from "../../fixtures/dashboard/world.js";
import { idleConnection, sendRaw } from "../../fixtures/http/raw.js";

const TASKS = "/api/plugins/kanban/tasks";
const MIB = 1 << 20;

/** A body that is right, blanks behind it up to so many bytes. */
const padded = (bytes: number): string => {
  const json = '{"title":"padded"}';
  return json + " ".repeat(bytes - json.length);
};

test("a body of the board may have 1 MiB and not a byte more, whether its length is told or not", async (t) => {
  const { ask, open, token } = await dashboardWorld(t);
  assert.equal((await ask("POST", TASKS, padded(MIB))).status, 200);
  const above = await ask("POST", TASKS, padded(MIB + 1));
  assert.deepEqual([above.status, above.json["code"]], [413, "E_TOO_LARGE"]);
  const chunked = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
  const head = `POST ${TASKS} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n`;
  const sent = chunked(padded(MIB)) + chunked(" ");
  const answer = await sendRaw(open.port, `${head}Transfer-Encoding: chunked\r\n\r\n${sent}0\r\n\r\n`);
  assert.match(answer, /^HTTP\/1\.1 413 /);
  assert.match(answer, /"code":"E_TOO_LARGE"/);
});

test("elsewhere a body may have 32 MiB and not a byte more, and who sends more hears it at once", async (t) => {
  const { open, token } = await dashboardWorld(t);
  const head = `PUT /api/config HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nConnection: close\r\n`;
  const body = '{"values":{}}';
  const fits = Buffer.concat([
    Buffer.from(`${head}Content-Length: ${32 * MIB}\r\n\r\n${body}`),
    Buffer.alloc(32 * MIB - body.length, " "),
  ]);
  assert.match(await sendRaw(open.port, fits), /^HTTP\/1\.1 200 /);
  assert.match(await sendRaw(open.port, `${head}Content-Length: ${32 * MIB + 1}\r\n\r\n${body}`), /^HTTP\/1\.1 413 /);
});

const deep = (levels: number): string => `{"title":"deep","metadata":${"[".repeat(levels)}${"]".repeat(levels)}}`;

const BODIES: readonly { readonly what: string; readonly body: string | Buffer; readonly status: number }[] = [
  { what: "no JSON", body: "{", status: 400 },
  { what: "two values", body: '{"title":"a"} {"title":"b"}', status: 400 },
  { what: "no UTF-8", body: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), status: 400 },
  { what: "sixty-five levels", body: deep(64), status: 400 },
  { what: "a hundred thousand levels", body: deep(100_000), status: 400 },
  { what: "a list", body: "[]", status: 422 },
  { what: "null", body: "null", status: 422 },
  { what: "a number for a text", body: '{"title":1}', status: 422 },
  { what: "an object for a text", body: '{"title":{"toString":"x"}}', status: 422 },
  { what: "a text for a number", body: '{"title":"a","priority":"high"}', status: 422 },
  { what: "a number beyond all bounds", body: '{"title":"a","priority":1e400}', status: 422 },
  { what: "a text for a list", body: '{"title":"a","parents":"t_1"}', status: 422 },
  { what: "a missing title", body: '{"__proto__":{"title":"inherited"}}', status: 422 },
  { what: "a constructor", body: '{"constructor":{"prototype":{"title":"inherited"}}}', status: 422 },
];

for (const { what, body, status } of BODIES)
  test(`a body with ${what} is answered with ${status}, in the form of all errors, and makes nothing`, async (t) => {
    const { ask } = await dashboardWorld(t);
    const answer = await ask("POST", TASKS, body);
    assert.equal(answer.status, status, answer.text);
    if (status === 422) assert.ok(answer.json["detail"]?.[0]?.["loc"]?.[0] === ("body" as unknown), answer.text);
    else assert.equal(typeof answer.json["detail"], "string");
    const board = await ask("GET", "/api/plugins/kanban/board");
    assert.ok(!board.text.includes('"title":'), board.text);
  });

test("keys that reach into every object of the program change none", async (t) => {
  const { ask } = await dashboardWorld(t);
  const body = '{"title":"safe","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}';
  assert.equal((await ask("POST", TASKS, body)).status, 200);
  assert.equal((await ask("GET", "/api/plugins/kanban/board?__proto__=1&constructor=2&toString=3")).status, 200);
  assert.equal(Reflect.get({}, "polluted"), undefined);
});

type Send = (world: DashboardWorld) => Promise<string>;
const line =
  (text: string): Send =>
  ({ open }) =>
    sendRaw(open.port, text);
const HEADS: readonly { readonly what: string; readonly send: Send; readonly status: number }[] = [
  {
    what: "a header block above 16 KiB",
    send: line(`GET / HTTP/1.1\r\nHost: localhost\r\nX: ${"x".repeat(16 << 10)}\r\n\r\n`),
    status: 431,
  },
  { what: "no host", send: line("GET / HTTP/1.1\r\n\r\n"), status: 400 },
  { what: "two hosts", send: line("GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n"), status: 400 },
  { what: "an absolute target", send: line("GET http://localhost/ HTTP/1.1\r\nHost: localhost\r\n\r\n"), status: 400 },
  {
    what: "both lengths",
    send: line("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"),
    status: 400,
  },
  {
    what: "a length that is none",
    send: line("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1x\r\n\r\n"),
    status: 400,
  },
  { what: "CONNECT", send: line("CONNECT localhost:1 HTTP/1.1\r\nHost: localhost\r\n\r\n"), status: 405 },
  { what: "TRACE", send: line("TRACE / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"), status: 405 },
  { what: "no HTTP at all", send: line("\x16\x03\x01\x02\x00\x01\x00\r\n\r\n"), status: 400 },
  { what: "a line break in the target", send: line("GET /\rx HTTP/1.1\r\nHost: localhost\r\n\r\n"), status: 400 },
];

for (const { what, send, status } of HEADS)
  test(`a request with ${what} is answered with ${status}, in the form of all errors`, async (t) => {
    const answer = await send(await dashboardWorld(t));
    assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `));
    const { detail, code } = JSON.parse(answer.slice(answer.indexOf("\r\n\r\n") + 4));
    assert.equal(typeof detail, "string");
    assert.match(code, /^E_/);
  });

test("a header block of 16 KiB less a little is read", async (t) => {
  const { askPlain } = await dashboardWorld(t);
  assert.equal((await askPlain("GET", "/api/status", { headers: { x: "x".repeat((16 << 10) - 200) } })).status, 200);
});

test("256 connections are open at once, the next one is refused, and whoever leaves makes room", async (t) => {
  const { open, askPlain } = await dashboardWorld(t);
  const held = await Promise.all(Array.from({ length: 256 }, () => idleConnection(open.port)));
  const next = await idleConnection(open.port);
  assert.equal(await next.refused, true);
  const [first] = held;
  first?.socket.end();
  await first?.refused;
  assert.equal((await askPlain("GET", "/api/status")).status, 200);
  for (const { socket } of held) socket.destroy();
});

test("nothing of a path, a body or a header that was refused comes back as it was sent", async (t) => {
  const { ask } = await dashboardWorld(t);
  const nasty = "<script>alert(1)</script>";
  const answers = [
    await ask("GET", `/api/${encodeURIComponent(nasty)}`),
    await ask("GET", "/api/status", undefined, { origin: nasty }),
    await ask("GET", "/api/status", undefined, { host: nasty }),
    await ask("POST", TASKS, `{"title":${nasty}}`),
    await ask("POST", TASKS, "x", { "content-type": nasty }),
  ];
  for (const { status, text, headers } of answers) {
    assert.ok(status >= 400);
    assert.ok(!text.includes(nasty), text);
    assert.match(String(headers["content-type"]), /^application\/json/);
  }
});
