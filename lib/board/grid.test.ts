import assert from "node:assert/strict";
import { test } from "node:test";
import { proves } from "../../fixtures/requirements.js";
import { graphAnswer, type Said, setupPlanner } from "../../fixtures/sim/board-aux.js";
import { type BoardWorld, DEFAULT, USER } from "../../fixtures/sim/board-world.js";
import { AppError } from "../base/errors.js";
import type { TaskId } from "../base/units.js";
import { type Actor, type ClaimRef, STATUSES, type Status } from "../proto/board.js";
import { renderStates } from "./diagram.js";
import { TRANSITIONS, transition } from "./states.js";

/**
 * Board part 3.5, copied by hand: `>x` moves to x, `ok` stays, `E` is E_STATE, `R` is E_RUNNING. The tasks of this grid have no parents.
 * Columns in the order of STATUSES: triage todo ready running blocked scheduled done archived.
 */
const GRID: Readonly<Record<string, string>> = {
  specify: ">ready E E E E E E E",
  decompose: ">todo E E E E E E E",
  promote: "E >ready E E >ready >ready E E",
  claim: "E E >running E E E E E",
  complete: "E E >done >done >done E E E",
  block: "E >blocked >blocked >blocked E E E E",
  schedule: "E >scheduled >scheduled >scheduled >scheduled >scheduled E E",
  unblock: "E E E E >ready >ready E E",
  reclaim: "E E E >ready E E E E",
  heartbeat: "E E E ok E E E E",
  reopen: "E E E E E E >ready E",
  archive: ">archived >archived >archived >archived >archived >archived >archived E",
  unarchive: "E E E E E E E >ready",
  assign: "ok ok ok R ok ok ok E",
  link: "ok ok >todo R ok ok ok E",
  comment: "ok ok ok ok ok ok ok ok",
};

/** A worker on a task that is not its own may comment; on its own it may complete, block, beat and comment. */
const OWN = new Set(["complete", "block", "heartbeat", "comment"]);

type Verb = (world: BoardWorld, id: TaskId, by: Actor) => Promise<unknown>;

const answerFor: Said = ({ slot }) => ({
  ok: true,
  text: slot === "kanban_decomposer" ? graphAnswer({ title: "part" }) : '{"body": "b"}',
});

/** Model-backed verbs answer a wrong status with a reason in place of an error. */
async function outcomeOf(outcome: Promise<{ readonly ok: boolean; readonly reason: string }>): Promise<void> {
  const { ok, reason } = await outcome;
  if (!ok) throw new AppError(/^task is not in triage \(status='\w+'\)$/.test(reason) ? "E_STATE" : "E_INTERNAL", reason);
}

const VERBS: Readonly<Record<string, Verb>> = {
  specify: ({ board }, id, by) => outcomeOf(board.specify(DEFAULT, id, {}, by)),
  decompose: ({ board }, id, by) => outcomeOf(board.decompose(DEFAULT, id, {}, by)),
  promote: ({ board }, id, by) => board.promote(DEFAULT, id, {}, by),
  claim: ({ board }, id, by) => board.claimOutside(DEFAULT, id, {}, by),
  complete: ({ board }, id, by) => board.complete(DEFAULT, id, { summary: "s" }, by),
  block: ({ board }, id, by) => board.block(DEFAULT, id, { reason: "r" }, by),
  schedule: ({ board }, id, by) => board.schedule(DEFAULT, id, {}, by),
  unblock: ({ board }, id, by) => board.unblock(DEFAULT, id, {}, by),
  reclaim: ({ board }, id, by) => board.reclaim(DEFAULT, id, undefined, by),
  heartbeat: ({ board }, id, by) => board.heartbeat(DEFAULT, id, "n", by),
  reopen: ({ board }, id, by) => board.reopen(DEFAULT, id, {}, by),
  archive: ({ board }, id, by) => board.archive(DEFAULT, id, by),
  unarchive: ({ board }, id, by) => board.unarchive(DEFAULT, id, {}, by),
  assign: ({ board }, id, by) => board.assign(DEFAULT, id, "bob", by),
  link: async ({ board }, id, by) => {
    const { task } = await board.create(DEFAULT, { title: "open parent" }, USER);
    return board.link(DEFAULT, task.id, id, by);
  },
  comment: ({ board }, id, by) => board.comment(DEFAULT, id, "hi", by),
};

interface Placed {
  readonly id: TaskId;
  readonly claim: ClaimRef | undefined;
}

/** A task without parents in the given status. */
async function place(world: BoardWorld, status: Status): Promise<Placed> {
  const { board } = world;
  const make = async (more: object = {}) => (await board.create(DEFAULT, { title: status, ...more }, USER)).task.id;
  if (status === "triage") return { id: await make({ triage: true }), claim: undefined };
  if (status === "blocked") return { id: await make({ initial_status: "blocked" }), claim: undefined };
  if (status === "scheduled") return { id: await make({ scheduled_at: world.clock.now() / 1000 + 99 }), claim: undefined };
  const id = await make();
  if (status === "todo") await hold(world, id);
  if (status === "running") return { id, claim: await claimOf(world, id) };
  if (status === "done") await board.complete(DEFAULT, id, {}, USER);
  if (status === "archived") await board.archive(DEFAULT, id, USER);
  return { id, claim: undefined };
}

/** A todo without parents exists only while it is held. */
async function hold(world: BoardWorld, id: TaskId): Promise<void> {
  const store = await world.store();
  await store.write("test.hold", (tx) => tx.run("UPDATE tasks SET status = 'todo', hold = 1 WHERE id = ?", [id]));
}

async function claimOf(world: BoardWorld, id: TaskId): Promise<ClaimRef> {
  const outcome = await world.board.claim(DEFAULT, id, { profile: "default", lock: "h:1", by: USER });
  assert.ok(outcome.claimed);
  return outcome.claim;
}

/** `own`: the worker of the task itself, or one with a guessed claim where the task has none. `other`: the worker of another task. */
const ACTORS = ["human", "agent", "system", "own", "other"] as const;

async function actorOf(world: BoardWorld, kind: (typeof ACTORS)[number], placed: Placed): Promise<Actor> {
  if (kind === "own") {
    const claim = placed.claim ?? { task: placed.id, run: 1 as ClaimRef["run"], token: "guessed" };
    return { kind: "worker", name: "w", claim };
  }
  if (kind !== "other") return { kind, name: "somebody" };
  const { task } = await world.board.create(DEFAULT, { title: "elsewhere" }, USER);
  return { kind: "worker", name: "w", claim: await claimOf(world, task.id) };
}

function expected(verb: string, status: Status, actor: (typeof ACTORS)[number], cell: string): string {
  const refusal = { E: "E_STATE", R: "E_RUNNING" }[cell] ?? cell;
  if (actor !== "own" && actor !== "other") return refusal;
  // A worker extends the graph only through its own claim; which worker may at all is a matter of the surface.
  if (verb === "link") return actor === "own" && status !== "running" ? "E_CLAIM_LOST" : refusal;
  if (actor === "other") return verb === "comment" ? refusal : "E_NOT_OWNER";
  if (!OWN.has(verb)) return "E_NOT_OWNER";
  return status === "running" ? refusal : "E_CLAIM_LOST";
}

for (const [verb, row] of Object.entries(GRID)) {
  test(`${verb}: every status and every kind of actor gets what the table says`, async (t) => {
    const { world } = setupPlanner(t, { said: [answerFor] });
    for (const [at, status] of STATUSES.entries()) {
      for (const actor of ACTORS) {
        const placed = await place(world, status);
        const by = await actorOf(world, actor, placed);
        const before = JSON.stringify(await world.board.show(DEFAULT, placed.id));
        const want = expected(verb, status, actor, row.split(" ")[at] ?? "");
        const run = VERBS[verb];
        assert.ok(run);
        const got = await run(world, placed.id, by).then(
          () => "done",
          (error: unknown) => (error instanceof AppError ? error.code : String(error)),
        );
        const where = `${verb} by ${actor} on ${status}`;
        const now = (await world.board.task(DEFAULT, placed.id)).status;
        if (want.startsWith("E_")) {
          assert.equal(got, want, where);
          assert.equal(JSON.stringify(await world.board.show(DEFAULT, placed.id)), before, `${where} changes nothing`);
        } else {
          assert.equal(got, "done", where);
          assert.equal(now, want === "ok" ? status : want.slice(1), where);
        }
      }
    }
  });
}

test("no trigger leads to running but a claim, and every row of the table can be taken", (t) => {
  proves(t, "board.running.not-settable");
  for (const row of TRANSITIONS) {
    if (row.to === "running") assert.equal(row.on, "claim");
    const facts = "guard" in row ? { [row.guard]: true } : {};
    for (const from of row.from) assert.equal(transition(from, row.on, facts)?.to, row.to, `${from} on ${row.on}`);
  }
});

test("the state diagram names every status and every trigger", () => {
  const text = renderStates();
  for (const status of STATUSES) assert.ok(text.includes(status), status);
  for (const row of TRANSITIONS) assert.ok(text.includes(row.on), row.on);
});
