import { promotable, unsettledParents } from "../../../storage/tables/board/links.js";
import { dueTasks, nextDeadline, readyCount } from "../../../storage/tables/board/queue.js";
import type { TaskRow } from "../../../storage/tables/board/rows.js";
import { extendRun, getRun, openRuns } from "../../../storage/tables/board/runs.js";
import { getTask } from "../../../storage/tables/board/tasks.js";
import { type BoardSlug, type RunId, type TaskId, toUnix, type UnixSeconds } from "../../base/units.js";
import { appendTaskEvent, type Core, mustTask, SYSTEM, toStamp } from "../core/core.js";
import type { Candidate, OpenRun, SoonReady } from "../core/kernel.js";
import { readCandidate, readCandidates, readStartable, toOpenRun } from "../core/queue.js";
import { updateTaskColumns } from "../core/states.js";
import { setFree } from "./block-schedule.js";
import { promoteBoard } from "./promotion.js";

/** Ready tasks of a board in dispatch order. */
export async function candidatesOf(core: Core, board: BoardSlug, limit = 64): Promise<readonly Candidate[]> {
  const store = await core.reading(board);
  return store === undefined ? [] : store.read((q) => readCandidates(q, limit));
}

/** How many tasks of a board are ready. */
export async function readyCountOf(core: Core, board: BoardSlug): Promise<number> {
  const store = await core.reading(board);
  return store === undefined ? 0 : store.read(readyCount);
}

/** One ready task; undefined when it is not ready. */
export async function candidateOf(core: Core, board: BoardSlug, id: TaskId): Promise<Candidate | undefined> {
  const store = await core.reading(board);
  return store?.read((q) => readCandidate(q, id));
}

/** Ready tasks of a board that may start, in dispatch order; at most `limit` of each assignee. */
export async function startableOf(
  core: Core,
  board: BoardSlug,
  assignees: readonly (string | null)[],
  limit: number,
): Promise<readonly Candidate[]> {
  const store = await core.reading(board);
  return store === undefined ? [] : store.read((q) => readStartable(q, assignees, limit));
}

/** Open runs of a board, oldest first. */
export async function openRunsOf(core: Core, board: BoardSlug): Promise<readonly OpenRun[]> {
  const store = await core.reading(board);
  return store === undefined ? [] : store.read(async (q) => (await openRuns(q)).map((row) => toOpenRun(board, row)));
}

/** Move out of `scheduled` what is due. Looks first, so that an idle board writes nothing. */
export async function due(core: Core, board: BoardSlug): Promise<readonly TaskId[]> {
  const store = await core.reading(board);
  const stamp = toStamp(core, SYSTEM);
  const now = toUnix(stamp.at);
  if (store === undefined || (await store.read((q) => dueTasks(q, now))).length === 0) return [];
  return store.write("board.due", async (tx) => {
    const ids = await dueTasks(tx, now);
    for (const id of ids) {
      const task = await mustTask(tx, id);
      await setFree(tx, task, { trigger: "due", payload: { scheduled_at: task.scheduled_at } }, stamp);
    }
    return ids;
  });
}

/** Promote every task that may be. Looks first, so that an idle board writes nothing. */
export async function promoteAll(core: Core, board: BoardSlug): Promise<readonly TaskId[]> {
  const store = await core.reading(board);
  if (store === undefined || (await store.read(promotable)).length === 0) return [];
  const stamp = toStamp(core, SYSTEM);
  return store.write("board.promote-all", (tx) => promoteBoard(tx, stamp));
}

/** What `due` and `promoteAll` would make ready now, in no order. A task whose time has come is ready at once when nothing holds it. */
export async function soonReady(core: Core, board: BoardSlug): Promise<SoonReady> {
  const store = await core.reading(board);
  if (store === undefined) return { due: 0, promoted: 0, tasks: [] };
  const now = toUnix(core.clock.now());
  return store.read(async (q) => {
    const dueIds = await dueTasks(q, now);
    const free = await promotable(q);
    const tasks: Candidate[] = [];
    for (const id of dueIds)
      if ((await unsettledParents(q, id)).length === 0) tasks.push(toSoonCandidate(await mustTask(q, id), true));
    for (const id of free) tasks.push(toSoonCandidate(await mustTask(q, id), false));
    return { due: dueIds.length, promoted: free.length, tasks };
  });
}

/** @param due what came of its earlier runs is cleared when its time has come */
function toSoonCandidate(task: TaskRow, due: boolean): Candidate {
  const { id, title, assignee, priority, created_at, workspace_kind, workspace_path } = task;
  return {
    id,
    title,
    assignee,
    external: task.external === 1,
    priority,
    created_at,
    workspace_kind,
    workspace_path,
    not_before: due ? null : task.not_before,
    last_failure_class: due ? null : task.last_failure_class,
    consecutive_failures: due ? 0 : task.consecutive_failures,
    last_worker: null,
    last_ended: null,
  };
}

export async function nextDeadlineOf(core: Core, board: BoardSlug): Promise<UnixSeconds | undefined> {
  const store = await core.reading(board);
  if (store === undefined) return undefined;
  const now = toUnix(core.clock.now());
  return (await store.read((q) => nextDeadline(q, now))) ?? undefined;
}

/** One more lease for a run whose worker is provably working. `adopted`: a new owner found it; else its lease ran out meanwhile. */
export async function prolong(
  core: Core,
  board: BoardSlug,
  id: RunId,
  why: "adopted" | "worker_alive",
): Promise<boolean> {
  const store = await core.reading(board);
  if (store === undefined) return false;
  const stamp = toStamp(core, SYSTEM);
  const now = toUnix(stamp.at);
  const expires = now + core.leaseSeconds();
  return store.write("board.prolong", async (tx) => {
    const run = await getRun(tx, id);
    if (run === undefined || run.ended_at !== null) return false;
    if (why === "worker_alive" && (run.claim_expires ?? 0) > now) return false;
    await extendRun(tx, id, run.claim_expires, expires);
    const payload =
      why === "adopted"
        ? { pid: run.worker_pid }
        : {
            reason: why,
            worker_pid: run.worker_pid,
            claim_expires_was: run.claim_expires,
            claim_expires_now: expires,
            last_heartbeat_at: run.last_heartbeat_at,
          };
    appendTaskEvent(
      tx,
      stamp,
      { kind: why === "adopted" ? "adopted" : "claim_extended", task: run.task_id, run: id },
      payload,
    );
    return true;
  });
}

/** Write the resolved default assignee on a ready task without one. */
export async function assignDefault(core: Core, board: BoardSlug, id: TaskId, assignee: string): Promise<boolean> {
  const store = await core.store(board, id);
  const stamp = toStamp(core, SYSTEM);
  return store.write("board.assign-default", async (tx) => {
    const task = await getTask(tx, id);
    if (task === undefined || task.status !== "ready" || task.assignee !== null) return false;
    await updateTaskColumns(tx, task, stamp.at, { assignee });
    appendTaskEvent(
      tx,
      stamp,
      { kind: "assigned", task: id },
      { assignee, previous: null, source: "kanban.default_assignee" },
    );
    return true;
  });
}

/** Event respawn_guarded, once per change of reason or time. */
export async function guarded(
  core: Core,
  at: { board: BoardSlug; id: TaskId },
  reason: string,
  until: UnixSeconds,
): Promise<boolean> {
  const store = await core.store(at.board, at.id);
  const seen = await store.read((q) => getTask(q, at.id));
  if (seen === undefined || (seen.guard_reason === reason && seen.guard_until === until)) return false;
  const stamp = toStamp(core, SYSTEM);
  return store.write("board.guarded", async (tx) => {
    const task = await getTask(tx, at.id);
    if (task === undefined || task.status !== "ready" || (task.guard_reason === reason && task.guard_until === until))
      return false;
    await updateTaskColumns(tx, task, stamp.at, { guard_reason: reason, guard_until: until });
    appendTaskEvent(tx, stamp, { kind: "respawn_guarded", task: task.id }, { reason, until });
    return true;
  });
}
