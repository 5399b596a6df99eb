import assert from "node:assert/strict";
import { test } from "node:test";
import { unlessAborted } from "./aborted.js";
import { nextTurn } from "./next-turn.js";

test("a waiter that leaves gets the reason, the work of the others continues, and its failure is reported to them only", async (t) => {
  const unhandled: unknown[] = [];
  const note = (error: unknown) => void unhandled.push(error);
  process.on("unhandledRejection", note);
  t.after(() => process.off("unhandledRejection", note));
  let fail: (error: Error) => void = () => undefined;
  const work = new Promise<never>((_resolve, reject) => {
    fail = reject;
  });
  const control = new AbortController();
  const left = assert.rejects(unlessAborted(work, control.signal), /had enough/);
  const late = assert.rejects(unlessAborted(work, AbortSignal.abort(new Error("was gone"))), /was gone/);
  const stays = assert.rejects(unlessAborted(work, new AbortController().signal), /broken/);
  control.abort(new Error("had enough"));
  await Promise.all([left, late]);
  fail(new Error("broken"));
  await stays;
  await nextTurn();
  assert.deepEqual(unhandled, []);
});

test("work that fails after its only waiter had left before it began is no unhandled rejection", async (t) => {
  const unhandled: unknown[] = [];
  const note = (error: unknown) => void unhandled.push(error);
  process.on("unhandledRejection", note);
  t.after(() => process.off("unhandledRejection", note));
  const work = nextTurn().then(() => Promise.reject(new Error("broken")));
  await assert.rejects(unlessAborted(work, AbortSignal.abort(new Error("was gone"))), /was gone/);
  await nextTurn();
  await nextTurn();
  assert.deepEqual(unhandled, []);
});
