import type { Query, Tx } from "../../../storage/store.js";
import { childrenOf, ignoreParent, unsettledParents } from "../../../storage/tables/board/links.js";
import type { TaskRow } from "../../../storage/tables/board/rows.js";
import { byKey, setTexts } from "../../../storage/tables/board/tasks.js";
import { AppError } from "../../base/errors.js";
import type { BoardSlug, TaskId } from "../../base/units.js";
import type { Actor, Status, Task } from "../../contracts/board/board.js";
import { type Core, checkVersion, FREE, mustTask, mustView, type Stamp, toStamp } from "../core/core.js";
import { changeStatus, type Trigger } from "../core/states.js";
import { checkActor, checkVerb } from "../core/verbs.js";
import { storeComment } from "./block-schedule.js";
import { promoteIfFree } from "./promotion.js";
import { runningChildren, type TakeBack, takeBack, withChildren } from "./take-back.js";

interface At {
  readonly board: BoardSlug;
  readonly id: TaskId;
}

export interface PromoteParams {
  readonly reason?: string | undefined;
  readonly force?: boolean | undefined;
  readonly dryRun?: boolean | undefined;
  /** The task must still have this version. */
  readonly expected_version?: number | undefined;
}

/**
 * Make a waiting task ready by hand (board part, 4.8). With `force` unsettled parents are passed over. A dry run makes the same checks, changes nothing,
 * and answers what would be done.
 */
export async function promote(
  core: Core,
  at: At,
  params: PromoteParams,
  by: Actor,
): Promise<{ task: Task; promoted: boolean; forced: boolean }> {
  checkActor("promote", at.id, by);
  const store = await core.store(at.board, at.id);
  const stamp = toStamp(core, by);
  if (params.dryRun === true) {
    return store.read(async (q) => {
      const task = await mustTask(q, at.id);
      checkVersion(task, params.expected_version);
      const passed = await passedOver(q, task, params);
      return { task: await mustView(q, at.id), promoted: true, forced: passed.length > 0 };
    });
  }
  return store.write("board.promote", async (tx) => {
    const task = await mustTask(tx, at.id);
    checkVersion(task, params.expected_version);
    const forced = (await promoteIn(tx, task, params, stamp)).length > 0;
    return { task: await mustView(tx, at.id), promoted: true, forced };
  });
}

/** The task is ready; the parents that were passed over. @throws E_STATE, E_PARENTS_OPEN */
export async function promoteIn(
  tx: Tx,
  task: TaskRow,
  params: PromoteParams,
  stamp: Stamp,
): Promise<readonly TaskId[]> {
  const passed = await passedOver(tx, task, params);
  for (const parent of passed) await ignoreParent(tx, parent, task.id);
  const payload = {
    actor: stamp.name,
    reason: params.reason ?? null,
    forced: passed.length > 0,
    ignored_parents: passed,
  };
  await setTexts(tx, task.id, { block_reason: null });
  await changeStatus(tx, task, "promote", { ...stamp, facts: { settled: true }, patch: FREE, payload });
  return passed;
}

async function passedOver(q: Query, task: TaskRow, { force }: PromoteParams): Promise<readonly TaskId[]> {
  checkVerb("promote", task);
  const waiting = await waitingOf(q, task.id);
  if (waiting.length === 0 || force === true) return waiting;
  throw parentsOpen(waiting, " (use --force to override)");
}

/** Unsettled parents refuse what would make their child ready. */
export const parentsOpen = (ids: readonly TaskId[], advice = ""): AppError =>
  new AppError("E_PARENTS_OPEN", `unsatisfied parent dependencies: ${ids.join(", ")}${advice}`, { ids });

/** Ids of unsettled parents. */
export const waitingOf = async (q: Query, id: TaskId): Promise<readonly TaskId[]> =>
  (await unsettledParents(q, id)).map((parent) => parent.id);

export interface ReopenParams {
  readonly reason?: string | undefined;
  readonly to?: "triage" | "todo" | undefined;
  /** Stop the workers of children first. */
  readonly force?: boolean | undefined;
}

/** Take a done task up again. Ready children wait again; a running one refuses, or is stopped with `force`. */
export async function reopen(
  core: Core,
  at: At,
  params: ReopenParams,
  by: Actor,
): Promise<{ task: Task; demoted: readonly TaskId[]; still_done: readonly TaskId[] }> {
  checkActor("reopen", at.id, by);
  const stamp = toStamp(core, by);
  const stops = async (q: Query) => {
    checkVerb("reopen", await mustTask(q, at.id));
    return params.force === true ? runningChildren(q, at.id) : [];
  };
  return withChildren(core, { ...at, stamp, label: "reopen", stops }, async (tx, stopped) => {
    const demoted = await reopenIn(tx, await mustTask(tx, at.id), params, { stamp, stopped });
    const still_done = (await childrenOf(tx, at.id))
      .filter((child) => child.status === "done")
      .map((child) => child.id);
    return { task: await mustView(tx, at.id), demoted, still_done };
  });
}

/** The task is in todo (or ready at once) or in triage; the children that wait again. */
export async function reopenIn(tx: Tx, task: TaskRow, params: ReopenParams, how: TakeBack): Promise<readonly TaskId[]> {
  checkVerb("reopen", task);
  const triage = params.to === "triage";
  const patch = { ...FREE, ...(triage ? UNTRIED : {}), completed_at: null, verdict: null, current_run_id: null };
  const payload = { reason: params.reason ?? null };
  await changeStatus(tx, task, triage ? "reopen to triage" : "reopen", {
    ...how.stamp,
    facts: { "children idle": true },
    patch,
    payload,
  });
  const reason = params.reason?.trim() ?? "";
  if (reason !== "") await storeComment(tx, task.id, `REOPEN: ${reason}`, how.stamp); // the next worker reads comments, not events
  const demoted = await takeBack(tx, task.id, how);
  if (!triage) await promoteIfFree(tx, task.id, how.stamp);
  return demoted;
}

/** Automatic decomposition of a task that comes into triage starts over. */
export const UNTRIED = { decompose_attempts: 0, decompose_next_at: null } as const;

const BACK: Partial<Record<Status, Trigger>> = {
  done: "unarchive to done",
  triage: "unarchive to triage",
  blocked: "unarchive to blocked",
  scheduled: "unarchive to scheduled",
};

/** Take a task out of the archive, back to where it was (board part, 4.9). */
export async function unarchive(
  core: Core,
  at: At,
  params: { force?: boolean },
  by: Actor,
): Promise<{ task: Task; demoted: readonly TaskId[]; warnings: readonly string[] }> {
  checkActor("unarchive", at.id, by);
  const stamp = toStamp(core, by);
  const stops = async (q: Query) => {
    const task = await mustTask(q, at.id);
    checkVerb("unarchive", task);
    return params.force === true && !staysSettled(task) ? runningChildren(q, at.id) : [];
  };
  return withChildren(core, { ...at, stamp, label: "unarchive", stops }, async (tx, stopped) => {
    const done = await unarchiveIn(tx, await mustTask(tx, at.id), { stamp, stopped });
    return { ...done, task: await mustView(tx, at.id) };
  });
}

/** The task is where it was before the archive; the children that wait again, and what was lost. */
export async function unarchiveIn(
  tx: Tx,
  task: TaskRow,
  how: TakeBack,
): Promise<{ demoted: readonly TaskId[]; warnings: readonly string[] }> {
  checkVerb("unarchive", task);
  const clash = task.idempotency_key !== null && (await byKey(tx, task.idempotency_key)) !== undefined;
  const patch = { archived_at: null, archived_from: null, ...(clash ? { idempotency_key: null } : {}) };
  const trigger = BACK[task.archived_from ?? "todo"] ?? "unarchive";
  await changeStatus(tx, task, trigger, { ...how.stamp, facts: { "children idle": true }, patch, payload: {} });
  const demoted = staysSettled(task) ? [] : await takeBack(tx, task.id, how);
  const moved = await mustTask(tx, task.id);
  if (moved.status === "todo" && moved.hold === 0) await promoteIfFree(tx, task.id, how.stamp);
  const warnings = clash
    ? [`idempotency key '${task.idempotency_key}' is now used by another task and was dropped`]
    : [];
  return { demoted, warnings };
}

/** An archived task goes back to done and accepted: for its children nothing changes. */
export const staysSettled = (task: TaskRow): boolean => task.archived_from === "done" && task.verdict !== "rejected";
