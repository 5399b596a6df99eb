import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { quiet } from "../../../fixtures/sim/gateway-world.js";
import { AppError } from "../../base/errors.js";
import { silentLog } from "../../base/log/log.js";
import { inRounds } from "./poll-rounds.js";

test("a turn or a send that a full disk keeps from beginning is tried again each second, not without a pause", async (t) => {
  const clock = manualClock();
  let tries = 0;
  let busy = false;
  const full = async () => {
    throw new AppError("E_STORE_FULL", "the disk is full");
  };
  const service = inRounds(
    { clock, log: silentLog },
    { name: "test", waits: "it waits" },
    async ({ beside }) =>
      async () => {
        if (busy) return 60_000;
        busy = true;
        tries += 1;
        const ended = () => {
          busy = false;
        };
        // Before it was paused, this never came to an end.
        if (tries < 1000) beside(full, ended, "it waits");
        return 60_000;
      },
  );
  await service.start();
  t.after(() => service.stop(0));
  await quiet();
  assert.equal(tries, 1);
  for (let seconds = 1; seconds <= 3; seconds++) {
    clock.advance(1000);
    await quiet();
    assert.equal(tries, seconds + 1);
  }
  await service.stop(0);
  assert.equal(clock.waiting, 0);
});
