import type { BoardSlug, TaskId } from "../../base/units.js";
import type { Foresight, Obstacle, Prospect } from "../../contracts/board/explain.js";
import type { DispatchSettings } from "./dispatcher-settings.js";
import { createLoop, listReachedCaps, type ReadyLoop } from "./pass.js";
import { emptyResult } from "./pass-count.js";
import type { LoopDeps } from "./pass-loop.js";
import { prospectOf } from "./pass-obstacles.js";

export interface ForesightDeps extends LoopDeps {
  readonly settings: () => DispatchSettings;
  /** The ready loop, after the loops that were asked for before. */
  readonly claimReady: (...args: Parameters<ReadyLoop>) => Promise<unknown>;
}

/** What a pass would do, by running its own loop dry. Writes nothing. */
export function createForesight(deps: ForesightDeps): Omit<Foresight, "state" | "stalled"> {
  return {
    foresee: async (tasks) => {
      const found = new Map<BoardSlug, Prospect[]>();
      const tell = (board: BoardSlug, prospect: Prospect) => {
        const known = found.get(board);
        if (known) known.push(prospect);
        else found.set(board, [prospect]);
      };
      await deps.claimReady(deps.settings(), { dryRun: true, quick: false, tell, tasks }, emptyResult(true));
      return found;
    },
    foreseeOne: (board, id) => foreseeOne(deps, board, id),
  };
}

async function foreseeOne(deps: ForesightDeps, board: BoardSlug, id: TaskId): Promise<Prospect | undefined> {
  const task = await deps.kernel.candidate(board, id);
  if (task === undefined) return undefined;
  const loop = await createLoop(deps, deps.settings(), { dryRun: true, quick: false }, emptyResult(true));
  const { paused, max_in_progress } = await deps.kernel.settings(board);
  const over: readonly Obstacle[] = [
    ...(paused ? [{ code: "board_paused" } as const] : []),
    ...listReachedCaps(loop, board, max_in_progress ?? Number.POSITIVE_INFINITY),
  ];
  return prospectOf(loop, board, task, over);
}
