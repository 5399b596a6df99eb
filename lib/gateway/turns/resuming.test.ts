import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { countingIds } from "../../../fixtures/ports/ids.js";
import { simMessage } from "../../../fixtures/sim/platform.js";
import { openFileStore } from "../../../storage/file/open.js";
import { STATE_MIGRATIONS } from "../../../storage/schema/state.js";
import { noteTurn } from "../../../storage/tables/gateway/sessions.js";
import { silentLog } from "../../base/log/log.js";
import type { SessionId } from "../../base/units.js";
import type { InboxBatch, InboxRow } from "../../contracts/board/platform-tag.js";
import { chatTurns, type TurnsDeps } from "./chat-turns.js";

const SESSION = "20260101_000000_abcdef" as SessionId; // an id of this test
const HOUR = 3_600_000;

/** A turn that was begun once and resumed so often, each cut off; `worked` counts the turns that were begun again. */
async function cutOff(
  t: TestContext,
  resumed: number,
  { age = 0, freshness = HOUR }: { readonly age?: number; readonly freshness?: number } = {},
) {
  const clock = manualClock();
  const spec = { name: "state", path: "", kind: "state", migrations: STATE_MIGRATIONS } as const;
  const store = openFileStore(spec, { host: "inline", memory: true, clock, log: silentLog });
  t.after(() => store.close());
  for (let n = 0; n <= resumed; n++)
    await store.write("test", (tx) =>
      noteTurn(tx, { turn: `gw_${n}`, root: "gw_0", session_id: SESSION, begun_at: clock.now() }),
    );
  clock.advance(age);
  let worked = 0;
  const deps = {
    store,
    clock,
    ids: countingIds(1),
    freshness: () => freshness,
    conversations: { open: async () => SESSION },
    spoken: { ended: async () => undefined, stored: () => undefined },
    live: {
      work: async () => {
        worked += 1;
        return { fenced: { reason: "worked" } };
      },
    },
  } as unknown as TurnsDeps; // a turn that is given up needs nothing else
  const event = simMessage("msgt", "1", "do it");
  const row = { payload: JSON.stringify(event), platform: "msgt" } as InboxRow; // nothing else of it is read
  const batch: InboxBatch = { sessionKey: "k", rows: [row], text: "do it", receivedAt: 0, dueAt: 0 };
  const end = await chatTurns(deps).resume("gw_next", "gw_0", batch, new AbortController().signal);
  return { end, worked, told: end.sends.map(({ payload }) => payload.text) };
}

test("a turn that was cut off is resumed, also a second and a third time", async (t) => {
  for (const resumed of [0, 1, 2]) {
    const { worked, end } = await cutOff(t, resumed);
    assert.deepEqual([worked, end.reason], [1, "worked"], `${resumed} resumptions before`);
  }
});

test("a third resumption that is cut off is the last: nothing runs by itself any more, the chat is told once, and its messages have failed", async (t) => {
  const { worked, end, told } = await cutOff(t, 3);
  assert.deepEqual([worked, end.state, end.reason, told.length], [0, "failed", "interrupted too often", 1]);
  assert.match(told[0] ?? "", /^⚠️ The answer was interrupted several times\. Ask again\.$/);
});

test("a turn that was cut off longer ago than it is fresh is not resumed, and the chat is told; without a limit it is", async (t) => {
  const old = await cutOff(t, 0, { age: HOUR + 1 });
  assert.deepEqual([old.worked, old.end.state, old.told.length], [0, "failed", 1]);
  assert.match(old.told[0] ?? "", /^⚠️ The answer was interrupted when the program ended\. Ask again\.$/);
  assert.equal((await cutOff(t, 0, { age: HOUR })).worked, 1);
  assert.equal((await cutOff(t, 0, { age: 1000 * HOUR, freshness: 0 })).worked, 1);
});
