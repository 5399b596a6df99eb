import assert from "node:assert/strict";
import { test } from "node:test";
import { kanbanWorld } from "../../fixtures/e2e/kanban.js";
import { allCleared, allCollected, type Deed, everythingInOrder, unruly } from "../../fixtures/e2e/unruly.js";
import { proves } from "../../fixtures/requirements.js";

interface Row {
  readonly title: string;
  readonly deeds: readonly Deed[];
  readonly flags?: readonly string[];
  /** Outcomes of the runs in order. */
  readonly outcomes: readonly string[];
  readonly status: string;
  readonly answers?: readonly string[];
}

/** Short for a worker that does nothing, and long enough for one that works on a busy machine. */
const CAP = ["--max-runtime", "10s"];

const rows: Row[] = [
  { title: "leaves without a word", deeds: ["silent"], outcomes: ["protocol_violation"], status: "blocked" },
  { title: "fails, then works", deeds: ["exit1", "ok"], outcomes: ["crashed", "completed"], status: "done" },
  { title: "dies of a signal, then works", deeds: ["crash", "ok"], outcomes: ["crashed", "completed"], status: "done" },
  {
    title: "cannot run at all, then can",
    deeds: ["exit64", "ok"],
    outcomes: ["spawn_failed", "completed"],
    status: "done",
  },
  {
    title: "is throttled, then works",
    deeds: ["exit75", "ok"],
    outcomes: ["rate_limited", "completed"],
    status: "done",
  },
  {
    title: "hangs, then works",
    deeds: ["hang", "ok"],
    flags: CAP,
    outcomes: ["timed_out", "completed"],
    status: "done",
  },
  {
    title: "hangs and hears no SIGTERM",
    deeds: ["deaf", "ok"],
    flags: CAP,
    outcomes: ["timed_out", "completed"],
    status: "done",
  },
  { title: "is stopped", deeds: ["stopped", "ok"], flags: CAP, outcomes: ["timed_out", "completed"], status: "done" },
  { title: "leaves grandchildren behind", deeds: ["family", "ok"], outcomes: ["crashed", "completed"], status: "done" },
  {
    title: "leaves a deaf process in a session of its own",
    deeds: ["escapee", "ok"],
    outcomes: ["crashed", "completed"],
    status: "done",
  },
  { title: "loses its runner", deeds: ["orphan", "ok"], outcomes: ["crashed", "completed"], status: "done" },
  { title: "finishes twice", deeds: ["twice"], outcomes: ["completed"], status: "done", answers: ["1"] },
];

for (const { title, deeds, flags = [], outcomes, status, answers = [] } of rows) {
  test(`a worker that ${title}: ${outcomes.join(", ")}, and nothing of it is left`, async (t) => {
    proves(t, "R2");
    const world = await kanbanWorld(t, { mode: "script", kanban: SWIFT });
    const { plan, answers: answered } = unruly(world);
    const owner = await world.daemon();
    const id = await held(world, deeds, plan, flags);
    await world.K("promote", id);
    const last = outcomes.at(-1);
    await world.event((one) => one.event === last && one.task_id === id);
    const { task, runs } = await world.show(id);
    assert.deepEqual([task.status, runs.map((run) => run.outcome)], [status, outcomes]);
    await allCleared(world);
    assert.deepEqual(answered(id), answers);
    await allCollected(owner.pid);
    assert.equal((await owner.end()).code, 0);
    await everythingInOrder(world, [id]);
  });
}

test("a worker that uses the claims of others, or its own for others, changes nothing of theirs", async (t) => {
  proves(t, "R2");
  const world = await kanbanWorld(t, { mode: "script", kanban: { ...SWIFT, max_in_progress: 3 } });
  const { plan, answers } = unruly(world);
  const owner = await world.daemon();
  const victim = await held(world, ["hang"], plan, []);
  await world.K("promote", victim);
  await world.told(victim);
  const thief = await held(world, ["thief"], plan, []);
  await world.K("promote", thief);
  await world.event((one) => one.event === "completed" && one.task_id === thief);
  assert.deepEqual(answers(thief), ["1", "1"]);
  const { task, runs, events } = await world.show(victim);
  assert.deepEqual([task.status, runs.length], ["running", 1]);
  assert.ok(!events.some(({ kind }) => kind === "completed"));
  assert.equal((await world.show(thief)).runs[0]?.summary, "honest");
  assert.equal((await world.K("archive", victim)).code, 0);
  await allCleared(world);
  await owner.end();
  await everythingInOrder(world, [victim, thief]);
});

/** Retries at once, and a stop that takes no longer than it must. */
const SWIFT = { retry_backoff_seconds: 0, rate_limit_cooldown_seconds: 0, kill_grace_seconds: 1, failure_limit: 5 };

type World = Awaited<ReturnType<typeof kanbanWorld>>;

/** A task that does not start before its plan is written. */
async function held(
  world: World,
  deeds: readonly Deed[],
  plan: (task: string, deeds: readonly Deed[]) => void,
  flags: readonly string[],
) {
  const id = await world.make(deeds.join(" "), "--initial-status", "blocked", ...flags);
  plan(id, deeds);
  return id;
}
