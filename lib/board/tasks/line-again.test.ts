import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type BoardWorld, boardWorld, DEFAULT, USER } from "../../../fixtures/sim/board-world.js";
import type { TaskId } from "../../base/units.js";
import type { BoardApi } from "../../contracts/board/api.js";
import type { Actor } from "../../contracts/board/board.js";

const LINE = "4x2";
const first: Actor = { ...USER, line: { key: LINE, again: false } };
const again: Actor = { ...USER, line: { key: LINE, again: true } };

interface World extends BoardWorld {
  /** Has a child, `b`. */
  readonly a: TaskId;
  readonly b: TaskId;
}

async function setup(t: TestContext): Promise<World> {
  const world = boardWorld({ profiles: ["default", "coder"] });
  t.after(() => world.close());
  const a = (await world.board.create(DEFAULT, { title: "a" }, USER)).task.id;
  const b = (await world.board.create(DEFAULT, { title: "b", parents: [a] }, USER)).task.id;
  return { ...world, a, b };
}

type Ask = (board: BoardApi, of: World, by: Actor) => Promise<unknown>;

const VERBS: Readonly<Record<string, { readonly before?: Ask; readonly ask: Ask }>> = {
  create: { ask: (board, { a }, by) => board.create(DEFAULT, { title: "c", parents: [a] }, by) },
  "create of a blocked task": {
    ask: (board, _of, by) => board.create(DEFAULT, { title: "c", initial_status: "blocked" }, by),
  },
  assign: { ask: (board, { a }, by) => board.assign(DEFAULT, a, "coder", by) },
  comment: { ask: (board, { a }, by) => board.comment(DEFAULT, a, "hello", by) },
  complete: { ask: (board, { a }, by) => board.complete(DEFAULT, a, { summary: "did it" }, by) },
  block: { ask: (board, { a }, by) => board.block(DEFAULT, a, { reason: "why", comment: true }, by) },
  schedule: { ask: (board, { a }, by) => board.schedule(DEFAULT, a, { reason: "later", comment: true }, by) },
  unblock: {
    before: (board, { a }) => board.block(DEFAULT, a, {}, USER),
    ask: (board, { a }, by) => board.unblock(DEFAULT, a, { reason: "go", comment: true }, by),
  },
  promote: { ask: (board, { b }, by) => board.promote(DEFAULT, b, { force: true }, by) },
  link: {
    before: (board) => board.create(DEFAULT, { title: "c" }, USER),
    ask: async (board, { a }, by) => board.link(DEFAULT, a, await newest(board), by),
  },
  unlink: { ask: (board, { a, b }, by) => board.unlink(DEFAULT, a, b, by) },
  edit: { ask: (board, { a }, by) => board.edit(DEFAULT, a, { title: "d", priority: 3 }, by) },
  "edit of a verdict": {
    before: (board, { a }) => board.complete(DEFAULT, a, {}, USER),
    ask: (board, { a }, by) => board.edit(DEFAULT, a, { verdict: "rejected" }, by),
  },
  reopen: {
    before: (board, { a }) => board.complete(DEFAULT, a, {}, USER),
    ask: (board, { a }, by) => board.reopen(DEFAULT, a, { reason: "not yet" }, by),
  },
  archive: { ask: (board, { a }, by) => board.archive(DEFAULT, a, by) },
  unarchive: {
    before: (board, { a }) => board.archive(DEFAULT, a, USER),
    ask: (board, { a }, by) => board.unarchive(DEFAULT, a, {}, by),
  },
};

const newest = async (board: BoardApi): Promise<TaskId> =>
  (await board.list(DEFAULT, { search: "c" })).map(({ task }) => task.id)[0] ?? ("" as TaskId); // the test made it

for (const [verb, { before, ask }] of Object.entries(VERBS)) {
  test(`a command line that is run again answers as the first time and changes nothing: ${verb}`, async (t) => {
    const world = await setup(t);
    const { board } = world;
    await before?.(board, world, USER);
    const answer = await ask(board, world, first);
    const last = await board.lastEvent(DEFAULT);
    assert.deepEqual(await ask(board, world, again), answer);
    assert.equal(await board.lastEvent(DEFAULT), last);
  });

  test(`a command line that is run again does what was not done: ${verb}`, async (t) => {
    const world = await setup(t);
    const { board } = world;
    await before?.(board, world, USER);
    const last = await board.lastEvent(DEFAULT);
    await ask(board, world, again);
    assert.ok((await board.lastEvent(DEFAULT)) > last);
  });
}

test("a command line that is run again completes the child that the completion of its parent made ready", async (t) => {
  const { board, a, b } = await setup(t);
  await board.complete(DEFAULT, a, {}, first);
  await board.complete(DEFAULT, a, {}, again);
  await board.complete(DEFAULT, b, {}, again);
  assert.equal((await board.task(DEFAULT, b)).status, "done");
});

test("two command lines do the same twice", async (t) => {
  const { board, a } = await setup(t);
  await board.comment(DEFAULT, a, "hello", first);
  await board.comment(DEFAULT, a, "hello", { ...USER, line: { key: "4x3", again: true } });
  assert.equal((await board.show(DEFAULT, a)).comments.length, 2);
});

test("what a command line did more than ten minutes ago is not taken for what it asks now", async (t) => {
  const { board, a, clock } = await setup(t);
  await board.comment(DEFAULT, a, "hello", first);
  clock.advance(11 * 60_000);
  await board.comment(DEFAULT, a, "hello", again);
  assert.equal((await board.show(DEFAULT, a)).comments.length, 2);
});
