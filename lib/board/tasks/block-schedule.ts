import type { Tx } from "../../../storage/store.js";
import { addComment } from "../../../storage/tables/board/comments.js";
import { unsettledParents } from "../../../storage/tables/board/links.js";
import type { RunRow, TaskRow } from "../../../storage/tables/board/rows.js";
import { closedRun, closeRun, setRunTexts } from "../../../storage/tables/board/runs.js";
import { setTexts } from "../../../storage/tables/board/tasks.js";
import { AppError } from "../../base/errors.js";
import { type BoardSlug, type RunId, type TaskId, toUnix, type UnixSeconds } from "../../base/units.js";
import type { BlockParams, FinishedTask } from "../../contracts/board/api.js";
import type { Actor, ClaimRef, RunUsage, Task } from "../../contracts/board/board.js";
import {
  appendTaskEvent,
  type Core,
  FREE,
  mustTask,
  mustView,
  removeClaimFile,
  type Stamp,
  toStamp,
} from "../core/core.js";
import { requireClaim } from "../core/fence.js";
import { changeStatus, type Trigger } from "../core/states.js";
import { checkTexts } from "../core/texts.js";
import { checkActor, checkVerb } from "../core/verbs.js";
import { intervene } from "./interventions.js";

interface At {
  readonly board: BoardSlug;
  readonly id: TaskId;
}

/** What block and schedule have in common: a run is closed, a task waits. */
export interface Waiting {
  readonly verb: "block" | "schedule";
  readonly trigger: Trigger;
  readonly outcome: "blocked" | "scheduled";
  readonly reason: string | null;
  readonly until: UnixSeconds | null;
  readonly kind: Task["block_kind"];
  readonly comment: string | undefined;
  readonly usage: RunUsage | undefined;
  readonly stamp: Stamp;
}

/** Block a task, or with `until` let it wait (board part, 4.7). */
export async function blockTask(core: Core, at: At, params: BlockParams, by: Actor): Promise<FinishedTask> {
  checkActor("block", at.id, by);
  const stamp = toStamp(core, by);
  const reason = reasonOf(core, params.reason, by);
  if (by.kind === "worker" && reason === null) throw new AppError("E_INVALID", "missing reason");
  const until = params.until ?? null;
  checkFuture(until, stamp);
  const worker = by.kind === "worker";
  const waiting: Waiting = {
    verb: "block",
    trigger: until !== null ? (worker ? "worker wait" : "schedule") : worker ? "worker block" : "block",
    outcome: until === null ? "blocked" : "scheduled",
    reason,
    until,
    kind: until === null ? (params.kind ?? (worker ? "worker" : "human")) : null,
    comment: params.comment && reason !== null ? `BLOCKED: ${reason}` : undefined,
    usage: params.usage,
    stamp,
  };
  const done = worker ? await byWorker(core, at, by.claim, waiting) : await byOther(core, at, waiting);
  await removeClaimFile(core, at.board, at.id, done.run_id);
  return done;
}

async function byWorker(core: Core, at: At, claim: ClaimRef, waiting: Waiting): Promise<FinishedTask> {
  const store = await core.store(at.board, at.id);
  return store.write("board.block", async (tx) => {
    const { task, run } = await requireClaim(tx, core, claim);
    // A worker does not choose its name: it is the profile that its run was claimed for.
    return letWait(tx, { task, run }, { ...waiting, stamp: { ...waiting.stamp, name: run.profile } });
  });
}

async function byOther(core: Core, at: At, waiting: Waiting): Promise<FinishedTask> {
  const { stamp, verb } = waiting;
  return intervene(core, { ...at, verb, stamp, commit: (tx, { task, run }) => letWait(tx, { task, run }, waiting) });
}

/** Let a task wait, until an instant or until it is unblocked. */
export async function scheduleTask(
  core: Core,
  at: At,
  params: { reason?: string | undefined; at?: UnixSeconds | undefined; comment?: boolean | undefined },
  by: Actor,
): Promise<FinishedTask> {
  checkActor("schedule", at.id, by);
  const stamp = toStamp(core, by);
  const reason = reasonOf(core, params.reason, by);
  const until = params.at ?? null;
  checkFuture(until, stamp);
  const comment = params.comment && reason !== null ? `SCHEDULED: ${reason}` : undefined;
  const waiting: Waiting = {
    verb: "schedule",
    trigger: "schedule",
    outcome: "scheduled",
    reason,
    until,
    kind: null,
    comment,
    usage: undefined,
    stamp,
  };
  const done = await byOther(core, at, waiting);
  await removeClaimFile(core, at.board, at.id, done.run_id);
  return done;
}

/** The task waits; an open run ends. @throws E_STATE */
export async function letWait(
  tx: Tx,
  { task, run }: { task: TaskRow; run: RunRow | undefined },
  waiting: Waiting,
): Promise<FinishedTask> {
  checkVerb(waiting.verb, task);
  const { stamp, reason } = waiting;
  const id = await closeAsWaiting(tx, task, run, waiting);
  if (id !== null && reason !== null) await setRunTexts(tx, id, { summary: reason });
  await setTexts(tx, task.id, { block_reason: reason });
  if (waiting.comment !== undefined) await storeComment(tx, task.id, waiting.comment, stamp);
  const payload =
    waiting.outcome === "blocked" ? { reason, block_kind: waiting.kind } : { reason, scheduled_at: waiting.until };
  await changeStatus(tx, task, waiting.trigger, {
    ...stamp,
    run: id,
    patch: { current_run_id: null, block_kind: waiting.kind, scheduled_at: waiting.until },
    payload,
  });
  return { task: await mustView(tx, task.id), run_id: id };
}

/** The open run ends; a task that was never claimed gets one of zero length when there is a reason to keep. */
async function closeAsWaiting(tx: Tx, task: TaskRow, run: RunRow | undefined, waiting: Waiting): Promise<RunId | null> {
  const close = { outcome: waiting.outcome, at: toUnix(waiting.stamp.at), error: null, usage: waiting.usage ?? null };
  if (run !== undefined) {
    await closeRun(tx, run.id, close);
    return run.id;
  }
  if (waiting.reason === null || task.started_at !== null) return null;
  return closedRun(tx, task.id, task.assignee ?? waiting.stamp.name, close);
}

/** Set a blocked or scheduled task free: ready when its parents are settled, else todo. */
export async function unblock(
  core: Core,
  at: At,
  params: { reason?: string | undefined; comment?: boolean | undefined },
  by: Actor,
): Promise<{ task: Task }> {
  checkActor("unblock", at.id, by);
  const stamp = toStamp(core, by);
  const reason = reasonOf(core, params.reason, by);
  const store = await core.store(at.board, at.id);
  return store.write("board.unblock", async (tx) => {
    const task = await mustTask(tx, at.id);
    checkVerb("unblock", task);
    if (params.comment && reason !== null) await storeComment(tx, task.id, `UNBLOCK: ${reason}`, stamp);
    await setFree(tx, task, { trigger: "unblock", payload: { reason } }, stamp);
    return { task: await mustView(tx, task.id) };
  });
}

/** The one way out of blocked and scheduled, by hand or at its time. */
export async function setFree(
  tx: Tx,
  task: TaskRow,
  { trigger, payload }: { trigger: "unblock" | "due"; payload: Readonly<Record<string, unknown>> },
  stamp: Stamp,
): Promise<void> {
  const open = (await unsettledParents(tx, task.id)).length > 0;
  await setTexts(tx, task.id, { block_reason: null });
  await changeStatus(tx, task, trigger, { ...stamp, facts: { settled: !open, open }, patch: FREE, payload });
}

/** Store a comment of the actor with its event. */
export async function storeComment(tx: Tx, task: TaskId, text: string, stamp: Stamp): Promise<number> {
  const comment = { task_id: task, author: stamp.name, author_kind: stamp.actor, text, created_at: toUnix(stamp.at) };
  const id = await addComment(tx, comment);
  appendTaskEvent(
    tx,
    stamp,
    { kind: "commented", task },
    { comment_id: id, author: stamp.name, author_kind: stamp.actor, len: text.length },
  );
  return id;
}

function reasonOf(core: Core, given: string | undefined, by: Actor): string | null {
  const text = given?.trim() ?? "";
  if (text === "") return null;
  const reason = by.kind === "worker" ? core.redact(text) : text;
  checkTexts({ reason });
  return reason;
}

/** End of the year 9999: later instants have no form that people read. */
const LAST_INSTANT: UnixSeconds = 253_402_300_799;

/** @throws E_INVALID it is not in the future, or beyond the year 9999 */
export function checkFuture(until: UnixSeconds | null, stamp: Pick<Stamp, "at">): void {
  if (until === null) return;
  if (until <= toUnix(stamp.at)) throw new AppError("E_INVALID", "the time is in the past");
  if (until > LAST_INSTANT) throw new AppError("E_INVALID", "the time is beyond the year 9999");
}
