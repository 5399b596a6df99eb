import assert from "node:assert/strict";
import { test } from "node:test";
import { type BoardWorld, DEFAULT, setupBoard, USER } from "../../../fixtures/sim/board-world.js";
import { AppError } from "../../base/errors.js";
import type { TaskId } from "../../base/units.js";
import { STATUSES, type Status } from "../../contracts/board/board.js";

/** A new task in a status, with an open parent or without. */
async function place(world: BoardWorld, status: Status, parented: boolean): Promise<TaskId | undefined> {
  const { board } = world;
  const parents = parented ? [(await board.create(DEFAULT, { title: "parent" }, USER)).task.id] : [];
  const make = async (more: object = {}) =>
    (await board.create(DEFAULT, { title: status, parents, ...more }, USER)).task.id;
  if (status === "triage") return make({ triage: true });
  if (status === "blocked") return make({ initial_status: "blocked" });
  if (status === "scheduled") return make({ scheduled_at: world.clock.now() / 1000 + 99 });
  if (parented && (status === "ready" || status === "running")) return undefined; // no such task
  const id = await make();
  if (status === "todo" && !parented) await board.write(DEFAULT, id, { status: "todo" }, USER);
  if (status === "running") await board.claim(DEFAULT, id, { profile: "default", lock: "h:1", by: USER });
  if (status === "archived") await board.archive(DEFAULT, id, USER);
  if (status === "done") {
    if (parented) await board.promote(DEFAULT, id, { force: true }, USER);
    await board.complete(DEFAULT, id, {}, USER);
  }
  return id;
}

test("what is called legal is done when it is asked for, and what is not is refused", async (t) => {
  const world = setupBoard(t, { rehearse: false });
  let asked = 0;
  for (const status of STATUSES) {
    for (const parented of [false, true]) {
      const id = await place(world, status, parented);
      if (id === undefined) continue;
      for (const { to, legal } of await world.board.moves(DEFAULT, id)) {
        const mine = await place(world, status, parented);
        if (mine === undefined || to === status) continue;
        const done = await world.board.write(DEFAULT, mine, { status: to }, USER).then(
          () => true,
          (error: unknown) => (error instanceof AppError ? false : String(error)),
        );
        assert.equal(done, legal, `${status}${parented ? " with an open parent" : ""} to ${to}`);
        asked += 1;
      }
    }
  }
  assert.ok(asked > 70);
});

test("W17: a task that waits for a parent is told why it is not to be made ready, and running is never offered", async (t) => {
  const world = setupBoard(t);
  const parent = (await world.board.create(DEFAULT, { title: "first" }, USER)).task.id;
  const child = (await world.board.create(DEFAULT, { title: "second", parents: [parent] }, USER)).task.id;
  const moves = await world.board.moves(DEFAULT, child);
  assert.deepEqual(
    moves.map(({ to }) => to),
    ["triage", "todo", "ready", "blocked", "done", "scheduled", "archived"],
  );
  assert.deepEqual(moves[2], { to: "ready", legal: false, text: `waits for ${parent}` });
  assert.deepEqual(moves[1], { to: "todo", legal: false, text: "it is there" });
});

test("a done task whose child is at work is not taken up again, and the child is named", async (t) => {
  const world = setupBoard(t);
  const parent = (await world.board.create(DEFAULT, { title: "first" }, USER)).task.id;
  await world.board.complete(DEFAULT, parent, {}, USER);
  const child = (await world.board.create(DEFAULT, { title: "second", parents: [parent] }, USER)).task.id;
  await world.board.claim(DEFAULT, child, { profile: "default", lock: "h:1", by: USER });
  const moves = await world.board.moves(DEFAULT, parent);
  const triage = moves.find(({ to }) => to === "triage");
  assert.deepEqual(triage, { to: "triage", legal: false, text: `its child ${child} is running` });
  await assert.rejects(world.board.write(DEFAULT, parent, { status: "triage" }, USER), { code: "E_CHILD_RUNNING" });
});
