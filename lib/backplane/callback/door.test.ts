import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { AppError } from "../../base/errors.js";
import { LIMITS } from "../../base/limits.js";
import { silentLog } from "../../base/log/log.js";
import type { CallbackTools } from "../../contracts/runtimes/callback.js";
import { connectCallback } from "./client.js";
import { openCallbackSocket } from "./door.js";

const QUIET = new AbortController().signal;
const ECHO = { name: "echo", description: "Say it again.", schema: { type: "object" }, reads: true };

/** Tools that answer when they are let, and tell when they are stopped. */
function heldTools() {
  let open = 0;
  let stopped = 0;
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const waiting = new Set<() => void>();
  const tell = () => {
    for (const wake of waiting) wake();
  };
  const tools: CallbackTools = {
    list: async () => [ECHO],
    call: async (name, args, signal) => {
      open += 1;
      tell();
      if (name === "wait")
        await Promise.race([
          held,
          new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true })),
        ]);
      if (signal.aborted) stopped += 1;
      tell();
      return { text: signal.aborted ? "stopped" : JSON.stringify(args), isError: signal.aborted };
    },
  };
  const until = async (done: () => boolean) => {
    while (!done())
      await new Promise<void>((resolve) => {
        const wake = () => {
          waiting.delete(wake);
          resolve();
        };
        waiting.add(wake);
      });
  };
  return { tools, release, until, counts: () => ({ open, stopped }) };
}

async function opened(t: TestContext, tools: CallbackTools, runDir?: string) {
  const dir = mkdtempSync(join(tmpdir(), "door-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const door = await openCallbackSocket({ home: { runDir: runDir ?? join(dir, "run") }, log: silentLog, tools });
  t.after(() => door.close());
  return { door, runDir: runDir ?? join(dir, "run") };
}

/** What a raw connection gets until the door closes it. */
function rawly(path: string, bytes: string | Buffer): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const socket = connect(path, () => socket.write(bytes));
    socket.on("data", (chunk) => {
      text += chunk.toString("utf8");
    });
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(text));
  });
}

const isGone = (error: unknown) =>
  error instanceof AppError && error.code === "E_OWNER_LOST" && /conversation .* has ended/.test(error.message);

test("only this user can reach the socket, and nothing of it is left when the door closes", async (t) => {
  const { door, runDir } = await opened(t, heldTools().tools);
  assert.equal(statSync(dirname(door.socket)).mode & 0o777, 0o700);
  assert.equal(statSync(runDir).mode & 0o777, 0o700);
  assert.equal(statSync(door.socket).mode & 0o777, 0o600);
  const client = await connectCallback(door.socket);
  assert.deepEqual(await client.list(), [ECHO]);
  await door.close();
  await door.close();
  assert.ok(!existsSync(dirname(door.socket)));
  await assert.rejects(client.call("echo", {}, QUIET), isGone);
  await assert.rejects(connectCallback(door.socket), isGone);
});

test("twenty calls run at once, and each gets its own answer", async (t) => {
  const { tools, release, until, counts } = heldTools();
  const { door } = await opened(t, tools);
  const client = await connectCallback(door.socket);
  const calls = Array.from({ length: 20 }, (_, n) => client.call("wait", { n }, new AbortController().signal));
  await until(() => counts().open === 20);
  assert.deepEqual(await client.call("echo", { quick: true }, QUIET), { text: '{"quick":true}', isError: false });
  release();
  assert.deepEqual(
    (await Promise.all(calls)).map(({ text }) => JSON.parse(text).n),
    Array.from({ length: 20 }, (_, n) => n),
  );
});

test("a cancelled call is stopped, and so is every call of a callback server that has gone", async (t) => {
  const { tools, until, counts } = heldTools();
  const { door } = await opened(t, tools);
  const client = await connectCallback(door.socket);
  const cancel = new AbortController();
  const call = client.call("wait", {}, cancel.signal);
  await until(() => counts().open === 1);
  cancel.abort();
  assert.deepEqual(await call, { text: "stopped", isError: true });
  const lost = [1, 2].map(() => client.call("wait", {}, QUIET));
  await until(() => counts().open === 3);
  client.close();
  for (const one of lost) await assert.rejects(one, isGone);
  await until(() => counts().stopped === 3);
});

test("a door that closes stops its calls, and they learn that the conversation has ended", async (t) => {
  const { tools, until, counts } = heldTools();
  const { door } = await opened(t, tools);
  const client = await connectCallback(door.socket);
  const call = client.call("wait", {}, QUIET);
  await until(() => counts().open === 1);
  const lost = assert.rejects(call, isGone);
  await door.close();
  assert.equal(counts().stopped, 1);
  await lost;
});

test("whoever sends no requests is cut off with the reason, and others are served on", async (t) => {
  const { door } = await opened(t, heldTools().tools);
  const client = await connectCallback(door.socket);
  for (const bytes of [
    "GET / HTTP/1.1\r\n\r\n",
    "{}\n",
    "[1]\n",
    '{"method":"call","id":-1,"name":"echo"}\n',
    '{"method":"call","id":1,"name":""}\n',
    Buffer.from([0xff, 0xfe, 0x0a]),
  ])
    assert.match(await rawly(door.socket, bytes), /"code":"E_INVALID"/);
  assert.match(await rawly(door.socket, "x".repeat(LIMITS.messageBytes + 1)), /exceeds \d+ bytes/);
  assert.deepEqual(await client.list(), [ECHO]);
});

test("more calls than a callback server may have at once are refused", async (t) => {
  const { door } = await opened(t, heldTools().tools);
  const lines = Array.from({ length: LIMITS.callbackCalls + 1 }, (_, id) =>
    JSON.stringify({ method: "call", id, name: "wait" }),
  );
  assert.match(await rawly(door.socket, `${lines.join("\n")}\n`), /E_BUSY.*limit/);
  assert.match(
    await rawly(door.socket, '{"method":"call","id":1,"name":"wait"}\n{"method":"call","id":1,"name":"wait"}\n'),
    /request 1 is running already/,
  );
});

test("arguments that are too large are refused before they are sent, and the connection stays", async (t) => {
  const { door } = await opened(t, heldTools().tools);
  const client = await connectCallback(door.socket);
  await assert.rejects(client.call("echo", { text: "x".repeat(LIMITS.messageBytes) }, QUIET), {
    code: "E_TOO_LARGE",
  });
  assert.deepEqual(await client.list(), [ECHO]);
});

test("pictures that do not fit into an answer are left out, and the text says so", async (t) => {
  const large = { mime: "image/png", base64: "A".repeat(LIMITS.callbackReplyBytes) };
  const small = { mime: "image/png", base64: "AAAA" };
  const tools: CallbackTools = {
    list: async () => [],
    call: async () => ({ text: "seen", isError: false, images: [small, large] }),
  };
  const { door } = await opened(t, tools);
  const client = await connectCallback(door.socket);
  const result = await client.call("any", {}, QUIET);
  assert.deepEqual(result.images, [small]);
  assert.match(result.text, /^seen\n\[1 pictures? /);
});

test("a socket that a killed process left is removed, one of a living process stays", async (t) => {
  const runDir = mkdtempSync(join(tmpdir(), "door-left-"));
  t.after(() => rmSync(runDir, { recursive: true, force: true }));
  const left = join(runDir, "callback-4194304-1-1");
  mkdirSync(left);
  writeFileSync(join(left, "s"), "");
  mkdirSync(join(runDir, "callback-notes"));
  const first = await opened(t, heldTools().tools, runDir);
  assert.ok(!existsSync(left));
  await opened(t, heldTools().tools, runDir);
  assert.ok(existsSync(first.door.socket));
  assert.ok(existsSync(join(runDir, "callback-notes")));
});

test("a home with a long path gets a socket under the temporary directory", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "door-long-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const { door, runDir } = await opened(t, heldTools().tools, join(dir, "d".repeat(90), "run"));
  assert.ok(!door.socket.startsWith(runDir));
  assert.ok(Buffer.byteLength(door.socket) <= 100);
  assert.deepEqual(await (await connectCallback(door.socket)).list(), [ECHO]);
});
