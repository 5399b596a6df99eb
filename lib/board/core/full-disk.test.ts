import assert from "node:assert/strict";
import { test } from "node:test";
import { DEFAULT, setupBoard, USER } from "../../../fixtures/sim/board-world.js";
import type { Actor } from "../../contracts/board/board.js";
import type { RunEnd } from "./kernel.js";

const SYSTEM: Actor = { kind: "system", name: "dispatcher" };

const ENDS: readonly (readonly [string, Pick<RunEnd, "observed" | "lastLine">, number])[] = [
  [
    "a worker that could not be started",
    { observed: { how: "not_started", error: "the disk is full", errorClass: "disk_full" } },
    0,
  ],
  [
    "a worker whose end could not be stored",
    {
      observed: { how: "vanished", seenAlive: true },
      lastLine: "failed to write the exit record: Error: ENOSPC: no space left on device, write",
    },
    0,
  ],
  ["a worker that only speaks of it", { observed: { how: "vanished", seenAlive: true }, lastLine: "tar: ENOSPC" }, 1],
];
for (const [what, end, counted] of ENDS) {
  test(`a full disk ${counted === 0 ? "does not count" : "is no excuse"} for the breaker: ${what}`, async (t) => {
    const { board } = setupBoard(t);
    const { id } = (await board.create(DEFAULT, { title: "one", max_retries: 3 }, USER)).task;
    const claimed = await board.claim(DEFAULT, id, { profile: "default", lock: "test:1", by: SYSTEM });
    assert.ok(claimed.claimed);
    await board.settle({ board: DEFAULT, task: id, run: claimed.claim.run, ...end });
    const task = await board.task(DEFAULT, id);
    assert.deepEqual([task.status, task.consecutive_failures], ["ready", counted]);
    assert.equal(task.not_before !== null, counted === 0, "it is tried again after a pause");
  });
}
