import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../fixtures/ports/clock.js";
import { nextTurn } from "../../lib/base/async/next-turn.js";
import { keepSubscribed } from "./subscription.js";

type Listening = Parameters<typeof keepSubscribed>[0];
type Subscription = Awaited<ReturnType<Listening["listen"]>>;

/** A server whose consent to listen the test gives or refuses, one attempt after the other. */
function setup() {
  const clock = manualClock();
  const attempts: { consent(): void; refuse(): void }[] = [];
  const listen = () =>
    new Promise<Subscription>((resolve, reject) => {
      const stream = { closed: new Promise(() => undefined) } as unknown as Subscription; // nothing else of it is looked at
      attempts.push({ consent: () => resolve(stream), refuse: () => reject(new Error("not now")) });
    });
  const client: Listening = { getServerCapabilities: () => ({ tools: { listChanged: true } }), listen };
  let changes = 0;
  let read = false;
  const stop = keepSubscribed(client, clock, {
    changed: () => {
      changes += 1;
    },
    say: () => undefined,
    wasRead: () => read,
  });
  return {
    clock,
    stop,
    attempts,
    changes: () => changes,
    read: () => {
      read = true;
    },
  };
}

test("tools that were read before their server agreed to tell of changes are read again", async () => {
  const { attempts, read, changes, stop } = setup();
  read();
  attempts[0]?.consent();
  await nextTurn();
  assert.equal(changes(), 1);
  stop();
});

test("tools that are read once their server tells of changes are read once", async () => {
  const { attempts, read, changes, stop } = setup();
  attempts[0]?.consent();
  await nextTurn();
  read();
  await nextTurn();
  assert.equal(changes(), 0);
  stop();
});

test("a server that agrees at the second attempt only may have changed its tools meanwhile", async () => {
  const { clock, attempts, read, changes, stop } = setup();
  attempts[0]?.refuse();
  await clock.waitsFor(1_000);
  read();
  clock.advance(1_000);
  await nextTurn();
  attempts[1]?.consent();
  await nextTurn();
  assert.equal(changes(), 1);
  stop();
});
