import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { type SimDisk, simDisk } from "../../../fixtures/ports/disk.js";
import { seeded } from "../../../fixtures/ports/random.js";
import { proves } from "../../../fixtures/requirements.js";
import { graphAnswer, orchestrationPort, scriptedAux } from "../../../fixtures/sim/board-aux.js";
import { rowsOf, violationsIn } from "../../../fixtures/sim/board-facts.js";
import { type BoardWorld, boardWorld, DEFAULT, USER } from "../../../fixtures/sim/board-world.js";

const ANSWER = graphAnswer(
  { title: "a" },
  { title: "b", assignee: "bob" },
  { title: "c", parents: [0, 1] },
  { title: "d", parents: [2], assignee: "nobody" },
);
const SWARM = {
  goal: "g",
  workers: [
    { profile: "alice", title: "one", skills: [] },
    { profile: "bob", title: "two", skills: [] },
  ],
  verifier: "alice",
  synthesizer: "bob",
  idempotency_key: "k",
};

const open = (disk: SimDisk, seed: number): BoardWorld =>
  boardWorld({
    disk,
    clock: manualClock(),
    seed,
    rehearse: false,
    deps: { orchestration: orchestrationPort(scriptedAux(ANSWER)) },
  });

/** What is done on a board with one triage task; how many tasks there are before and after. */
const CASES = [
  {
    name: "a decomposition",
    counts: [1, 5],
    run: (world: BoardWorld, id: string) => world.board.decompose(DEFAULT, id as never, {}, USER),
  },
  { name: "a swarm", counts: [1, 6], run: (world: BoardWorld) => world.board.swarm(DEFAULT, SWARM, USER) },
] as const;

for (const { name, counts, run } of CASES) {
  for (const how of ["power", "kill"] as const) {
    test(`${name} that is cut off anywhere by ${how} is there as a whole or not at all, and can be done again`, async (t) => {
      if (name === "a decomposition") proves(t, "board.decompose.one-transaction");
      const disk = simDisk();
      const world = open(disk, 1);
      const { task } = await world.board.create(DEFAULT, { title: "root", triage: true }, USER);
      const points: SimDisk[] = [];
      disk.faults.onOp = () => points.push(disk.fork());
      await run(world, task.id);
      disk.faults.onOp = undefined;
      points.push(disk.fork());
      await world.close();
      const seen = new Set<number>();
      for (const [at, point] of points.entries()) {
        const after = open(point.stop(how, seeded(at)), 100 + at);
        const rows = await rowsOf(after);
        assert.deepEqual(violationsIn(rows), [], `${how} at ${at}`);
        assert.ok(
          counts.some((count) => count === rows.tasks.length),
          `${rows.tasks.length} tasks after ${how} at ${at}`,
        );
        seen.add(rows.tasks.length);
        await run(after, task.id);
        const again = await rowsOf(after);
        assert.deepEqual([violationsIn(again), again.tasks.length], [[], counts[1]], `again after ${how} at ${at}`);
        await after.close();
      }
      assert.deepEqual([...seen].sort(), counts);
    });
  }
}
