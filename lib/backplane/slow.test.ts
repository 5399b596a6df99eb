import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { startBackplane } from "../../fixtures/sim/backplane.js";
import { testSignal } from "../base/process/signal.js";
import type { ExecuteLine } from "./methods.js";

const KILOBYTE = "x".repeat(1024);

test("a client that does not read delays no one, and gets every event when it reads again", async (t) => {
  const { raw, client, log } = await startBackplane(t);
  const slow = await raw();
  slow.send({ id: 1, method: "events.subscribe", params: { store: "board:x", after_seq: 0 } });
  assert.deepEqual(await slow.next(), { id: 1, result: { sub: 1, after_seq: 0 } });
  slow.socket.pause();
  const fast = await client();
  const control = new AbortController();
  let seen = 0;
  for (let n = 0; n < 10; n++) log.emit({ payload: { KILOBYTE } });
  for await (const item of fast.subscribe("board:x", { after: 0, signal: control.signal })) {
    if (item.kind === "events") seen += item.events.length;
    if (seen < 10_000) log.emit(...Array.from({ length: 100 }, () => ({ payload: { KILOBYTE } })));
    else control.abort();
  }
  slow.socket.resume();
  const received: number[] = [];
  while (received.length < seen) for (const { seq } of eventsOf(await slow.next())) received.push(seq);
  assert.deepEqual(
    received,
    received.map((_, at) => at + 1),
  );
});

test("a client whose unread backlog passes 8 MiB is cut off, and others are not", async (t) => {
  const { raw, client, server } = await startBackplane(t);
  const slow = await raw();
  const other = await client();
  slow.socket.pause();
  for (let id = 0; id < 30; id++) slow.send({ id, method: "big", params: { bytes: 1_000_000 } });
  slow.socket.on("error", () => undefined);
  slow.socket.once("close", () => undefined);
  while (server.clients() === 2) await other.call("echo", { text: "still here" });
  assert.equal(server.clients(), 1);
});

test("a slow client gets the newest deltas and joined texts, a fast one gets each", async (t) => {
  const { raw, client, bus } = await startBackplane(t);
  const slow = await raw();
  slow.send({ id: 1, method: "topics.follow", params: { topics: ["session:s"] } });
  await slow.next();
  slow.socket.pause();
  const fast = await client();
  let phases = 0;
  const last = testSignal();
  await fast.topics(["session:s"], (delta) => {
    if (delta.event === "turn.phase") phases += 1;
    if (delta.event === "end") last.emit();
  });
  for (let n = 0; n < 5000; n++) {
    bus.delta("session:s", { event: "text.delta", at: "", data: { text: KILOBYTE } });
    bus.delta("session:s", { event: "turn.phase", at: "", data: { phase: n } });
    if (n % 50 === 0) await fast.call("echo", { text: "" });
  }
  bus.delta("session:s", { event: "end", at: "", data: {} });
  await last.next();
  assert.equal(phases, 5000);
  slow.socket.resume();
  let bytes = 0;
  const kinds: unknown[] = [];
  for (let message = await slow.next(); message; message = await slow.next()) {
    bytes += JSON.stringify(message).length;
    kinds.push(phaseOf(message) ?? message["event"]);
    if (message["event"] === "end") break;
  }
  assert.ok(bytes < 4 << 20, `${bytes} bytes for a client that did not read`);
  assert.ok(kinds.includes(4999), "the newest phase is missing");
});

test("a run waits for a caller that does not take its output, and goes on when it does", async (t) => {
  let written = 0;
  const run: ExecuteLine = async (_request, io) => {
    for (; written < 2000; written++) await io.out(KILOBYTE.repeat(8));
    return { exit: 0 };
  };
  const { raw, client } = await startBackplane(t, { run });
  const slow = await raw();
  slow.socket.pause();
  slow.send({ id: 1, method: "run", params: { argv: [], cwd: "/" } });
  const other = await client();
  for (let n = 0; n < 50; n++) await other.call("echo", { text: "" });
  assert.ok(written > 0 && written < 400, `${written} of 2000 pieces left the run`);
  slow.socket.resume();
  let bytes = 0;
  for (let message = await slow.next(); message && message["result"] === undefined; message = await slow.next()) {
    bytes += typeof message["out"] === "string" ? message["out"].length : 0;
  }
  assert.equal(bytes, 2000 * 8 * 1024);
});

test("a command that writes without end leaves room for everybody else, and hears that its caller is gone", async (t) => {
  const freed = testSignal();
  const run: ExecuteLine = async (_request, io) => {
    while (!io.gone.aborted) await io.out(KILOBYTE);
    freed.emit();
    return { exit: 0 };
  };
  const { client } = await startBackplane(t, { run });
  const greedy = await client();
  const other = await client();
  const caller = { out: async () => undefined, err: async () => undefined };
  const lost = assert.rejects(
    greedy.run({ argv: [], cwd: "/", env: {}, columns: 80, color: false, is_tty: false }, caller),
    {
      code: "E_OWNER_LOST",
    },
  );
  for (let n = 0; n < 20; n++) await other.call("echo", { text: "" });
  greedy.close();
  await Promise.all([lost, freed.next()]);
});

test("a caller that goes away frees a run that waits for it", async (t) => {
  const freed = testSignal();
  const run: ExecuteLine = async (_request, io) => {
    for (let n = 0; n < 2000; n++) await io.out(KILOBYTE.repeat(8));
    freed.emit();
    return { exit: 0 };
  };
  const { raw } = await startBackplane(t, { run });
  const slow = await raw();
  slow.socket.pause();
  slow.send({ id: 1, method: "run", params: { argv: [], cwd: "/" } });
  slow.socket.end();
  slow.socket.destroy();
  await once(slow.socket, "close");
  await freed.next();
});

function eventsOf(message: Record<string, unknown> | undefined): readonly { seq: number }[] {
  const events = message?.["events"];
  assert.ok(Array.isArray(events), `not events: ${JSON.stringify(message)?.slice(0, 100)}`);
  return events;
}

function phaseOf(message: Record<string, unknown>): unknown {
  const data = message["data"];
  return typeof data === "object" && data !== null && "phase" in data ? data.phase : undefined;
}
