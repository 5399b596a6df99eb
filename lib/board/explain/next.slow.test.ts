import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { countingIds } from "../../../fixtures/ports/ids.js";
import { type Random, seeded } from "../../../fixtures/ports/random.js";
import { simSpawner } from "../../../fixtures/ports/spawn.js";
import { simRunner } from "../../../fixtures/sim/runner.js";
import { type BoardOwner, DEFAULT_BOARD, openBoardOwner } from "../../../fixtures/worlds/board-owner.js";
import type { BoardSlug, TaskId } from "../../base/units.js";
import type { Actor, PassResult } from "../../contracts/board/board.js";
import type { NextTask } from "../../contracts/board/explain.js";

const HUMAN: Actor = { kind: "human", name: "user" };
const SYSTEM: Actor = { kind: "system", name: "dispatcher" };
const OTHER = "other" as BoardSlug; // a slug by its form
const BOARDS = [DEFAULT_BOARD, OTHER];

for (let seed = 1; seed <= 8; seed++) {
  test(`next, a dry run and the pass agree on random board ${seed}`, async (t) => {
    const random = seeded(seed);
    const { owner } = await open(t, settingsOf(random));
    await fill(owner, random);
    const told = new Map<BoardSlug, readonly NextTask[]>();
    for (const board of BOARDS) told.set(board, await owner.board.next(board));
    const dry = await owner.dispatcher.pass({ dryRun: true });
    const before = await Promise.all(BOARDS.map((board) => owner.board.list(board, { status: ["ready"] })));
    const real = await owner.dispatcher.pass({});

    const all = [...told.values()].flat();
    const starts = all.filter((row) => row.verdict === "start").map((row) => row.task_id);
    assert.deepEqual(new Set(starts), idsOf(dry), "next starts what the dry run starts");
    assert.deepEqual(new Set(starts), idsOf(real), "and what the pass starts");
    assert.deepEqual(bucketsOf(dry), bucketsOf(real), "the dry run skips what the pass skips");
    for (const [index, board] of BOARDS.entries()) {
      const order = before[index]?.map((row) => row.task.id);
      assert.deepEqual(
        told.get(board)?.map((row) => row.task_id),
        order,
        "next lists every ready task in dispatch order",
      );
    }
    for (const row of all) if (row.code !== undefined) assert.ok(fits(row, real), `${row.code} of ${row.task_id}`);
  });
}

test("a dry run counts what a pass would make ready among what it would start", async (t) => {
  const { owner, clock } = await open(t, { "kanban.max_in_progress": 2 });
  const at = Math.floor(clock.now() / 1000) + 60;
  const make = async (title: string, more: object = {}) =>
    (await owner.board.create(DEFAULT_BOARD, { title, ...more }, HUMAN)).task.id;
  const due = await make("due", { scheduled_at: at, priority: 5 });
  const parent = await make("parent", { scheduled_at: at + 1000 });
  const waiting = await make("held by a parent", { scheduled_at: at, parents: [parent] });
  for (const title of ["ready", "ready, too late"]) await make(title);
  clock.advance(61_000);
  const dry = await owner.dispatcher.pass({ dryRun: true });
  assert.equal((await owner.board.task(DEFAULT_BOARD, due)).status, "scheduled", "nothing was moved");
  const real = await passing(clock, owner.dispatcher.pass({}));
  assert.deepEqual([dry.due, dry.promoted, dry.skipped_capped], [2, 0, 1]);
  assert.deepEqual([dry.due, dry.promoted, dry.skipped_capped], [real.due, real.promoted, real.skipped_capped]);
  assert.ok(idsOf(dry).has(due) && !idsOf(dry).has(waiting));
  assert.deepEqual([idsOf(dry).size, idsOf(dry)], [2, idsOf(real)]);
});

for (let seed = 1; seed <= 12; seed++) {
  test(`a dry run says what the pass right after it does where runs end and times come, on random board ${seed}`, async (t) => {
    const random = seeded(900 + seed);
    const { owner, clock } = await open(t, settingsOf(random));
    await fill(owner, random);
    for (const board of BOARDS) await endSoon(owner, board, random);
    const at = Math.floor(clock.now() / 1000) + 30;
    for (let made = 0; made < 3; made++) {
      const more = { scheduled_at: at, priority: random.below(4), assignee: random.pick(["default", "coder"]) };
      await owner.board.create(random.pick(BOARDS), { title: "later", ...more }, HUMAN);
    }
    clock.advance(60_000);
    const dry = await owner.dispatcher.pass({ dryRun: true });
    assert.deepEqual(await owner.dispatcher.pass({ dryRun: true }), dry, "a dry run changes nothing");
    const real = await passing(clock, owner.dispatcher.pass({}), 1); // deferrals must not end meanwhile
    assert.deepEqual(comparable(dry), comparable(real));
  });
}

test("a task whose worker is lost is started again by the same pass, and the dry run says so", async (t) => {
  const { owner, clock } = await open(t, { "kanban.max_in_progress": 2 });
  const make = async (title: string, priority: number) =>
    (await owner.board.create(DEFAULT_BOARD, { title, priority }, HUMAN)).task.id;
  const works = await make("works", 3);
  const lost = await make("lost", 2);
  const ready = await make("ready", 1);
  for (const [id, ttl] of [
    [works, 9000],
    [lost, 5],
  ] as const)
    await owner.board.claim(DEFAULT_BOARD, id, { profile: "default", lock: "test:1", by: HUMAN, ttl });
  clock.advance(60_000);
  const dry = await owner.dispatcher.pass({ dryRun: true });
  const real = await passing(clock, owner.dispatcher.pass({}));
  assert.deepEqual(comparable(dry), comparable(real));
  assert.equal(dry.reclaimed, 1);
  assert.ok(idsOf(dry).has(lost), "its own step freed the task and the slot");
  assert.ok(idsOf(real).has(lost));
  assert.ok(ready);
});

/** Claims that end before the pass: their lease or their runtime is over by then, at the limit of failures or below it. */
async function endSoon(owner: BoardOwner, board: BoardSlug, random: Random): Promise<void> {
  for (const { task } of await owner.board.list(board, { status: ["ready"] })) {
    if (!random.chance(0.5)) continue;
    const profile = random.pick(["default", "coder", "critic"]);
    if (random.chance(0.5)) await owner.board.edit(board, task.id, { max_runtime_seconds: 10 }, HUMAN);
    if (random.chance(0.3)) await owner.board.edit(board, task.id, { max_retries: 1 }, HUMAN);
    const by = random.pick([SYSTEM, HUMAN]); // a dispatcher that died while it started the worker, or an outside worker
    await owner.board.claim(board, task.id, { profile, lock: "test:1", by, ttl: random.pick([5, 9000]) });
  }
}

const sorted = (ids: readonly string[]) => ids.toSorted();

/** Everything that a pass reports. Runs end side by side: their order says nothing. */
const comparable = ({ dry_run: _, spawned, ...pass }: PassResult) => ({
  ...pass,
  spawned: spawned.map(({ task_id, assignee }) => `${task_id} ${assignee}`),
  crashed: sorted(pass.crashed),
  timed_out: sorted(pass.timed_out),
  stale: sorted(pass.stale),
  auto_blocked: sorted(pass.auto_blocked),
});

test("why says of a ready task what next says", async (t) => {
  const random = seeded(77);
  const { owner } = await open(t, {
    "kanban.max_in_progress": 1,
    "kanban.max_in_progress_per_profile": 1,
    "kanban.external_assignees": ["desk"],
  });
  await fill(owner, random);
  await owner.dispatcher.pass({});
  for (const row of await owner.board.next(DEFAULT_BOARD)) {
    const { reasons } = await owner.board.why(DEFAULT_BOARD, row.task_id);
    assert.ok(
      reasons.some((one) => one.code === row.code),
      `${row.code}: ${JSON.stringify(reasons)}`,
    );
  }
});

test("next and why write nothing, not even in a home that was never used", async (t) => {
  const { owner } = await open(t, {});
  const id = (await owner.board.create(DEFAULT_BOARD, { title: "one" }, HUMAN)).task.id;
  const before = await owner.board.lastEvent(DEFAULT_BOARD);
  await owner.board.next(DEFAULT_BOARD);
  assert.ok((await owner.board.why(DEFAULT_BOARD, id)).runnable);
  assert.equal(await owner.board.lastEvent(DEFAULT_BOARD), before);
});

function settingsOf(random: Random): Record<string, unknown> {
  return {
    "kanban.external_assignees": ["desk"],
    "kanban.max_in_progress": random.pick([1, 2, 4, "unlimited"]),
    "kanban.max_in_progress_per_profile": random.pick([0, 1, 2]),
    "kanban.default_assignee": random.pick(["", "coder", "gone"]),
  };
}

async function fill(owner: BoardOwner, random: Random): Promise<void> {
  for (const board of BOARDS) {
    if (board !== "default") await owner.board.createBoard({ slug: board }, HUMAN);
    const count = 2 + random.below(6);
    const ids: TaskId[] = [];
    for (let made = 0; made < count; made++) {
      const assignee = random.pick(["", "default", "coder", "critic", "nosuch", "desk"]);
      const more = {
        priority: random.below(3),
        external: random.chance(0.1),
        ...(assignee === "" ? {} : { assignee }),
      };
      const parents = random.chance(0.2) ? ids.slice(-1) : [];
      ids.push((await owner.board.create(board, { title: `task ${made}`, ...more, parents }, HUMAN)).task.id);
    }
    for (const id of ids) if (random.chance(0.2)) await throttle(owner, board, id);
    if (random.chance(0.2)) await owner.board.pause(board, {}, HUMAN);
  }
}

/** One run that the provider throttled: its task is deferred. */
async function throttle(owner: BoardOwner, board: BoardSlug, id: TaskId): Promise<void> {
  const claimed = await owner.board.claim(board, id, { profile: "coder", lock: "test:1", by: SYSTEM });
  if (claimed.claimed)
    await owner.board.settle({ board, task: id, run: claimed.claim.run, observed: { how: "exit", code: 75 } });
}

const idsOf = (pass: PassResult) => new Set(pass.spawned.map((one) => one.task_id));

const bucketsOf = (pass: PassResult) => ({
  unassigned: pass.skipped_unassigned,
  others: pass.skipped_nonspawnable,
  profile: pass.skipped_per_profile_capped,
  guarded: pass.respawn_guarded,
  given: pass.auto_assigned_default,
  capped: pass.skipped_capped,
  paused: pass.skipped_paused,
});

/** What the pass did with a task fits the code that next gave: either its own bucket, or the pass never came to it. */
function fits(row: NextTask, pass: PassResult): boolean {
  const beyond = pass.skipped_capped + pass.skipped_paused > 0;
  switch (row.code) {
    case "external":
    case "unknown_assignee":
    case "no_worker_program":
      return beyond || [...pass.skipped_nonspawnable, ...pass.skipped_unassigned].includes(row.task_id);
    case "cap_profile":
      return beyond || pass.skipped_per_profile_capped.some((one) => one.task_id === row.task_id);
    case "deferred_throttle":
      return beyond || pass.respawn_guarded.some((one) => one.task_id === row.task_id && one.until === row.until);
    case "cap_global":
      return pass.skipped_capped > 0;
    case "board_paused":
      return pass.skipped_paused > 0;
    default:
      return false;
  }
}

async function open(t: TestContext, config: Record<string, unknown>) {
  const root = mkdtempSync(join(tmpdir(), "next-"));
  const clock = manualClock("2026-03-29T00:30:00Z");
  const spawner = simSpawner(clock);
  spawner.programs.set(
    "runner",
    simRunner(() => undefined),
  );
  const program = (file: string) => ({ file, args: [] });
  const owner = await openBoardOwner({
    root,
    clock,
    ids: countingIds(),
    spawner,
    runner: program("runner"),
    worker: program("worker"),
    config,
  });
  t.after(async () => {
    await passing(clock, owner.close());
    rmSync(root, { recursive: true, force: true });
  });
  return { owner, clock };
}

/** Lets every wait of `work` come to its end. */
async function passing<T>(clock: ReturnType<typeof manualClock>, work: Promise<T>, step = 50): Promise<T> {
  let done = false;
  const result = work.finally(() => {
    done = true;
  });
  while (!done) {
    await new Promise((resolve) => setImmediate(resolve));
    if (!done) clock.advance(step);
  }
  return result;
}
