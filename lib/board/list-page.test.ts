import assert from "node:assert/strict";
import { test } from "node:test";
import { countingIds } from "../../fixtures/ports/ids.js";
import { type BoardWorld, boardWorld, DEFAULT, USER } from "../../fixtures/sim/board-world.js";
import type { TaskId } from "../base/units.js";
import { LIST_SORTS, type ListFilter } from "../contracts/board/api.js";

const FILTERS: readonly ListFilter[] = [
  {},
  { archived: true },
  { status: ["ready", "todo", "ready"] },
  { assignee: "team1" },
  { tenant: "acme", status: ["done"] },
  { search: "two" },
];

/** Tasks of every kind of place: waiting for one another, done, archived, of several teams and tenants. */
async function filled(world: BoardWorld): Promise<void> {
  const { board } = world;
  let before: string | undefined;
  for (let at = 0; at < 60; at++) {
    const parents = at % 4 === 3 && before !== undefined ? [before] : [];
    const made = await board.create(
      DEFAULT,
      {
        title: `task ${at % 3 === 0 ? "one" : "two"}`,
        priority: at % 5,
        assignee: `team${at % 3}`,
        tenant: at % 2 ? "acme" : undefined,
        parents,
      },
      USER,
    );
    before = made.task.id;
    if (made.task.status === "ready" && at % 5 === 1)
      await board.complete(DEFAULT, made.task.id, { summary: "s" }, USER);
    if (at % 7 === 1) await board.archive(DEFAULT, made.task.id, USER);
  }
}

test("a page of any size is the beginning of the whole list, whatever is asked for and in whatever order", async (t) => {
  const world = boardWorld();
  t.after(() => world.close());
  await filled(world);
  for (const filter of FILTERS) {
    for (const sort of LIST_SORTS) {
      const whole = await world.board.list(DEFAULT, { ...filter, sort });
      for (const limit of [1, 7, 59, 60, 500]) {
        const page = await world.board.list(DEFAULT, { ...filter, sort, limit });
        assert.deepEqual(page, whole.slice(0, limit), `${JSON.stringify(filter)} ${sort} ${limit}`);
      }
    }
  }
});

test("tasks of one second stand in the order in which they were made, in a page too, whatever their ids", async (t) => {
  let id = 90;
  const world = boardWorld({ deps: { ids: { ...countingIds(), task: () => `t_000000${id--}` as TaskId } } }); // the form of a task's id
  t.after(() => world.close());
  const made: string[] = [];
  for (let at = 0; at < 9; at++) made.push((await world.board.create(DEFAULT, { title: `${at}` }, USER)).task.id);
  const page = await world.board.list(DEFAULT, { limit: 4 });
  assert.deepEqual(
    page.map((row) => row.task.id),
    made.slice(0, 4),
  );
});

test("a list of more than one look-up can name shows the same links and waits as a page of it", async (t) => {
  const world = boardWorld();
  t.after(() => world.close());
  const { board } = world;
  const { task: parent } = await board.create(DEFAULT, { title: "first", priority: 9 }, USER);
  for (let at = 0; at < 520; at++)
    await board.create(DEFAULT, { title: `child ${at}`, parents: at % 2 ? [parent.id] : [] }, USER);
  const whole = await board.list(DEFAULT, {});
  assert.equal(whole.length, 521);
  assert.deepEqual(await board.list(DEFAULT, { limit: 100 }), whole.slice(0, 100));
});
