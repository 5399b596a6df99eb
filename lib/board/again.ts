import type { Tx } from "../../storage/store.js";
import { childrenOf, ignoreParent, overtakenChildren, unsettledParents } from "../../storage/tables/board-links.js";
import type { TaskRow } from "../../storage/tables/board-rows.js";
import { byKey, setTexts } from "../../storage/tables/board-tasks.js";
import { AppError } from "../base/errors.js";
import type { BoardSlug, TaskId } from "../base/units.js";
import type { Actor, Status, Task } from "../proto/board.js";
import { type Core, FREE, mustTask, mustView, type Stamp, stampOf } from "./core.js";
import { demoteChildren, promoteIfFree } from "./promotion.js";
import { reclaim } from "./release.js";
import { move, type Trigger } from "./states.js";
import { allow, allowActor } from "./verbs.js";

interface At {
  readonly board: BoardSlug;
  readonly id: TaskId;
}

/** Make a waiting task ready by hand (board part, 4.8). With `force` unsettled parents are passed over. */
export async function promote(
  core: Core,
  at: At,
  params: { reason?: string | undefined; force?: boolean; dryRun?: boolean },
  by: Actor,
): Promise<{ task: Task; promoted: boolean; forced: boolean }> {
  allowActor("promote", at.id, by);
  const store = await core.store(at.board, at.id);
  const stamp = stampOf(core, by);
  const check = (task: TaskRow, waiting: readonly TaskId[]) => {
    allow("promote", task);
    if (waiting.length === 0 || params.force === true) return;
    throw new AppError("E_PARENTS_OPEN", `unsatisfied parent dependencies: ${waiting.join(", ")} (use --force to override)`, {
      ids: waiting,
    });
  };
  if (params.dryRun === true) {
    return store.read(async (q) => {
      check(await mustTask(q, at.id), await waitingOf(q, at.id));
      return { task: await mustView(q, at.id), promoted: false, forced: false };
    });
  }
  return store.write("board.promote", async (tx) => {
    const task = await mustTask(tx, at.id);
    const waiting = await waitingOf(tx, at.id);
    check(task, waiting);
    for (const parent of waiting) await ignoreParent(tx, parent, task.id);
    const forced = waiting.length > 0;
    const payload = { actor: by.name, reason: params.reason ?? null, forced, ignored_parents: waiting };
    await setTexts(tx, task.id, { block_reason: null });
    await move(tx, task, "promote", { ...stamp, facts: { settled: true }, patch: FREE, payload });
    return { task: await mustView(tx, task.id), promoted: true, forced };
  });
}

const waitingOf = async (q: Parameters<typeof unsettledParents>[0], id: TaskId) =>
  (await unsettledParents(q, id)).map((parent) => parent.id);

/** Take a done task up again. Ready children wait again; a running one refuses, or is stopped with `force`. */
export async function reopen(
  core: Core,
  at: At,
  params: { reason?: string | undefined; to?: "triage" | "todo"; force?: boolean },
  by: Actor,
): Promise<{ task: Task; demoted: readonly TaskId[]; still_done: readonly TaskId[] }> {
  allowActor("reopen", at.id, by);
  if (params.force === true) await freeChildren(core, at, "reopen", by);
  const store = await core.store(at.board, at.id);
  const stamp = stampOf(core, by);
  return store.write("board.reopen", async (tx) => {
    const task = await mustTask(tx, at.id);
    allow("reopen", task);
    const trigger = params.to === "triage" ? "reopen to triage" : "reopen";
    const patch = { ...FREE, completed_at: null, verdict: null, current_run_id: null };
    const demoted = await unsettle(tx, task, { trigger, patch, payload: { reason: params.reason ?? null } }, stamp);
    if (params.to !== "triage") await promoteIfFree(tx, task.id, stamp);
    const still_done = (await childrenOf(tx, task.id)).filter((child) => child.status === "done").map((child) => child.id);
    return { task: await mustView(tx, task.id), demoted, still_done };
  });
}

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
): Promise<{ task: Task; warnings: readonly string[] }> {
  allowActor("unarchive", at.id, by);
  if (params.force === true) await freeChildren(core, at, "unarchive", by);
  const store = await core.store(at.board, at.id);
  const stamp = stampOf(core, by);
  return store.write("board.unarchive", async (tx) => {
    const task = await mustTask(tx, at.id);
    allow("unarchive", task);
    const clash = task.idempotency_key !== null && (await byKey(tx, task.idempotency_key)) !== undefined;
    const patch = { archived_at: null, archived_from: null, ...(clash ? { idempotency_key: null } : {}) };
    const trigger = BACK[task.archived_from ?? "todo"] ?? "unarchive";
    await unsettle(tx, task, { trigger, patch, payload: {} }, stamp);
    const moved = await mustTask(tx, at.id);
    if (moved.status === "todo" && moved.hold === 0) await promoteIfFree(tx, task.id, stamp);
    const warnings = clash ? [`the idempotency key '${task.idempotency_key}' belongs to another task now and was dropped`] : [];
    return { task: await mustView(tx, task.id), warnings };
  });
}

/** An archived task goes back to done and accepted: for its children nothing changes. */
const staysSettled = (task: TaskRow): boolean => task.archived_from === "done" && task.verdict !== "rejected";

/** A settled task is settled no more: its children that had started because of it wait again. */
async function unsettle(
  tx: Tx,
  task: TaskRow,
  how: { trigger: Trigger; patch: Parameters<typeof move>[3]["patch"] & object; payload: Record<string, unknown> },
  stamp: Stamp,
): Promise<readonly TaskId[]> {
  const settledAfter = how.trigger === "unarchive to done" && staysSettled(task);
  const children = settledAfter ? [] : await overtakenChildren(tx, task.id);
  const running = children.filter((child) => child.status === "running").map((child) => child.id);
  if (running.length > 0) {
    throw new AppError(
      "E_CHILD_RUNNING",
      `cannot do this to ${task.id}: its child ${running.join(", ")} is running (use --force to stop it)`,
      {
        ids: running,
      },
    );
  }
  await move(tx, task, how.trigger, { ...stamp, facts: { "children idle": true }, patch: how.patch, payload: how.payload });
  return settledAfter ? [] : demoteChildren(tx, task.id, stamp, "parent_reopened");
}

/** Stop the workers of children first, each by the verb that does so. */
async function freeChildren(core: Core, at: At, verb: "reopen" | "unarchive", by: Actor): Promise<void> {
  const store = await core.store(at.board, at.id);
  const running = await store.read(async (q) => {
    const task = await mustTask(q, at.id);
    allow(verb, task);
    if (verb === "unarchive" && staysSettled(task)) return [];
    return (await overtakenChildren(q, at.id)).filter((child) => child.status === "running");
  });
  for (const child of running) await reclaim(core, { board: at.board, id: child.id }, "parent reopened", by);
}
