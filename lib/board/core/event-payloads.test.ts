import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { proves } from "../../../fixtures/requirements.js";
import { graphAnswer, setupPlanner } from "../../../fixtures/sim/board-aux.js";
import { type BoardWorld, DEFAULT, USER } from "../../../fixtures/sim/board-world.js";
import type { TaskId } from "../../base/units.js";
import type { Actor, BoardEvent, ClaimRef } from "../../contracts/board/board.js";
import type { Observed } from "./kernel.js";

/** Keys of each payload, copied by hand from board part 5; `?` may be missing. Those that move a task have `from` and `to` besides. */
const PAYLOADS: Readonly<Record<string, string>> = {
  created: "assignee status parents tenant branch_name skills goal_mode by? from_decompose_of? from to",
  promoted: "from to",
  promoted_manual: "actor reason forced ignored_parents from to",
  claimed: "lock expires run_id from to",
  claim_rejected: "reason from to",
  claim_extended: "reason worker_pid claim_expires_was claim_expires_now last_heartbeat_at",
  spawned: "pid",
  adopted: "pid",
  spawn_failed: "error failures from to",
  heartbeat: "note",
  completed: "result_len summary verdict verified_cards? artifacts? from to",
  completion_blocked_hallucination: "phantom_cards verified_cards summary_preview",
  phantom_refs_suspected: "ids source",
  artifact_skipped: "path size reason",
  blocked: "reason block_kind from? to?",
  unblocked: "reason from to",
  scheduled: "reason scheduled_at from? to?",
  due: "scheduled_at from to",
  specified: "changed_fields previous from to",
  decomposed: "child_ids root_assignee previous_assignee from to",
  decompose_failed: "attempt reason next_at",
  linked: "parent child",
  unlinked: "parent child",
  commented: "comment_id author author_kind len",
  attached: "id filename size by",
  attachment_removed: "filename",
  assigned: "assignee previous source?",
  edited: "fields",
  reprioritized: "priority",
  status: "status reason? parent? from to",
  reopened: "reason? from to",
  archived: "released from to",
  unarchived: "from to",
  reclaimed:
    "reason prev_pid termination_attempted terminated sigkill host_local claim_expires? last_heartbeat_at? manual? from to",
  crashed: "pid exit_kind exit_code? signal? error_class? failures from to",
  protocol_violation: "pid exit_code reminders last_text from to",
  rate_limited: "pid exit_code until from to",
  timed_out: "pid cause elapsed_seconds limit_seconds? budget_used? budget_max? sigkill failures from to",
  stale:
    "elapsed_seconds last_heartbeat_at heartbeat_age_seconds timeout_seconds pid prev_pid termination_attempted terminated sigkill host_local from to",
  stuck: "pid",
  gave_up: "failures effective_limit limit_source error trigger_outcome",
  respawn_guarded: "reason until",
  skill_missing: "skills",
  workspace_created: "kind path branch? base_commit?",
  tip_scratch_workspace: "message",
  deleted: "task_id title",
  board_paused: "paused_at paused_by paused_reason",
  board_resumed: "paused_at paused_by paused_reason",
};

const workerOf = (claim: ClaimRef): Actor => ({ kind: "worker", name: "default", claim });

/** Everything that can happen on a board, each at least once. */
async function live(world: BoardWorld, said: (...answers: string[]) => void): Promise<readonly BoardEvent[]> {
  const { board } = world;
  const make = async (title: string, more: object = {}): Promise<TaskId> =>
    (await board.create(DEFAULT, { title, ...more }, USER)).task.id;
  const claim = async (id: TaskId): Promise<ClaimRef> => {
    const outcome = await board.claim(DEFAULT, id, { profile: "default", lock: "h:1", by: USER });
    assert.ok(outcome.claimed);
    await board.bind(DEFAULT, outcome.claim, { pid: 7, start: "1", boot: "b", host: "host-1" });
    return outcome.claim;
  };
  const ended = async (observed: Observed, more: object = {}): Promise<TaskId> => {
    const id = await make(observed.how, more);
    const { run } = await claim(id);
    await board.stopAndSettle({ board: DEFAULT, task: id, run, observed });
    return id;
  };
  await endings(ended);
  await byHand(world, make, claim);
  await byWorker(world, make, claim);
  said('{"title": "t", "body": "b"}');
  await board.specify(DEFAULT, await make("rough", { triage: true }), {}, USER);
  said(graphAnswer({ title: "part" }));
  await board.decompose(DEFAULT, await make("big", { triage: true, parents: [await make("before")] }), {}, USER);
  const seen = await board.task(DEFAULT, await make("idea", { triage: true }));
  await board.countFailure(DEFAULT, { task: seen } as never, { reason: "why", maxAttempts: 3 }); // only id and texts of the task are looked at
  await board.pause(DEFAULT, { reason: "audit" }, USER);
  await board.resume(DEFAULT, USER);
  return board.eventsAfter(DEFAULT, 0, 2_000);
}

async function endings(ended: (observed: Observed, more?: object) => Promise<TaskId>): Promise<void> {
  for (const code of [0, 1, 75, 76]) await ended({ how: "exit", code });
  await ended({ how: "exit", code: 1 }, { max_retries: 1 });
  await ended({ how: "signal", signal: "SIGKILL" });
  await ended({ how: "vanished", seenAlive: true });
  await ended({ how: "not_started", error: "no such file", errorClass: "start" });
  await ended({ how: "stale", timeoutSeconds: 9 });
  await ended({ how: "max_runtime", limitSeconds: 9 });
  await ended({ how: "lease_expired" });
  await ended({ how: "host_restart" });
}

type Make = (title: string, more?: object) => Promise<TaskId>;
type Claim = (id: TaskId) => Promise<ClaimRef>;

async function byHand({ board, root, clock, stopper, store }: BoardWorld, make: Make, claim: Claim): Promise<void> {
  const parent = await make("parent");
  const child = await make("child", { parents: [parent] });
  await board.edit(DEFAULT, child, { priority: 2, title: "kid" }, USER);
  await board.promote(DEFAULT, child, { force: true }, USER);
  await board.link(DEFAULT, parent, child, USER);
  await board.complete(DEFAULT, parent, { summary: "see t_00000000" }, USER);
  const taken = await make("taken", { parents: [parent] });
  await (await store()).write("test.open", (tx) =>
    tx.run("UPDATE tasks SET verdict = 'rejected' WHERE id = ?", [parent]),
  );
  await board.claim(DEFAULT, taken, { profile: "p", lock: "h:1", by: USER });
  await (await store()).write("test.shut", (tx) =>
    tx.run("UPDATE tasks SET verdict = 'accepted' WHERE id = ?", [parent]),
  );
  await board.reopen(DEFAULT, parent, { reason: "again" }, USER);
  await board.unlink(DEFAULT, parent, child, USER);
  await board.block(DEFAULT, child, { reason: "r", comment: true }, USER);
  await board.unblock(DEFAULT, child, { reason: "go" }, USER);
  await board.schedule(DEFAULT, child, { at: clock.now() / 1000 + 60 }, USER);
  clock.advance(61_000);
  await board.due(DEFAULT);
  await board.write(DEFAULT, child, { status: "todo" }, USER);
  await board.assign(DEFAULT, child, "bob", USER);
  writeFileSync(join(root, "a.txt"), "a");
  const [file] = (await board.attach(DEFAULT, child, [{ path: join(root, "a.txt") }], USER)).attachments;
  await board.detach(DEFAULT, file?.id ?? 0, USER);
  await board.archive(DEFAULT, child, USER);
  await board.unarchive(DEFAULT, child, {}, USER);
  const free = await make("free");
  await board.assignDefault(DEFAULT, free, "default");
  await board.guarded(DEFAULT, free, "retry_backoff", clock.now() / 1000 + 5);
  await claim(free);
  stopper.answer = "stuck";
  await assert.rejects(board.reclaim(DEFAULT, free, "r", USER), { code: "E_WORKER_STUCK" });
  stopper.answer = "ended";
  await board.reclaim(DEFAULT, free, "r", USER);
  await board.remove(DEFAULT, await make("gone"), { any: true }, USER);
}

async function byWorker({ board, clock, settings }: BoardWorld, make: Make, claim: Claim): Promise<void> {
  const id = await make("work", { skills: ["none"] });
  const ref = await claim(id);
  const by = workerOf(ref);
  const { path } = await board.prepareWorkspace(DEFAULT, ref);
  await board.skillsMissing(DEFAULT, ref, ["none"]);
  await board.adopt(DEFAULT, ref.run);
  clock.advance(901_000);
  await board.extendLease(DEFAULT, ref.run);
  await board.heartbeat(DEFAULT, id, "busy", by);
  await assert.rejects(board.complete(DEFAULT, id, { summary: "s", created_cards: ["t_00000000"] }, by), {
    code: "E_PHANTOM_CARDS",
  });
  mkdirSync(dirname(join(path, "out")), { recursive: true });
  for (const [name, text] of [
    ["small", "x"],
    ["large", "x".repeat(99)],
  ] as const) {
    writeFileSync(join(path, name), text);
  }
  settings.set("kanban.attachment_max_bytes", 10);
  await board.complete(DEFAULT, id, { summary: "s", artifacts: ["small", "large"] }, by);
}

test("every kind of event has the payload that is documented, and one that moves a task says from where to where", async (t) => {
  proves(t, "board.event.payloads-decided");
  const { world, aux } = setupPlanner(t);
  const events = await live(world, (...answers) => aux.say(...answers));
  const seen = new Set<string>();
  for (const { kind, payload } of events) {
    seen.add(kind);
    const row = PAYLOADS[kind];
    assert.ok(row !== undefined, `${kind} is not documented`);
    const allowed = row.split(" ").map((key) => key.replace("?", ""));
    const needed = row.split(" ").filter((key) => !key.endsWith("?"));
    const keys = Object.keys(payload);
    assert.deepEqual(
      [keys.filter((key) => !allowed.includes(key)), needed.filter((key) => !keys.includes(key))],
      [[], []],
      `${kind}: ${JSON.stringify(payload)}`,
    );
  }
  assert.deepEqual(
    Object.keys(PAYLOADS).filter((kind) => !seen.has(kind)),
    [],
    "kinds that did not happen",
  );
});
