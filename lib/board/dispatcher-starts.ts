import { toAppError } from "../base/errors.js";
import type { PassResult } from "../proto/board.js";
import { countSettled } from "./pass-count.js";
import { type ClaimedTask, type Start, type StartDeps, startWorker } from "./worker-start.js";

/** Starts of workers under way. A run that is being started holds its slot although no worker is recorded yet. */
export interface Starter {
  /** Start the worker of a claimed task and put it into `result`, in the order of the calls. Never rejects. */
  begin(one: ClaimedTask, result: PassResult): Promise<void>;
  /** `<board>/<run>` of the runs that are being started. */
  readonly starting: ReadonlySet<string>;
  idle(): Promise<void>;
}

export function createStarter(deps: StartDeps, onFree: () => void): Starter {
  const starting = new Set<string>();
  const under = new Set<Promise<void>>();
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
      deps.log.error("a failed start could not be recorded", { task: one.task.id, run: one.claim.run, code, message });
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
      under.add(promise);
      return promise;
    },
    idle: async () => {
      while (under.size > 0) await Promise.all(under);
    },
  };
}

function notStarted(result: PassResult, entry: PassResult["spawned"][number], start: Extract<Start, { started: false }>): void {
  result.spawned = result.spawned.filter((spawned) => spawned !== entry);
  if (start.settled) countSettled(result, entry.task_id, start.settled);
}
