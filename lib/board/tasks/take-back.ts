import type { Query, Tx } from "../../../storage/store.js";
import { overtakenChildren } from "../../../storage/tables/board/links.js";
import { closeRun, getRun } from "../../../storage/tables/board/runs.js";
import { AppError } from "../../base/errors.js";
import { type BoardSlug, type TaskId, toUnix } from "../../base/units.js";
import { type Core, mustTask, RESET, removeClaimFile, type Stamp } from "../core/core.js";
import { stopKeys } from "../core/judge.js";
import { changeStatus } from "../core/states.js";
import { interveneInAll, type StoppedRun } from "./interventions.js";

/** What taking children back needs to know. */
export interface TakeBack {
  readonly stamp: Stamp;
  /** Runs of children that were stopped for this. */
  readonly stopped: readonly StoppedRun[];
}

/**
 * A parent is no longer settled: its children that had started because of it wait again. Part of the transaction that unsettles it.
 *
 * @returns those that wait again
 * @throws E_CHILD_RUNNING naming every child at work whose run is not among the stopped ones
 */
export async function takeBack(tx: Tx, parent: TaskId, { stamp, stopped }: TakeBack): Promise<readonly TaskId[]> {
  const children = await overtakenChildren(tx, parent);
  const ended = new Map(stopped.map((one) => [one.run.task_id, one]));
  const running = children
    .filter((child) => child.status === "running" && !ended.has(child.id))
    .map((child) => child.id);
  if (running.length > 0) throw childRunning(parent, running);
  for (const child of children) {
    const one = child.status === "running" ? ended.get(child.id) : undefined;
    if (one !== undefined)
      await closeRun(tx, one.run.id, { outcome: "reclaimed", reason: "manual", at: toUnix(stamp.at) });
    const stop = one === undefined ? {} : stopKeys({ run: one.run, stop: one.stop });
    await changeStatus(tx, child, "parent opened", {
      ...stamp,
      run: one?.run.id,
      facts: { open: true },
      patch: one === undefined ? {} : { current_run_id: null },
      payload: { status: "todo", reason: "parent_reopened", parent, ...stop },
    });
  }
  return children.map((child) => child.id);
}

function childRunning(parent: TaskId, running: readonly TaskId[]): AppError {
  const text = `cannot change ${parent}: its child ${running.join(", ")} is running (use --force to stop it)`;
  return new AppError("E_CHILD_RUNNING", text, { ids: running });
}

export interface WithChildren {
  readonly board: BoardSlug;
  readonly id: TaskId;
  readonly stamp: Stamp;
  readonly label: string;
  /** Children whose workers are stopped first; they are not started again before the commit. Refuses what the commit would refuse. */
  readonly stops: (q: Query) => Promise<readonly TaskId[]>;
}

/** Running children of a parent. */
export const runningChildren = async (q: Query, parent: TaskId): Promise<readonly TaskId[]> =>
  (await overtakenChildren(q, parent)).filter((child) => child.status === "running").map((child) => child.id);

/** Change a parent in one transaction, after the workers of some of its children were stopped. */
export async function withChildren<T>(
  core: Core,
  how: WithChildren,
  commit: (tx: Tx, stopped: readonly StoppedRun[]) => Promise<T>,
): Promise<T> {
  const store = await core.store(how.board, how.id);
  const tasks = await store.read(how.stops);
  if (tasks.length === 0) return store.write(`board.${how.label}`, (tx) => commit(tx, []));
  const { board, stamp } = how;
  let closed: readonly StoppedRun[] = [];
  const keep = <R>(run: (tx: Tx, stopped: readonly StoppedRun[]) => Promise<R>) => {
    return (tx: Tx, stopped: readonly StoppedRun[]) => {
      closed = stopped;
      return run(tx, stopped);
    };
  };
  const giveBack = keep((tx, stopped) => makeReady(tx, stopped, stamp));
  try {
    return await interveneInAll(core, { store, board, tasks, stamp, commit: keep(commit), giveBack });
  } finally {
    for (const { run } of closed) await tidyClosed(core, board, run);
  }
}

async function makeReady(tx: Tx, stopped: readonly StoppedRun[], stamp: Stamp): Promise<void> {
  for (const { run, stop } of stopped) {
    const task = await mustTask(tx, run.task_id);
    await closeRun(tx, run.id, { outcome: "reclaimed", reason: "manual", at: toUnix(stamp.at) });
    const payload = { reason: null, ...stopKeys({ run, stop }), manual: true };
    await changeStatus(tx, task, "reclaim", {
      ...stamp,
      run: run.id,
      patch: { ...RESET, current_run_id: null },
      payload,
    });
  }
}

/** The claim file of a run that was closed goes; one that is open again keeps its own. */
async function tidyClosed(core: Core, board: BoardSlug, run: StoppedRun["run"]): Promise<void> {
  const store = await core.store(board, run.task_id);
  const row = await store.read((q) => getRun(q, run.id));
  if (row?.ended_at != null) await removeClaimFile(core, board, run.task_id, run.id);
}
