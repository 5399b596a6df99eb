import { toAppError } from "../../base/errors.js";
import type { BoardSlug } from "../../base/units.js";
import type { PassResult } from "../../contracts/board/board.js";
import { countSettled } from "./pass-count.js";
import { type ClaimedTask, type StartDeps, startWorker, type WorkerStart } from "./worker-start.js";

/** Starts of workers under way. A run that is being started holds its slot although no worker is recorded yet. */
export interface Starter {
  /** Start the worker of a claimed task and put it into `result`, in the order of the calls. Never rejects. */
  begin(one: ClaimedTask, result: PassResult): Promise<void>;
  /** `<board>/<run>` of the runs that are being started. */
  readonly starting: ReadonlySet<string>;
  /** Resolves when nothing is being started, on this board or on any. */
  idle(board?: BoardSlug): Promise<void>;
}

export function createStarter(deps: StartDeps, onFree: () => void): Starter {
  const starting = new Set<string>();
  const under = new Map<Promise<void>, BoardSlug>();
  const begin = async (one: ClaimedTask, result: PassResult) => {
    const key = `${one.board}/${one.claim.run}`;
    const entry = { task_id: one.task.id, assignee: one.profile.name, workspace: one.task.workspace_path };
    starting.add(key);
    result.spawned.push(entry);
    try {
      const start = await startWorker(deps, one);
      if (start.started) entry.workspace = start.workspace;
      else notStarted(result, entry, start);
    } catch (error) {
      // The store refused to record the failure. The lease of the run frees the task.
      const { code, message } = toAppError(error);
      deps.log.error("failed to record a failed start", { task: one.task.id, run: one.claim.run, code, message });
      result.spawned = result.spawned.filter((spawned) => spawned !== entry);
    } finally {
      starting.delete(key);
      onFree();
    }
  };
  return {
    starting,
    begin: (one, result) => {
      const promise = begin(one, result).finally(() => under.delete(promise));
      under.set(promise, one.board);
      return promise;
    },
    idle: async (board) => {
      const mine = () => [...under].flatMap(([start, on]) => (board === undefined || on === board ? [start] : []));
      for (let starts = mine(); starts.length > 0; starts = mine()) await Promise.all(starts);
    },
  };
}

function notStarted(
  result: PassResult,
  entry: PassResult["spawned"][number],
  start: Extract<WorkerStart, { started: false }>,
): void {
  result.spawned = result.spawned.filter((spawned) => spawned !== entry);
  if (start.settled) countSettled(result, entry.task_id, start.settled);
}
