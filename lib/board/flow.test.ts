import assert from "node:assert/strict";
import { test } from "node:test";
import { proves } from "../../fixtures/requirements.js";
import { setupPlanner } from "../../fixtures/sim/board-aux.js";
import { DEFAULT, USER } from "../../fixtures/sim/board-world.js";
import type { TaskId } from "../base/units.js";

const SPEC = JSON.stringify({ title: "Build the thing", body: "## Goal\n\nA thing." });

test("a task goes from triage through todo, ready and running to done, and another one to blocked", async (t) => {
  proves(t, "board.flow");
  const { world } = setupPlanner(t, { said: [SPEC] });
  const { board } = world;
  const make = async (more: object) => (await board.create(DEFAULT, { title: "one", ...more }, USER)).task;
  const status = async (id: TaskId) => (await board.task(DEFAULT, id)).status;
  const claimed = (id: TaskId) => board.claim(DEFAULT, id, { profile: "alice", lock: "host:1", by: USER });
  const parent = await make({});
  const idea = await make({ triage: true, parents: [parent.id] });
  assert.deepEqual([parent.status, idea.status], ["ready", "triage"]);
  await board.specify(DEFAULT, idea.id, {}, USER);
  assert.equal(await status(idea.id), "todo");
  await claimed(parent.id);
  assert.equal(await status(parent.id), "running");
  await board.complete(DEFAULT, parent.id, { summary: "done" }, USER);
  assert.deepEqual([await status(parent.id), await status(idea.id)], ["done", "ready"]);
  await claimed(idea.id);
  await board.block(DEFAULT, idea.id, { reason: "which one?" }, USER);
  assert.equal(await status(idea.id), "blocked");
});
