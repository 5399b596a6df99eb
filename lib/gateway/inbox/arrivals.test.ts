import assert from "node:assert/strict";
import { test } from "node:test";
import type { InboxRow } from "../../contracts/board/platform-tag.js";
import { createArrivals } from "./arrivals.js";

/** An inbox whose rows wait until they are taken out. */
function setup() {
  const stored: InboxRow[] = [];
  const asked: number[] = [];
  let tell: (rows: readonly InboxRow[]) => void = () => undefined;
  let rang = 0;
  const inbox = {
    onArrival: (listener: (rows: readonly InboxRow[]) => void) => {
      tell = listener;
      return () => undefined;
    },
    received: async (limit: number) => {
      asked.push(limit);
      return stored.slice(0, limit);
    },
  };
  const arrivals = createArrivals(inbox, () => {
    rang += 1;
  });
  const row = (seq: number) => ({ seq }) as InboxRow; // nothing else is looked at
  const come = (...seqs: number[]) => {
    stored.push(...seqs.map(row));
    tell(seqs.map(row));
  };
  const next = async (free = 10, busy = 0) => (await arrivals.next(free, busy)).map(({ seq }) => seq);
  return {
    arrivals,
    stored,
    asked,
    row,
    tell: (...seqs: number[]) => tell(seqs.map(row)),
    come,
    next,
    rings: () => rang,
  };
}

test("what an earlier owner left is read from the store, what comes is not", async () => {
  const { stored, row, next, come, asked, rings } = setup();
  stored.push(row(1), row(2));
  assert.deepEqual(await next(), [1, 2]);
  come(3, 4);
  assert.equal(rings(), 1);
  assert.deepEqual(await next(), [3, 4]);
  assert.deepEqual(await next(), []);
  assert.equal(asked.length, 1);
});

test("a row that was read already is not told again when the news of it come later", async () => {
  const { stored, row, next, tell } = setup();
  stored.push(row(1), row(2));
  const reading = next();
  tell(1);
  assert.deepEqual(await reading, [1, 2]);
  tell(2);
  tell(3);
  assert.deepEqual(await next(), [3]);
});

test("what cannot be worked on yet waits for its turn", async () => {
  const { arrivals, next, come } = setup();
  await next();
  come(1, 2, 3);
  assert.deepEqual(await next(2), [1, 2]);
  assert.equal(arrivals.more, true);
  assert.deepEqual(await next(2), [3]);
  assert.equal(arrivals.more, false);
});

test("more than is kept is read from the store until nothing is left", async () => {
  const { arrivals, stored, next, come, asked } = setup();
  await next();
  come(...Array.from({ length: 1_001 }, (_, at) => at + 1));
  assert.deepEqual(await next(2, 1), [1, 2, 3]);
  assert.equal(arrivals.more, true);
  stored.splice(0, 1_000);
  assert.deepEqual(await next(2, 1), [1_001]);
  assert.equal(arrivals.more, false);
  assert.deepEqual(asked, [10, 3, 3]);
});

test("after a failure the store is asked again", async () => {
  const { arrivals, next, come, asked } = setup();
  await next();
  come(1);
  await next();
  arrivals.again();
  assert.deepEqual(await next(), [1]);
  assert.equal(asked.length, 2);
});
