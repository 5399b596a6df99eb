import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { manualClock } from "../../fixtures/ports/clock.js";
import { startBackplane } from "../../fixtures/sim/backplane.js";
import { nextTurn } from "../base/async/next-turn.js";
import type { AppError } from "../base/errors.js";
import { LIMITS } from "../base/limits.js";
import { connect } from "./client.js";
import { localConnection } from "./local.js";
import { listenLocal, privateDirectory } from "./socket.js";

const CLIENT = { kind: "test", version: "0" };
const CLAIM = { board: "x", task: "t_00000001", run: 1, token: "secret" };

test("a request gets the result of its method, over the socket and inside the process", async (t) => {
  const { server, client } = await startBackplane(t);
  for (const each of [await client(), await localConnection(server, CLIENT)]) {
    assert.deepEqual(await each.call("echo", { text: "hi" }), { text: "hi" });
    assert.deepEqual(each.owner, { protocol: 1, version: "1.2.3", pid: process.pid, home: each.owner.home });
    each.close();
  }
});

test("the socket and its directory belong to this user alone", async (t) => {
  const { home } = await startBackplane(t);
  assert.equal(statSync(home.runDir).mode & 0o777, 0o700);
  assert.equal(statSync(home.socket).mode & 0o777, 0o600);
});

test("a directory that others can enter is corrected, and one behind a link is refused", (t) => {
  const dir = mkdtempSync(join(tmpdir(), "agent-bp-"));
  t.after(() => rmSync(dir, { recursive: true }));
  mkdirSync(join(dir, "open"));
  chmodSync(join(dir, "open"), 0o777);
  privateDirectory(join(dir, "open"));
  assert.equal(statSync(join(dir, "open")).mode & 0o777, 0o700);
  symlinkSync(join(dir, "open"), join(dir, "link"));
  assert.throws(() => privateDirectory(join(dir, "link")), { code: "E_OWNER" });
});

test("a socket file that a killed owner left is replaced", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "agent-bp-"));
  t.after(() => rmSync(dir, { recursive: true }));
  const path = join(dir, "run", "owner.sock");
  mkdirSync(join(dir, "run"));
  writeFileSync(path, "stale");
  const server = await listenLocal(path, { lines: () => undefined, http: () => undefined, failed: () => undefined });
  assert.equal(statSync(path).isSocket(), true);
  await server.close();
});

test("of a client that floods its socket and goes, the waiting calls are dropped", async (t) => {
  const { server, raw, client, counted } = await startBackplane(t);
  const other = await client();
  const flooder = await raw();
  const calls = 500; // more than begin in a few turns, and no more than one read brings
  flooder.send(...Array.from({ length: calls }, (_, id) => ({ id: id + 1, method: "count", params: {} })));
  await flooder.next();
  flooder.socket.destroy();
  while (server.clients() > 1) await nextTurn();
  const begun = counted();
  assert.ok(begun < calls, `${begun} of ${calls} calls had begun when the client was gone`);
  await other.call("echo", { text: "on" });
  assert.equal(counted(), begun);
});

const FAILURES = [
  { name: "an unknown method", method: "nope", params: {}, code: "E_UNKNOWN_METHOD", message: /nope/ },
  { name: "a missing field", method: "echo", params: {}, code: "E_INVALID_PARAMS", message: /^text: / },
  {
    name: "a wrong field deep inside",
    method: "deep",
    params: { a: { b: [1, "x"] } },
    code: "E_INVALID_PARAMS",
    message: /^a\.b\.1: /,
  },
  { name: "a refusal of the method", method: "refuse", params: {}, code: "E_STATE", message: /^not now$/ },
  { name: "a defect of the method", method: "defect", params: {}, code: "E_INTERNAL", message: /^oops$/ },
  {
    name: "an answer that is too large",
    method: "big",
    params: { bytes: LIMITS.messageBytes },
    code: "E_TOO_LARGE",
    message: /bytes/,
  },
  {
    name: "an unknown store",
    method: "events.subscribe",
    params: { store: "board:none" },
    code: "E_NOT_FOUND",
    message: /board:none/,
  },
  {
    name: "a negative cursor",
    method: "events.subscribe",
    params: { store: "board:x", after_seq: -1 },
    code: "E_INVALID_PARAMS",
    message: /^after_seq: /,
  },
  {
    name: "a topic list without topics",
    method: "topics.follow",
    params: { topics: [] },
    code: "E_INVALID_PARAMS",
    message: /^topics: /,
  },
  { name: "a run without argv", method: "run", params: { cwd: "/" }, code: "E_INVALID_PARAMS", message: /^argv: / },
  {
    name: "another protocol",
    method: "hello",
    params: { protocol: 99 },
    code: "E_OWNER",
    message: /protocol 1, not 99/,
  },
];
for (const { name, method, params, code, message } of FAILURES) {
  test(`${name} is answered with ${code}, and the client goes on`, async (t) => {
    const client = await (await startBackplane(t)).client();
    await assert.rejects(client.call(method, params), { code, message });
    assert.deepEqual(await client.call("echo", { text: "on" }), { text: "on" });
  });
}

const BROKEN: readonly { name: string; bytes: string | Buffer; code: string; cut: boolean }[] = [
  { name: "broken JSON", bytes: "{oops\n", code: "E_INVALID", cut: false },
  { name: "half a request", bytes: '{"id":1,"method":"ec\n', code: "E_INVALID", cut: false },
  { name: "a request without method", bytes: '{"id":1}\n', code: "E_INVALID_PARAMS", cut: false },
  {
    name: "a request whose id is no number",
    bytes: '{"id":"one","method":"echo"}\n',
    code: "E_INVALID_PARAMS",
    cut: false,
  },
  { name: "an unknown notification", bytes: '{"method":"echo"}\n', code: "E_INVALID", cut: false },
  {
    name: "parameters that are a list",
    bytes: '{"id":1,"method":"echo","params":[]}\n',
    code: "E_INVALID_PARAMS",
    cut: false,
  },
  { name: "bytes that are no UTF-8", bytes: Buffer.from([0x7b, 0xff, 0xfe, 0x0a]), code: "E_INVALID", cut: true },
  {
    name: "a message of more than 1 MiB",
    bytes: `{"id":1,"method":"echo","params":{"text":"${"x".repeat(LIMITS.messageBytes)}"}}\n`,
    code: "E_INVALID",
    cut: true,
  },
];
for (const { name, bytes, code, cut } of BROKEN) {
  test(`${name} is answered with an error${cut ? ", and the connection is closed" : ", and the next message is heard"}`, async (t) => {
    const raw = await (await startBackplane(t)).raw();
    raw.write(bytes);
    const first = await raw.next();
    assert.equal(codeOf(first), code);
    if (cut) {
      await raw.closed();
      return;
    }
    raw.send({ id: 9, method: "echo", params: { text: "on" } });
    assert.deepEqual(await raw.next(), { id: 9, result: { text: "on" } });
  });
}

test("who sends nothing but garbage is cut off", async (t) => {
  const raw = await (await startBackplane(t)).raw();
  raw.write("{\n".repeat(100));
  await raw.closed();
});

test("a message that arrives byte by byte is understood", async (t) => {
  const raw = await (await startBackplane(t)).raw();
  raw.socket.setNoDelay(true);
  for (const byte of Buffer.from('{"id":3,"method":"echo","params":{"text":"ä€😀"}}\n')) raw.write(Buffer.from([byte]));
  assert.deepEqual(await raw.next(), { id: 3, result: { text: "ä€😀" } });
});

test("more open requests than allowed are refused, and those that are open still end", async (t) => {
  const { raw, waiting, release } = await startBackplane(t);
  const flooder = await raw();
  for (let id = 0; id < LIMITS.requestsPerClient; id++) flooder.send({ id, method: "wait" });
  for (let id = 0; id < LIMITS.requestsPerClient; id++) await waiting.next();
  flooder.send({ id: 1000, method: "echo", params: { text: "x" } }, { id: 0, method: "echo", params: { text: "x" } });
  assert.equal(codeOf(await flooder.next()), "E_BUSY");
  assert.equal(codeOf(await flooder.next()), "E_INVALID");
  release();
  for (let id = 0; id < LIMITS.requestsPerClient; id++) assert.equal((await flooder.next())?.["result"], "released");
});

test("a client with more requests than an owner takes at once gets an answer to each, also while given-up ones are open", async (t) => {
  const { client, waiting, release } = await startBackplane(t);
  const busy = await client();
  const control = new AbortController();
  const given = busy.call("wait", {}, { signal: control.signal });
  await waiting.next();
  control.abort(new Error("given up"));
  await assert.rejects(given, /given up/);
  const texts = Array.from({ length: 3 * LIMITS.requestsPerClient }, (_, n) => `${n}`);
  const answers = await Promise.all(texts.map((text) => busy.call<{ text: string }>("echo", { text })));
  assert.deepEqual(
    answers.map((answer) => answer.text),
    texts,
  );
  release();
});

test("a repeated key changes nothing and gets the first result, also while the first call runs", async (t) => {
  const { client, counted, waiting, release } = await startBackplane(t);
  const one = await client();
  const two = await client();
  assert.equal(await one.call("count", {}, { key: "k1" }), 1);
  assert.equal(await two.call("count", {}, { key: "k1" }), 1);
  assert.equal(await two.call("count", {}, { key: "k2" }), 2);
  assert.equal(counted(), 2);
  const both = [one.call("wait", {}, { key: "k3" }), two.call("wait", {}, { key: "k3" })];
  await waiting.next();
  await two.call("echo", { text: "the second has arrived" });
  release();
  assert.deepEqual(await Promise.all(both), ["released", "released"]);
});

test("a key is forgotten after ten minutes", async (t) => {
  const clock = manualClock();
  const { client, counted } = await startBackplane(t, { clock });
  const one = await client();
  await one.call("count", {}, { key: "k" });
  clock.advance(LIMITS.requestKeyMs - 1);
  await one.call("count", {}, { key: "k" });
  assert.equal(counted(), 1);
  clock.advance(1);
  await one.call("count", {}, { key: "k" });
  assert.equal(counted(), 2);
});

test("a worker may call only what was made for workers, and its claim cannot be exchanged", async (t) => {
  const worker = await (await startBackplane(t)).client({ kind: "worker", claim: CLAIM });
  assert.deepEqual(await worker.call("whoami"), CLAIM);
  for (const method of ["echo", "run", "events.subscribe", "topics.follow"])
    await assert.rejects(worker.call(method), { code: "E_FORBIDDEN" });
  await assert.rejects(worker.call("nope"), { code: "E_UNKNOWN_METHOD" });
  await assert.rejects(worker.call("hello", { claim: { ...CLAIM, run: 2 } }), { code: "E_FORBIDDEN" });
  assert.deepEqual(await worker.call("whoami"), CLAIM);
});

test("a worker whose claim is refused stays without any other right", async (t) => {
  const { raw } = await startBackplane(t, { admit: async () => false });
  const worker = await raw();
  worker.send({ id: 1, method: "hello", params: { claim: CLAIM } }, { id: 2, method: "echo", params: { text: "x" } });
  const codes = [codeOf(await worker.next()), codeOf(await worker.next())].toSorted();
  assert.deepEqual(codes, ["E_CLAIM_LOST", "E_FORBIDDEN"]);
});

test("an owner that leaves begins nothing new, tells its clients, and lets open requests end", async (t) => {
  const { server, client, waiting, release } = await startBackplane(t);
  const one = await client();
  const told = deferred<string>();
  one.onEvent((event) => told.resolve(event.event));
  const open = one.call("wait");
  await waiting.next();
  server.leave("test");
  assert.equal(await told.promise, "owner.leaving");
  await assert.rejects(
    one.call("echo", { text: "x" }),
    (error: AppError) => error.code === "E_OWNER_LOST" && error.data["leaving"] === true,
  );
  assert.equal(server.openRequests(), 1);
  const stopped = server.stop(10_000);
  release();
  assert.equal(await open, "released");
  await stopped;
});

test("connections that never said a word do not hold the end up", async (t) => {
  const { raw, client, server } = await startBackplane(t);
  const silent = await raw();
  await (await client()).call("echo", { text: "accepted after the silent one" });
  await server.stop(0);
  await silent.closed();
});

test("an owner that is leaving is none for a new client", async (t) => {
  const { home, server } = await startBackplane(t);
  server.leave("test");
  assert.equal(await connect(home, CLIENT), undefined);
});

test("stopping before the start, and twice, is harmless; starting again works", async (t) => {
  const { server, client } = await startBackplane(t);
  await server.start();
  await Promise.all([server.stop(0), server.stop(0)]);
  await server.stop(0);
  await server.start();
  assert.deepEqual(await (await client()).call("echo", { text: "again" }), { text: "again" });
});

test("there is no client where no one listens", async (t) => {
  const { home, server } = await startBackplane(t);
  await server.stop(0);
  assert.equal(await connect(home, CLIENT), undefined);
});

test("an owner stops at its deadline although a request never ends", async (t) => {
  const clock = manualClock();
  const { server, client, waiting } = await startBackplane(t, { clock });
  const one = await client();
  const open = assert.rejects(one.call("wait"), { code: "E_OWNER_LOST", data: { outcome: "unknown" } });
  await waiting.next();
  const stopped = server.stop(5_000);
  await clock.waits();
  clock.advance(5_000);
  await Promise.all([stopped, open]);
});

test("an owner that accepts and is silent for 3 s is named with its pid", async (t) => {
  const { home } = await startBackplane(t);
  const clock = manualClock();
  const mute = join(home.dir, "mute.sock");
  writeFileSync(home.lock, JSON.stringify({ pid: 4711 }));
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(mute, resolve));
  t.after(() => server.close());
  const failed = assert.rejects(connect({ ...home, socket: mute }, { ...CLIENT, clock }), {
    code: "E_OWNER",
    message: /pid 4711.*3 s/,
  });
  await clock.waits();
  clock.advance(3_000);
  await failed;
});

function codeOf(message: Record<string, unknown> | undefined): unknown {
  const error = message?.["error"];
  return typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
}

function deferred<T = void>() {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => (resolve = done));
  return { promise, resolve };
}
