import type { BoardSlug } from "../../base/units.js";
import type { Core } from "../core/core.js";
import { KANBAN } from "../core/keys.js";
import { forgetRun, type WorkerFile, workerFiles } from "../worker-process/runner-files.js";
import { anythingLives, endProcesses } from "../worker-process/stop.js";

/** Workers of a board of which something lives, whatever its store says of their runs. */
export function livingWorkers(core: Core, board: BoardSlug): readonly WorkerFile[] {
  return workerFiles(core.places(board)).filter((file) =>
    anythingLives(core, { leader: file.worker, mark: file.mark }),
  );
}

/** End them. @returns pids of the leaders that cannot be ended */
export async function endLeftovers(core: Core, board: BoardSlug): Promise<readonly number[]> {
  const stuck: number[] = [];
  for (const file of livingWorkers(core, board)) {
    const target = { leader: file.worker, mark: file.mark };
    const { gone } = await endProcesses(core, target, core.config.get(KANBAN.killGrace) * 1000);
    if (gone) forgetRun(core.places(board), file.task, file.run);
    else stuck.push(file.worker.pid);
  }
  return stuck;
}
