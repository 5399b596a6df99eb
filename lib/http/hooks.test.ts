import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { type TestContext, test } from "node:test";
import { gzipSync } from "node:zlib";
import { manualClock } from "../../fixtures/ports/clock.js";
import { type Log, silentLog } from "../base/log/log.js";
import {
  HOOK_BODY_BYTES,
  type HookListener,
  type HookPlan,
  type HookRoute,
  hookText,
} from "../contracts/gateway/listen.js";
import { createHooks } from "./hooks.js";

const MAX = HOOK_BODY_BYTES;

const ANSWERS = [
  { name: "a body is given to its route byte by byte", path: "/in", body: "héllo\0", status: 200, text: "7:héllo\0" },
  { name: "a body of exactly the limit is taken", path: "/in", body: "x".repeat(MAX), status: 200 },
  { name: "an announced body above the limit gets 413", path: "/in", body: "x".repeat(MAX + 1), status: 413 },
  {
    name: "a compressed body gets 415",
    path: "/in",
    body: gzipSync("x"),
    headers: { "content-encoding": "gzip" },
    status: 415,
  },
  { name: "an unknown path gets 404", path: "/else", body: "", status: 404 },
  { name: "a segment that is no text leads nowhere", path: "/named/%ff", body: "", status: 404 },
  { name: "a named segment is decoded", path: "/named/a%20b", body: "", status: 200, text: "a b" },
  { name: "a handler that fails says nothing about why", path: "/broken", body: "", status: 500 },
] as const;

for (const { name, path, body, status, ...more } of ANSWERS) {
  test(name, async (t) => {
    const { url } = await opened(t);
    const response = await fetch(`${url}${path}`, {
      method: "POST",
      body,
      headers: "headers" in more ? more.headers : {},
    });
    const text = await response.text();
    assert.equal(response.status, status);
    if ("text" in more) assert.equal(text, more.text);
    assert.equal(text.includes("secret"), false);
    assert.equal(response.headers.get("access-control-allow-origin"), null);
  });
}

test("a known path with another method gets 405 with what is allowed", async (t) => {
  const { url } = await opened(t);
  const got = await fetch(`${url}/in`);
  assert.deepEqual([got.status, got.headers.get("allow")], [405, "POST"]);
  const put = await fetch(`${url}/file`, { method: "PUT", body: "x" });
  assert.deepEqual([put.status, put.headers.get("allow")], [405, "GET, HEAD"]);
  const asked = await fetch(`${url}/in`, { method: "OPTIONS", headers: { origin: "https://evil.example" } });
  assert.deepEqual([asked.status, asked.headers.get("access-control-allow-methods")], [405, null]);
});

test("a body without length is cut off at the limit, however long it is", async (t) => {
  const { listener } = await opened(t);
  const socket = connect(listener.port, "127.0.0.1");
  socket.on("error", () => undefined);
  socket.write("POST /in HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n");
  const chunk = `10000\r\n${"x".repeat(0x10000)}\r\n`;
  for (let at = 0; at < 18; at++) socket.write(chunk);
  const [answer] = (await once(socket, "data")) as [Buffer];
  assert.match(answer.toString(), /^HTTP\/1.1 413 /);
  socket.destroy();
});

test("a header that is there twice is no header that one side saw alone", async (t) => {
  const { listener } = await opened(t);
  const socket = connect(listener.port, "127.0.0.1");
  socket.write(
    "POST /header HTTP/1.1\r\nhost: x\r\nx-sig: a\r\nX-Sig: b\r\nconnection: close\r\ncontent-length: 0\r\n\r\n",
  );
  let text = "";
  for await (const part of socket) text += String(part);
  assert.match(text, /a, b$/);
});

test("a port that is taken names the port, its setting, and the listener of this home or the process that holds it", async (t) => {
  const { hooks, listener } = await opened(t);
  const fault = await hooks(planOf({ owner: "msgw", port: listener.port, portSetting: "MSGW_PORT" }));
  assert.ok("code" in fault);
  assert.equal(fault.code, "port_in_use");
  assert.match(fault.message, new RegExp(`^port ${listener.port} is in use: the listener of msgl of this home`));
  assert.match(fault.message, /set MSGW_PORT/);
  const stranger = createServer().listen(0, "127.0.0.1");
  await once(stranger, "listening");
  t.after(() => stranger.close());
  const address = stranger.address();
  assert.ok(typeof address === "object" && address !== null);
  const other = await hooks(planOf({ port: address.port }));
  assert.ok("code" in other);
  assert.match(
    other.message,
    new RegExp(`cannot bind port ${address.port}: cannot listen on .*process ${process.pid} \\(.+\\); set MSGL_PORT`),
  );
  const nowhere = await hooks(planOf({ host: "203.0.113.7", port: 1 }));
  assert.deepEqual("code" in nowhere && [nowhere.code, nowhere.message], [
    "config_invalid",
    "MSGL_HOST is not an address of this machine: 203.0.113.7",
  ]);
});

test("closing ends a body that never ends, finishes an answer that is being made, and frees the port", async (t) => {
  const { hooks, listener, url, slow } = await opened(t);
  const stuck = connect(listener.port, "127.0.0.1");
  const ended = once(stuck, "close");
  stuck.on("error", () => undefined);
  stuck.write("POST /in HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nabc");
  const answer = fetch(`${url}/slow`, { method: "POST", body: "x" });
  await slow.begun;
  const closing = listener.close();
  slow.go();
  assert.equal(await (await answer).text(), "done");
  await closing;
  await ended;
  await listener.close();
  const again = await hooks(planOf({ port: listener.port }));
  assert.ok("close" in again);
  await again.close();
});

test("what is asked and sent is in no log", async (t) => {
  const lines: string[] = [];
  const write = (message: string, fields?: object) => void lines.push(`${message} ${JSON.stringify(fields)}`);
  const { url } = await opened(t, { ...silentLog, error: write, warning: write, info: write, debug: write });
  const headers = { "x-signature": "topsecret" };
  await fetch(`${url}/broken?token=topsecret`, { method: "POST", body: "topsecret", headers });
  await fetch(`${url}/in`, { method: "POST", body: "topsecret".repeat(MAX / 8), headers });
  assert.equal(lines.length, 1);
  assert.equal(lines.join().includes("topsecret"), false);
});

function planOf(more: Partial<HookPlan> = {}): HookPlan {
  return { owner: "msgl", host: "127.0.0.1", port: 0, portSetting: "MSGL_PORT", routes: [], ...more };
}

async function opened(t: TestContext, log: Log = silentLog) {
  const hooks = createHooks({ clock: manualClock(), log });
  let begun: () => void = () => undefined;
  let go: () => void = () => undefined;
  const slow = { begun: new Promise<void>((resolve) => (begun = resolve)), go: () => go() };
  const going = new Promise<void>((resolve) => (go = resolve));
  const post = (path: string, run: HookRoute["run"]): HookRoute => ({ method: "POST", path, run });
  const routes: readonly HookRoute[] = [
    post("/in", async (request) => {
      const body = await request.read();
      return hookText(200, `${body.length}:${body.toString("utf8", 0, 100)}`);
    }),
    post("/named/:name", async ({ params }) => hookText(200, params["name"] ?? "")),
    post("/header", async ({ header }) => hookText(200, header("x-sig") ?? "none")),
    post("/broken", async () => {
      throw new Error("a broken thing");
    }),
    post("/slow", async (request) => {
      await request.read();
      begun();
      await going;
      return hookText(200, "done");
    }),
    { method: "GET", path: "/file", run: async () => hookText(200, "file") },
  ];
  const listener = await hooks(planOf({ routes }));
  assert.ok("close" in listener);
  t.after(() => (listener as HookListener).close()); // asserted above
  return { hooks, listener, slow, url: `http://127.0.0.1:${listener.port}` };
}
