import type { Store, Tx } from "../../../storage/store.js";
import type { RunRow, TaskRow } from "../../../storage/tables/board/rows.js";
import { fenceRun, getRun, markStuck, openRunById } from "../../../storage/tables/board/runs.js";
import { getTask } from "../../../storage/tables/board/tasks.js";
import { AppError, assert } from "../../base/errors.js";
import { faultPoint } from "../../base/fault.js";
import type { BoardSlug, TaskId } from "../../base/units.js";
import { appendTaskEvent, type Core, mustTask, type Stamp } from "../core/core.js";
import type { OpenRun, StopReport } from "../core/kernel.js";
import { toOpenRun } from "../core/queue.js";
import { checkVerb, type Verb } from "../core/verbs.js";

/** What a foreign transition is given once nothing works on the task any more. */
export interface StoppedTask {
  readonly task: TaskRow;
  /** The run to close; undefined when the task was not running. */
  readonly run: RunRow | undefined;
  readonly stop: StopReport | undefined;
}

export interface Intervention<T> {
  readonly board: BoardSlug;
  readonly id: TaskId;
  readonly verb: Verb;
  readonly stamp: Stamp;
  /** Unknown tasks and refused statuses, when the verb words them itself. */
  readonly check?: (task: TaskRow) => void;
  /** Leave a running worker alone: the change does not take its task away. Default: it is stopped. */
  readonly spares?: (task: TaskRow) => boolean;
  readonly commit: (tx: Tx, found: StoppedTask) => Promise<T>;
}

type First<T> = { readonly done: T } | { readonly fenced: OpenRun };

/**
 * A move by anyone but the worker: one transaction when nothing runs; else fence, stop, commit (board part, 7.8).
 *
 * @throws E_WORKER_STUCK the worker cannot be ended; nothing was changed and it may still finish
 */
export async function intervene<T>(core: Core, how: Intervention<T>): Promise<T> {
  return core.lanes.take(`${how.board}/${how.id}`, async () => {
    const store = await core.store(how.board, how.id);
    const first = await store.write(`board.${how.verb}`, async (tx): Promise<First<T>> => {
      const task = await mustTask(tx, how.id);
      (how.check ?? ((row) => checkVerb(how.verb, row)))(task);
      if (task.current_run_id === null || how.spares?.(task) === true)
        return { done: await how.commit(tx, { task, run: undefined, stop: undefined }) };
      return { fenced: await raise(tx, core, how.board, task) };
    });
    if ("done" in first) return first.done;
    return afterStop(core, { store, run: first.fenced, stamp: how.stamp }, async (tx, stop) => {
      const task = await mustTask(tx, how.id);
      const run = await getRun(tx, first.fenced.id);
      assert(run !== undefined, "a run is never removed");
      return how.commit(tx, { task, run: run.ended_at === null ? run : undefined, stop });
    });
  });
}

async function raise(tx: Tx, core: Core, board: BoardSlug, task: TaskRow): Promise<OpenRun> {
  assert(task.current_run_id !== null, "a running task names its run");
  await fenceRun(tx, task.current_run_id, core.instance);
  const run = await openRunById(tx, task.current_run_id);
  assert(run !== undefined, "the run that a task names is open");
  return toOpenRun(board, run);
}

/** Fence an open run. Undefined: it has ended. Callers hold the lane of its task. */
export async function fence(core: Core, store: Store, board: BoardSlug, run: number): Promise<OpenRun | undefined> {
  return store.write("board.fence", async (tx) => {
    const row = await getRun(tx, run);
    if (row === undefined || row.ended_at !== null) return undefined;
    return raise(tx, core, board, await mustTask(tx, row.task_id));
  });
}

/**
 * Stop the worker of a fenced run, then commit. The fence falls with the run, or is lifted when nothing comes of it.
 *
 * @throws E_WORKER_STUCK
 */
export async function afterStop<T>(
  core: Core,
  { store, run, stamp }: { readonly store: Store; readonly run: OpenRun; readonly stamp: Stamp },
  commit: (tx: Tx, stop: StopReport) => Promise<T>,
): Promise<T> {
  faultPoint("stop.fenced");
  const stop = await stopFenced(core, store, run, stamp);
  return committed(store, [run], (tx) => commit(tx, stop));
}

/** A run that was stopped so that its task can be moved. */
export interface StoppedRun {
  readonly run: OpenRun;
  readonly stop: StopReport;
}

export interface InterventionInAll<T> {
  readonly store: Store;
  readonly board: BoardSlug;
  readonly tasks: readonly TaskId[];
  readonly stamp: Stamp;
  readonly commit: (tx: Tx, stopped: readonly StoppedRun[]) => Promise<T>;
  /** What happens to tasks whose worker was ended in vain, because another one could not be: not a failure of theirs. */
  readonly giveBack: (tx: Tx, stopped: readonly StoppedRun[]) => Promise<void>;
}

/**
 * Stop the workers of several tasks, then commit with none of them at work. What is not running is left alone.
 *
 * @throws E_WORKER_STUCK one of them cannot be ended; it and those behind it may still finish
 */
export async function interveneInAll<T>(core: Core, how: InterventionInAll<T>): Promise<T> {
  // Always in the order of the ids: two callers never hold what the other waits for.
  const held = how.tasks.toSorted().reduceRight<() => Promise<T>>(
    (work, task) => () => core.lanes.take(`${how.board}/${task}`, work),
    () => stopHeld(core, how),
  );
  return held();
}

async function stopHeld<T>(core: Core, how: InterventionInAll<T>): Promise<T> {
  const { store, stamp } = how;
  const runs = await fenceAll(core, how);
  const stopped: StoppedRun[] = [];
  for (const run of runs) {
    try {
      stopped.push({ run, stop: await stopFenced(core, store, run, stamp) });
    } catch (error) {
      await committed(store, runs, (tx) => how.giveBack(tx, stopped));
      await lift(store, runs);
      throw error;
    }
  }
  return committed(store, runs, (tx) => how.commit(tx, stopped));
}

async function fenceAll<T>(core: Core, { store, board, tasks }: InterventionInAll<T>): Promise<readonly OpenRun[]> {
  return store.write("board.fence", async (tx) => {
    const fenced: OpenRun[] = [];
    for (const id of tasks) {
      const task = await getTask(tx, id);
      if (task !== undefined && task.current_run_id !== null) fenced.push(await raise(tx, core, board, task));
    }
    return fenced;
  });
}

async function stopFenced(core: Core, store: Store, run: OpenRun, stamp: Stamp): Promise<StopReport> {
  const stop = await core.stopper.stop(run.board, run);
  if (stop.result !== "stuck") return stop;
  await store.write("board.stuck", async (tx) => {
    await fenceRun(tx, run.id, null);
    if (await markStuck(tx, run.id))
      appendTaskEvent(tx, stamp, { kind: "stuck", task: run.task_id, run: run.id }, { pid: run.worker_pid });
  });
  throw new AppError("E_WORKER_STUCK", `cannot stop the worker of ${run.task_id} (pid ${run.worker_pid})`, {
    task: run.task_id,
    pid: run.worker_pid,
  });
}

async function committed<T>(store: Store, runs: readonly OpenRun[], commit: (tx: Tx) => Promise<T>): Promise<T> {
  try {
    return await store.write("board.stopped", commit);
  } catch (error) {
    await lift(store, runs);
    throw error;
  }
}

async function lift(store: Store, runs: readonly OpenRun[]): Promise<void> {
  try {
    await store.write("board.unfence", async (tx) => {
      for (const run of runs) await fenceRun(tx, run.id, null);
    });
  } catch {
    /* ok to lose: what keeps us from lifting the fence kept us from committing; the worker is gone, and settling looks at the lane. */
  }
}
