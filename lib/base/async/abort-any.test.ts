import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { linkSignals, streamWithLinkedSignal, withLinkedSignal } from "./abort-any.js";

/** What hangs at a signal: its listeners, and signals that were made of it. */
function hanging(signal: AbortSignal): number {
  const made = Object.getOwnPropertySymbols(signal)
    .filter((symbol) => String(symbol).includes("ependant"))
    .map((symbol) => Number(Reflect.get(Object(Reflect.get(signal, symbol)), "size") ?? 0));
  return getEventListeners(signal, "abort").length + made.reduce((all, size) => all + size, 0);
}

test("the first of several signals aborts what hangs at them, with its reason, and nothing is left at any", () => {
  const one = new AbortController();
  const two = new AbortController();
  const { signal } = linkSignals(one.signal, two.signal);
  assert.equal(signal.aborted, false);
  two.abort("enough");
  assert.deepEqual([signal.aborted, signal.reason], [true, "enough"]);
  assert.deepEqual([hanging(one.signal), hanging(two.signal)], [0, 0]);
  one.abort("later");
  assert.equal(signal.reason, "enough");
});

test("one that has aborted before aborts at once", () => {
  const open = new AbortController();
  const done = AbortSignal.abort("before");
  assert.equal(linkSignals(open.signal, done).signal.reason, "before");
  assert.equal(hanging(open.signal), 0);
});

test("many pieces of work under one long signal leave nothing at it, however they end", async () => {
  const long = new AbortController();
  for (let call = 0; call < 1000; call++) {
    const short = new AbortController();
    const work = withLinkedSignal([long.signal, short.signal], async (signal) => {
      signal.addEventListener("abort", () => undefined);
      if (call % 3 === 1) short.abort();
      if (call % 3 === 2) throw new Error("failed");
    });
    await work.catch(() => undefined);
    for await (const piece of streamWithLinkedSignal([long.signal, short.signal], pieces)) if (piece === 1) break;
  }
  assert.equal(hanging(long.signal), 0);
});

async function* pieces(): AsyncGenerator<number> {
  yield 1;
  yield 2;
}

test("what has let go is not aborted any more", async () => {
  const long = new AbortController();
  let kept: AbortSignal | undefined;
  await withLinkedSignal([long.signal], async (signal) => {
    kept = signal;
  });
  long.abort();
  assert.equal(kept?.aborted, false);
});
