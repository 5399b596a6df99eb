import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { gatewayWorld } from "../../../fixtures/sim/gateway-world.js";
import { simMessage } from "../../../fixtures/sim/platform.js";
import { expireBacklog } from "./backlog.js";

const HOUR = 3_600_000;

test("messages that are too old are given up, and each chat is told their number once", async (t) => {
  const clock = manualClock();
  const world = await gatewayWorld({ platforms: [], clock, route: undefined });
  t.after(() => world.stop());
  const begun = clock.now();
  for (const [id, chat] of [
    ["1", "c1"],
    ["2", "c1"],
    ["3", "c2"],
  ] as const)
    await world.inbox.accept(simMessage("msgt", id, "hi", chat));
  clock.advance(5 * HOUR);
  await world.inbox.accept(simMessage("msgt", "4", "new", "c1"));
  await world.inbox.accept({ ...simMessage("msgt", "5", "sent long ago", "c3"), sentAt: begun });
  assert.equal(await expireBacklog(world, 0), 0);
  assert.equal(await expireBacklog(world, 4 * HOUR), 4);
  assert.equal(await expireBacklog(world, 4 * HOUR), 0);
  const { inbox, outbox } = await world.rows();
  assert.deepEqual(
    inbox.map(({ state }) => state),
    ["expired", "expired", "expired", "received", "expired"],
  );
  assert.deepEqual(
    outbox.map(({ chat_id, payload }) => [chat_id, /(\d+) older/.exec(payload ?? "")?.[1]]),
    [
      ["c1", "2"],
      ["c2", "1"],
      ["c3", "1"],
    ],
  );
});
