import type { Tx } from "../../../storage/store.js";
import { closeRun } from "../../../storage/tables/board/runs.js";
import { setTexts } from "../../../storage/tables/board/tasks.js";
import { AppError } from "../../base/errors.js";
import { type TaskId, toUnix, type UnixSeconds } from "../../base/units.js";
import { STATUSES, type Status } from "../../contracts/board/board.js";
import { appendTaskEvent, FREE, mustTask } from "../core/core.js";
import { changeStatus, type Trigger, updateTaskColumns } from "../core/states.js";
import { letWait, setFree } from "./block-schedule.js";
import { endTask, type RunHandoff } from "./finish.js";
import type { StoppedTask } from "./interventions.js";
import { parentsOpen, promoteIn, reopenIn, UNTRIED, unarchiveIn, waitingOf } from "./promote-reopen.js";
import { promoteIfFree } from "./promotion.js";
import { archiveIn, reclaimIn } from "./release.js";
import type { TakeBack } from "./take-back.js";

/** A status that a user writes, with what it needs, checked on its own. */
export interface StatusPlan {
  readonly to: Exclude<Status, "running">;
  readonly force: boolean;
  readonly reason: string | undefined;
  /** For `done`. */
  readonly handoff: RunHandoff;
  /** For `blocked` and `scheduled`. */
  readonly block_reason: string | null;
  readonly until: UnixSeconds | null;
}

/** @throws E_INVALID no such status, or `running`, which only a claim sets */
export function parseTarget(given: string): StatusPlan["to"] {
  if (given === "running")
    throw new AppError("E_INVALID", "status running can only be set by a claim", { status: given });
  const to = STATUSES.find((status) => status === given);
  if (to === undefined || to === "running") {
    throw new AppError(
      "E_INVALID",
      `no such status: ${given} (${STATUSES.filter((status) => status !== "running").join(", ")})`,
    );
  }
  return to;
}

/**
 * Carry out a status write (board part, 14.5), once nothing works on the task any more.
 *
 * @returns children that wait again, and what was lost
 * @throws E_STATE, E_PARENTS_OPEN, E_CHILD_RUNNING
 */
export async function applyStatus(tx: Tx, found: StoppedTask, plan: StatusPlan, how: TakeBack): Promise<Outcome> {
  if (plan.to === "archived") {
    await archiveIn(tx, found, how.stamp);
    return NOTHING;
  }
  if (found.task.status === "archived") return restore(tx, found, plan, how);
  return WRITES[plan.to](tx, found, plan, how);
}

interface Outcome {
  readonly demoted: readonly TaskId[];
  readonly warnings: readonly string[];
}

const NOTHING: Outcome = { demoted: [], warnings: [] };

async function restore(tx: Tx, { task }: StoppedTask, plan: StatusPlan, how: TakeBack): Promise<Outcome> {
  const outcome = await unarchiveIn(tx, task, how);
  const { status } = await mustTask(tx, task.id);
  if (status === plan.to) return outcome;
  throw new AppError("E_STATE", `cannot make ${task.id} ${plan.to}: unarchived, it becomes ${status}`, {
    status: "archived",
  });
}

type Write = (tx: Tx, found: StoppedTask, plan: StatusPlan, how: TakeBack) => Promise<Outcome>;

const WRITES: Record<Exclude<StatusPlan["to"], "archived">, Write> = {
  done: writeDone,
  blocked: writeWaiting,
  scheduled: writeWaiting,
  ready: writeReady,
  todo: writeTodo,
  triage: writeTriage,
};

async function writeDone(
  tx: Tx,
  { task, run }: StoppedTask,
  { handoff }: StatusPlan,
  { stamp }: TakeBack,
): Promise<Outcome> {
  if (task.status !== "done") await endTask(tx, { task, run, handoff, stamp, trigger: "complete" });
  return NOTHING;
}

async function writeWaiting(
  tx: Tx,
  { task, run }: StoppedTask,
  plan: StatusPlan,
  { stamp }: TakeBack,
): Promise<Outcome> {
  if (plan.to === "blocked" && task.status === "blocked") return NOTHING;
  const blocked = plan.to === "blocked";
  await letWait(
    tx,
    { task, run },
    {
      verb: blocked ? "block" : "schedule",
      trigger: blocked ? "block" : "schedule",
      outcome: blocked ? "blocked" : "scheduled",
      reason: plan.block_reason,
      until: blocked ? null : plan.until,
      kind: blocked ? "human" : null,
      comment: undefined,
      usage: undefined,
      stamp,
    },
  );
  return NOTHING;
}

async function writeReady(tx: Tx, found: StoppedTask, plan: StatusPlan, how: TakeBack): Promise<Outcome> {
  const { task } = found;
  const { stamp } = how;
  switch (task.status) {
    case "running":
      await reclaimIn(tx, found, { reason: plan.reason, end: "status_write" }, stamp);
      return NOTHING;
    case "done":
      return reopened(tx, found, plan, how);
    case "ready":
      if (task.hold === 1) await lift(tx, found, how);
      return NOTHING;
    case "todo":
      await promoteIn(tx, task, plan, stamp);
      return NOTHING;
    default:
      return outOfWaiting(tx, found, plan, how);
  }
}

/** From triage, blocked and scheduled. */
async function outOfWaiting(tx: Tx, { task }: StoppedTask, plan: StatusPlan, { stamp }: TakeBack): Promise<Outcome> {
  const waiting = await waitingOf(tx, task.id);
  if (task.status === "triage") {
    if (waiting.length > 0) throw parentsOpen(waiting);
    await direct(tx, task, "write ready", { stamp, facts: { settled: true }, payload: { status: "ready" } });
  } else if (waiting.length > 0) {
    await promoteIn(tx, task, plan, stamp);
  } else {
    await setFree(tx, task, { trigger: "unblock", payload: { reason: plan.reason ?? null } }, stamp);
  }
  return NOTHING;
}

async function reopened(tx: Tx, { task }: StoppedTask, plan: StatusPlan, how: TakeBack): Promise<Outcome> {
  const to = plan.to === "triage" ? "triage" : "todo";
  const demoted = await reopenIn(tx, task, { reason: plan.reason, to }, how);
  const waiting = plan.to === "ready" ? await waitingOf(tx, task.id) : [];
  if (waiting.length > 0) throw parentsOpen(waiting);
  return { demoted, warnings: [] };
}

async function lift(tx: Tx, { task }: StoppedTask, { stamp }: TakeBack): Promise<void> {
  await updateTaskColumns(tx, task, stamp.at, { hold: 0 });
  appendTaskEvent(tx, stamp, { kind: "edited", task: task.id }, { fields: ["hold"] });
}

async function writeTodo(tx: Tx, found: StoppedTask, plan: StatusPlan, how: TakeBack): Promise<Outcome> {
  const { task } = found;
  if (task.status === "done") return reopened(tx, found, plan, how);
  if (task.status === "todo") return NOTHING;
  await closeForWrite(tx, found, how);
  const free = task.status === "triage" || (await waitingOf(tx, task.id)).length > 0;
  // Otherwise the next promotion would undo at once what the user has just done.
  await direct(tx, task, "write todo", {
    ...how,
    run: found.run?.id,
    patch: { hold: free ? 0 : 1 },
    payload: { status: "todo" },
  });
  if (task.status === "triage") await promoteIfFree(tx, task.id, how.stamp);
  return NOTHING;
}

async function writeTriage(tx: Tx, found: StoppedTask, plan: StatusPlan, how: TakeBack): Promise<Outcome> {
  const { task } = found;
  if (task.status === "done") return reopened(tx, found, plan, how);
  if (task.status === "triage") {
    await updateTaskColumns(tx, task, how.stamp.at, UNTRIED);
    appendTaskEvent(tx, how.stamp, { kind: "edited", task: task.id }, { fields: ["decompose_attempts"] });
    return NOTHING;
  }
  await closeForWrite(tx, found, how);
  await direct(tx, task, "write triage", { ...how, run: found.run?.id, patch: UNTRIED, payload: { status: "triage" } });
  return NOTHING;
}

async function closeForWrite(tx: Tx, { run }: StoppedTask, { stamp }: TakeBack): Promise<void> {
  if (run !== undefined)
    await closeRun(tx, run.id, { outcome: "reclaimed", reason: "status_write", at: toUnix(stamp.at) });
}

interface Direct extends Pick<TakeBack, "stamp"> {
  readonly run?: number | undefined;
  readonly facts?: Parameters<typeof changeStatus>[3]["facts"] & object;
  readonly patch?: Parameters<typeof changeStatus>[3]["patch"] & object;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** A move without a verb of its own. Like unblocking it clears the marks of waiting and of failures. */
async function direct(tx: Tx, task: StoppedTask["task"], on: Trigger, how: Direct): Promise<void> {
  await setTexts(tx, task.id, { block_reason: null });
  await changeStatus(tx, task, on, {
    ...how.stamp,
    run: how.run,
    facts: how.facts ?? {},
    patch: { ...FREE, current_run_id: null, ...how.patch },
    payload: { ...how.payload, reason: "direct" },
  });
}
