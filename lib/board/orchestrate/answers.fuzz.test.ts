import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { setupPlanner } from "../../../fixtures/sim/board-aux.js";
import { rowsOf, violationsIn } from "../../../fixtures/sim/board-facts.js";
import { DEFAULT, USER } from "../../../fixtures/sim/board-world.js";
import { circleIn } from "./parse.js";

const RUNS = process.env["AGENT_TEST_SHORT"] ? 60 : 400;

const place = fc.oneof(fc.integer({ min: -1, max: 8 }), fc.constantFrom("0", null, 0.5, 1e99, {}, [1]));
const task = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      title: fc.string(),
      body: fc.string(),
      assignee: fc.constantFrom("alice", "ALICE ", "zoe", null, 3),
      parents: fc.array(place),
    }),
  },
  { weight: 1, arbitrary: fc.jsonValue() },
);
const titled = fc.record({
  title: fc.string({ minLength: 1 }).map((text) => `t${text}`),
  parents: fc.array(place, { maxLength: 3 }),
});
const members = fc.oneof(
  fc.record({
    fanout: fc.constant(true),
    rationale: fc.string(),
    tasks: fc.array(titled, { minLength: 1, maxLength: 8 }),
  }),
  fc.record({
    fanout: fc.oneof(fc.boolean(), fc.jsonValue()),
    tasks: fc.oneof(fc.array(task, { maxLength: 25 }), fc.jsonValue()),
    title: fc.jsonValue(),
    body: fc.jsonValue(),
  }),
);
const answer = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc.jsonValue().map((value) => JSON.stringify(value)),
  members.map((value) => JSON.stringify(value)),
  members.map((value) => `Sure {here}:\n\`\`\`json\n${JSON.stringify(value)}\n\`\`\`\nbye }`),
  fc.tuple(members, fc.nat(400)).map(([value, cut]) => JSON.stringify(value).slice(0, cut)),
  fc.integer({ min: 1, max: 20_000 }).map((depth) => `{"tasks":${"[".repeat(depth)}`),
);

test("whatever a model answers, a task is worked as a whole or left as it was, and nothing is thrown", async (t) => {
  const { world, aux } = setupPlanner(t);
  let split = 0;
  const once = fc.asyncProperty(answer, fc.boolean(), async (said, whole) => {
    aux.say(said);
    const { id } = (await world.board.create(DEFAULT, { title: "root", triage: true }, USER)).task;
    const before = await rowsOf(world);
    const outcome = whole
      ? await world.board.decompose(DEFAULT, id, {}, USER)
      : await world.board.specify(DEFAULT, id, {}, USER);
    const after = await rowsOf(world);
    const children = after.tasks.filter((one) => one.decomposed_from === id);
    if (!outcome.ok) assert.deepEqual(after, before, outcome.reason);
    else {
      assert.notEqual(after.tasks.find((one) => one.id === id)?.status, "triage");
      for (const child of children) assert.ok((await world.board.task(DEFAULT, child.id as never)).assignee);
      split += children.length > 0 ? 1 : 0;
    }
    assert.deepEqual(
      violationsIn({ ...after, tasks: after.tasks.filter((one) => one.id === id || children.includes(one)) }).filter(
        (text) => !text.includes("no child"),
      ),
      [],
    );
    for (const one of [id, ...children.map((child) => child.id)])
      await world.board.archive(DEFAULT, one as never, USER);
  });
  await fc.assert(once, { numRuns: RUNS });
  t.diagnostic(`${split} graphs were written`);
  assert.ok(split > 0);
});

test("a circle is found exactly when tasks wait for one another", () => {
  const graph = fc
    .integer({ min: 1, max: 7 })
    .chain((count) =>
      fc
        .array(fc.uniqueArray(fc.integer({ min: 0, max: count - 1 })), { minLength: count, maxLength: count })
        .map((all) => all.map((parents, own) => ({ parents: parents.filter((parent) => parent !== own) }))),
    );
  fc.assert(
    fc.property(graph, (tasks) => {
      const circle = circleIn(tasks);
      if (circle === undefined) return assert.ok(sorts(tasks));
      assert.ok(circle.length > 2 && circle[0] === circle.at(-1) && circle[0] === Math.min(...circle));
      for (const [at, parent] of circle.slice(0, -1).entries())
        assert.ok(tasks[circle[at + 1] ?? -1]?.parents.includes(parent));
    }),
    { numRuns: RUNS * 5 },
  );
});

/** Tasks can be done one after the other. */
function sorts(tasks: readonly { readonly parents: readonly number[] }[]): boolean {
  const done = new Set<number>();
  for (let round = 0; round < tasks.length; round++) {
    const next = tasks.findIndex((one, at) => !done.has(at) && one.parents.every((parent) => done.has(parent)));
    if (next < 0) return false;
    done.add(next);
  }
  return true;
}
