import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { simMessage } from "../../../fixtures/sim/platform.js";
import { silentLog } from "../../base/log/log.js";
import type { SessionId } from "../../base/units.js";
import type { ChatApi, SubmitTurn } from "../../contracts/chat/chat.js";
import { createLiveTurns } from "./live-turns.js";

const SESSION = "s1" as SessionId; // a name like any other
const quiet = async () => {
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
};

/** A conversation whose turns end when the test says so. */
function stubborn() {
  const clock = manualClock();
  const asked: SubmitTurn[] = [];
  let end: (error: Error) => void = () => undefined;
  const chat = {
    cursor: async () => 0,
    attach: async () => undefined,
    events: () =>
      (async function* nothing() {
        yield* [];
      })(),
    submit: (turn: SubmitTurn) => {
      asked.push(turn);
      return new Promise((_, reject) => {
        end = reject;
      });
    },
  } as unknown as ChatApi; // as much of one as is asked
  const dropped: string[] = [];
  const sends = { insert: async () => ["row"], drop: async (turn: string) => void dropped.push(turn) };
  const live = createLiveTurns({ chat, clock, log: silentLog, sends, aids: [] });
  const event = simMessage("msgt", "1", "go");
  const batch = { sessionKey: "k", rows: [], text: "go", receivedAt: 0, dueAt: 0 };
  const work = () =>
    live.work({
      turn: "t1",
      batch,
      event,
      submit: { session: SESSION, text: "go" },
      signal: new AbortController().signal,
    });
  return { clock, asked, dropped, live, work, end: () => end(new Error("interrupted")) };
}

test("a withdrawn turn frees its session at once, is interrupted, killed three seconds later, and nothing of it is stored", async () => {
  const { clock, asked, dropped, live, work } = stubborn();
  const worked = work();
  await quiet();
  const turn = live.of("k");
  turn?.fence({ reason: "stopped" });
  assert.deepEqual(await worked, { fenced: { reason: "stopped" } });
  assert.equal(live.of("k"), undefined);
  assert.deepEqual([asked[0]?.signal?.aborted, asked[0]?.force?.aborted], [true, false]);
  clock.advance(3_000);
  assert.equal(asked[0]?.force?.aborted, true);
  assert.deepEqual(await turn?.emit([]), []);
  assert.deepEqual(dropped, ["t1"]);
});

test("a withdrawn turn that ends in time does not keep its conversation, one that does not is given up", async () => {
  const ends = stubborn();
  const worked = ends.work();
  await quiet();
  ends.live.of("k")?.fence({ reason: "stopped" });
  await worked;
  const free = ends.live.stuck(SESSION);
  ends.end();
  assert.equal(await free, false);
  assert.equal(await ends.live.stuck(SESSION), false);

  const never = stubborn();
  const lost = never.work();
  await quiet();
  never.live.of("k")?.fence({ reason: "stopped" });
  await lost;
  const stuck = never.live.stuck(SESSION);
  await quiet();
  never.clock.advance(8_000);
  assert.equal(await stuck, true);
});

test("an interrupted turn that does not react is withdrawn", async () => {
  const { clock, live, work } = stubborn();
  const worked = work();
  await quiet();
  live.of("k")?.interrupt();
  clock.advance(10_000);
  assert.deepEqual(await worked, { fenced: { reason: "stopped" } });
});
