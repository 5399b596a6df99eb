import type { Tx } from "../../../storage/store.js";
import { waitingOnlyFor } from "../../../storage/tables/board/links.js";
import { closeRun } from "../../../storage/tables/board/runs.js";
import { AppError } from "../../base/errors.js";
import { type BoardSlug, type RunId, type TaskId, toUnix } from "../../base/units.js";
import type { BoardApi } from "../../contracts/board/api.js";
import type { Actor, Task } from "../../contracts/board/board.js";
import { type Core, mustView, RESET, removeClaimFile, type Stamp, toStamp } from "../core/core.js";
import { stopKeys } from "../core/judge.js";
import { changeStatus } from "../core/states.js";
import { checkActor, checkVerb } from "../core/verbs.js";
import { leaveWorktree } from "../workspaces/remove.js";
import { intervene, type StoppedTask } from "./interventions.js";
import { promoteWaitingChildren } from "./promotion.js";

interface At {
  readonly board: BoardSlug;
  readonly id: TaskId;
}

/** Take a task away from its worker and make it ready (board part, 4.4). With a run only from the worker of that one. */
export async function reclaim(
  core: Core,
  { run, ...at }: At & { readonly run?: RunId },
  reason: string | undefined,
  by: Actor,
): Promise<{ task: Task }> {
  checkActor("reclaim", at.id, by);
  const stamp = toStamp(core, by);
  let closed: number | undefined;
  const done = await intervene(core, {
    ...at,
    verb: "reclaim",
    stamp,
    check: (task) => {
      if (run !== undefined && task.current_run_id !== run)
        throw new AppError("E_STATE", `run ${run} has ended`, { run, task: task.id });
      checkVerb("reclaim", task);
    },
    commit: async (tx, found) => {
      closed = found.run?.id;
      await reclaimIn(tx, found, { reason, end: "manual" }, stamp);
      return { task: await mustView(tx, at.id) };
    },
  });
  await removeClaimFile(core, at.board, at.id, closed);
  return done;
}

/** The run of a stopped worker ends, and its task is ready. */
export async function reclaimIn(
  tx: Tx,
  { task, run, stop }: StoppedTask,
  why: { readonly reason: string | undefined; readonly end: "manual" | "reassigned" | "status_write" },
  stamp: Stamp,
): Promise<void> {
  checkVerb("reclaim", task);
  if (run === undefined) throw new AppError("E_STATE", `cannot reclaim ${task.id}: status is ${task.status}`);
  await closeRun(tx, run.id, { outcome: "reclaimed", reason: why.end, at: toUnix(stamp.at) });
  const payload = { reason: why.reason ?? null, ...stopKeys({ run, stop }), manual: true };
  await changeStatus(tx, task, "reclaim", {
    ...stamp,
    run: run.id,
    patch: { ...RESET, current_run_id: null },
    payload,
  });
}

/** Put a task away (board part, 4.9). Children that only waited for it are released. */
export async function archive(core: Core, at: At, by: Actor): ReturnType<BoardApi["archive"]> {
  checkActor("archive", at.id, by);
  const stamp = toStamp(core, by);
  let closed: number | undefined;
  const done = await intervene(core, {
    ...at,
    verb: "archive",
    stamp,
    commit: async (tx, found) => {
      closed = found.run?.id;
      const released = await archiveIn(tx, found, stamp);
      return { task: await mustView(tx, at.id), released: released.length };
    },
  });
  await removeClaimFile(core, at.board, at.id, closed);
  return { ...done, workspace: await leaveWorktree(core, at.board, at.id) };
}

/** The task is archived, an open run closed; the released children. */
export async function archiveIn(tx: Tx, { task, run }: StoppedTask, stamp: Stamp): Promise<readonly TaskId[]> {
  checkVerb("archive", task);
  if (run !== undefined) await closeRun(tx, run.id, { outcome: "reclaimed", reason: "archived", at: toUnix(stamp.at) });
  await changeStatus(tx, task, "archive", {
    ...stamp,
    run: run?.id,
    patch: { archived_at: toUnix(stamp.at), archived_from: task.status, current_run_id: null },
    payload: { released: await waitingOnlyFor(tx, task.id) },
  });
  return promoteWaitingChildren(tx, task.id, stamp);
}
