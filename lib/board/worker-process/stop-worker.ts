import type { BoardSlug } from "../../base/units.js";
import type { OpenRun, Stopper, StopReport } from "../core/kernel.js";
import { workerIdentity } from "../core/kernel.js";
import type { BoardPlaces } from "../core/places.js";
import { workerFiles } from "./runner-files.js";
import { endProcesses, type RunProcesses, type StopDeps } from "./stop.js";

export interface StopperDeps extends StopDeps {
  readonly places: (board: BoardSlug) => BoardPlaces;
  /** `kanban.kill_grace_seconds`, in milliseconds. */
  readonly graceMs: () => number;
}

/** Ends workers for the verbs of the board (board part, 7.8). Knows of a run what its row and its worker file say. */
export function createStopper(deps: StopperDeps): Stopper {
  return {
    stop: async (board, run) => {
      const hostLocal = run.host_id === null || run.host_id === deps.spawner.host;
      const target = hostLocal ? findRunProcesses(deps.places(board), run) : undefined;
      if (!target) return { result: "ended", attempted: false, sigkill: false, hostLocal };
      return toReport(await endProcesses(deps, target, deps.graceMs()));
    },
  };
}

/** The processes of an open run; undefined when none was started. Without a worker file it is an outside worker. */
export function findRunProcesses(places: BoardPlaces, run: OpenRun): RunProcesses | undefined {
  const file = workerFiles(places, run.task_id).find((one) => one.run === run.id);
  const leader = workerIdentity(run) ?? file?.worker;
  return leader && { leader, mark: file?.mark };
}

function toReport(ended: { gone: boolean; attempted: boolean; sigkill: boolean }): StopReport {
  return {
    result: ended.gone ? "ended" : "stuck",
    attempted: ended.attempted,
    sigkill: ended.sigkill,
    hostLocal: true,
  };
}
