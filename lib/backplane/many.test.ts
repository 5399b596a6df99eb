import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { type TestContext, test } from "node:test";
import { startBackplane } from "../../fixtures/sim/backplane.js";
import type { ExecuteLine } from "./methods.js";
import { createReconnectingClient } from "./reconnecting-client.js";

const LINE = { argv: ["x"], cwd: "/", env: {}, columns: 80, color: false, is_tty: false };
const MANY = 12;

/** Warnings of too many listeners that this process prints meanwhile. */
function warningsOf(t: TestContext): readonly string[] {
  const warned: string[] = [];
  const hear = ({ name, message }: Error) => {
    if (name === "MaxListenersExceededWarning") warned.push(message);
  };
  process.on("warning", hear);
  t.after(() => process.off("warning", hear));
  return warned;
}

/** What is warned of is told in a later tick. */
const told = () => new Promise((resolve) => setImmediate(resolve));

test("a dozen lines of one client run at once without a warning of listeners", async (t) => {
  const warned = warningsOf(t);
  const begun: (() => void)[] = [];
  const run: ExecuteLine = async () => {
    await new Promise<void>((resolve) => {
      begun.push(resolve);
      if (begun.length === MANY) for (const go of begun) go();
    });
    return { exit: 0 };
  };
  const client = await (await startBackplane(t, { run })).client();
  const caller = { out: async () => undefined, err: async () => undefined };
  const exits = await Promise.all(Array.from({ length: MANY }, () => client.run(LINE, caller)));
  await told();
  assert.deepEqual([exits.length, warned], [MANY, []]);
});

test("a dozen calls wait under one signal without a warning of listeners", async (t) => {
  const warned = warningsOf(t);
  const { waiting, release, client } = await startBackplane(t);
  const one = await client();
  const { signal } = new AbortController();
  const calls = Array.from({ length: MANY }, () => one.call("wait", {}, { signal }));
  for (let at = 0; at < MANY; at++) await waiting.next();
  release();
  await Promise.all(calls);
  await told();
  assert.deepEqual(warned, []);
});

test("clients that are closed leave nothing at the signal that they were made with", async (t) => {
  const warned = warningsOf(t);
  const { home } = await startBackplane(t);
  const { signal } = new AbortController();
  for (let n = 0; n < MANY; n++) {
    const client = createReconnectingClient(home, { kind: "test", version: "1", signal });
    await client.call("echo", { text: "x" });
    client.close();
  }
  await told();
  assert.equal(getEventListeners(signal, "abort").length, 0);
  assert.deepEqual(warned, []);
});
