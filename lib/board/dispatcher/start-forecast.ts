import type { BoardSlug, TaskId } from "../../base/units.js";
import type { DispatchForecast, Obstacle, StartForecast } from "../../contracts/board/explain.js";
import type { DispatchSettings } from "./dispatcher-settings.js";
import { createLoop, listReachedCaps, type ReadyLoop } from "./pass.js";
import { emptyResult } from "./pass-count.js";
import type { LoopDeps } from "./pass-loop.js";
import { forecastStart } from "./pass-obstacles.js";

export interface StartForecastDeps extends LoopDeps {
  readonly settings: () => DispatchSettings;
  /** The ready loop, after the loops that were asked for before. */
  readonly claimReady: (...args: Parameters<ReadyLoop>) => Promise<unknown>;
}

/** What a pass would do, by running its own loop dry. Writes nothing. */
export function createStartForecast(deps: StartForecastDeps): Omit<DispatchForecast, "state" | "stalled"> {
  return {
    forecastStarts: async (tasks) => {
      const found = new Map<BoardSlug, StartForecast[]>();
      const tell = (board: BoardSlug, start: StartForecast) => {
        const known = found.get(board);
        if (known) known.push(start);
        else found.set(board, [start]);
      };
      await deps.claimReady(deps.settings(), { dryRun: true, quick: false, tell, tasks }, emptyResult(true));
      return found;
    },
    forecastTask: (board, id) => forecastTask(deps, board, id),
  };
}

async function forecastTask(deps: StartForecastDeps, board: BoardSlug, id: TaskId): Promise<StartForecast | undefined> {
  const task = await deps.kernel.candidate(board, id);
  if (task === undefined) return undefined;
  const loop = await createLoop(deps, deps.settings(), { dryRun: true, quick: false }, emptyResult(true));
  const { paused, max_in_progress } = await deps.kernel.settings(board);
  const over: readonly Obstacle[] = [
    ...(paused ? [{ code: "board_paused" } as const] : []),
    ...listReachedCaps(loop, board, max_in_progress ?? Number.POSITIVE_INFINITY),
  ];
  return forecastStart(loop, board, task, over);
}
