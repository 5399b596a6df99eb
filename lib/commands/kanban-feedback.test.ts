import assert from "node:assert/strict";
import { test } from "node:test";
import { kanban } from "../../fixtures/sim/board-cli.js";
import { type BoardWorld, setupBoard } from "../../fixtures/sim/board-world.js";
import type { Task } from "../contracts/board/board.js";

async function make(world: BoardWorld, ...argv: string[]): Promise<string> {
  return (await kanban(world, ["create", ...argv, "--json"])).json<Task>().id;
}

test("the reason of reopen is a comment that the next worker reads", async (t) => {
  const world = setupBoard(t);
  const id = await make(world, "one");
  await kanban(world, ["complete", id, "--summary", "did"]);
  await kanban(world, ["reopen", id, "--reason", "also add tests"]);
  assert.match((await kanban(world, ["context", id])).out, /## Comment thread[\s\S]*REOPEN: also add tests/);
  const silent = await make(world, "two");
  await kanban(world, ["complete", silent, "--summary", "did"]);
  await kanban(world, ["reopen", silent]);
  assert.doesNotMatch((await kanban(world, ["context", silent])).out, /REOPEN/);
});

test("a task that was done and reopened often has used up none of its failures", async (t) => {
  const world = setupBoard(t);
  const id = await make(world, "one");
  for (let n = 0; n < 3; n++) {
    await kanban(world, ["complete", id, "--summary", "did"]);
    await kanban(world, ["reopen", id]);
  }
  assert.match((await kanban(world, ["context", id])).out, /^Attempt: 4\nFailures in a row: 0 of 2$/m);
});

test("edit --result says that children go by the summary, and --summary changes what they read", async (t) => {
  const world = setupBoard(t);
  const parent = await make(world, "parent");
  const child = await make(world, "child", "--parent", parent);
  await kanban(world, ["complete", parent, "--summary", "did"]);
  const { err, code } = await kanban(world, ["edit", parent, "--result", "better"]);
  assert.deepEqual(
    [code, err],
    [0, "kanban: child tasks read the summary of its run, which is unchanged: --summary changes it\n"],
  );
  assert.match((await kanban(world, ["context", child])).out, /did/);
  assert.equal((await kanban(world, ["edit", parent, "--result", "best", "--summary", "best"])).err, "");
  assert.match((await kanban(world, ["context", child])).out, /best/);
});

test("why names the blocked task at the end of a long chain, and what shows more about it", async (t) => {
  const world = setupBoard(t);
  let last = await make(world, "root");
  const root = last;
  for (const title of ["a", "b", "c", "d"]) last = await make(world, title, "--parent", last);
  await kanban(world, ["block", root, "need input"]);
  const { out } = await kanban(world, ["why", last]);
  assert.match(out, new RegExp(`\\(todo\\), which ultimately waits for ${root} \\(blocked\\)\\.`));
  assert.match(out, new RegExp(`agent kanban why ${root}`));
});
