import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { world } from "../../fixtures/e2e/world.js";
import type { TaskView } from "../contracts/board/api.js";
import type { Task } from "../contracts/board/board.js";

/** A board with two tasks, and an owner that is killed after the first change that leaves an event of this kind, before its answer. */
async function setup(t: TestContext, kind: string) {
  const made = await world(t, { faults: true });
  const make = async (title: string) =>
    (await made.json<Task>("kanban", "create", title, "--assignee", "somebody", "--external")).id;
  const a = await make("a");
  const b = await make("b");
  const { ended } = await made.owner({ AGENT_FAULT: `board.asked/${kind}:1` });
  const view = (id: string) => made.json<TaskView>("kanban", "show", id);
  const events = async (id: string) => (await view(id)).events.filter((event) => event.kind === kind).length;
  return { ...made, ended, a, b, view, events };
}

test("an owner that is killed between a comment and its answer: the comment is there once", async (t) => {
  const { run, ended, a, view } = await setup(t, "commented");
  assert.deepEqual(await run(["kanban", "comment", a, "hello"]), { code: 0, out: `Comment added to ${a}\n`, err: "" });
  await ended;
  assert.deepEqual(
    (await view(a)).comments.map(({ text }) => text),
    ["hello"],
  );
});

test("an owner that is killed in the middle of a batch: what was done is not done again, the rest is done now", async (t) => {
  const { run, ended, a, b, events, view } = await setup(t, "completed");
  assert.deepEqual(await run(["kanban", "complete", a, b]), {
    code: 0,
    out: `Completed ${a}\nCompleted ${b}\n`,
    err: "",
  });
  await ended;
  for (const id of [a, b])
    assert.deepEqual([(await view(id)).task.status, await events(id), (await view(id)).runs.length], ["done", 1, 1]);
});

for (const { kind, words, out } of [
  { kind: "blocked", words: ["block", "A", "why"], out: "Blocked A: why\n" },
  { kind: "linked", words: ["link", "A", "B"], out: "Linked A -> B\n" },
]) {
  test(`an owner that is killed between kanban ${words[0]} and its answer: the command says what was done`, async (t) => {
    const { run, ended, a, b, events } = await setup(t, kind);
    const named = (text: string) => text.replace(/\bA\b/, a).replace(/\bB\b/, b);
    const ran = await run(["kanban", ...words.map(named)]);
    await ended;
    assert.deepEqual(ran, { code: 0, out: named(out), err: "" });
    assert.equal(await events(kind === "linked" ? b : a), 1);
  });
}
