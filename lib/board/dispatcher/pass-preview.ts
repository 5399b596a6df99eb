import type { BoardSlug, RunId } from "../../base/units.js";
import type { BoardApi } from "../../contracts/board/api.js";
import type { PassResult } from "../../contracts/board/board.js";
import type { BoardKernel, Candidate, OpenRun, RunEndPreview } from "../core/kernel.js";
import { findLostRuns } from "./adopt.js";
import type { Health } from "./health.js";
import type { Starting } from "./pass-caps.js";
import { countSettled } from "./pass-count.js";
import type { WorkerSupervisor } from "./supervise.js";

export interface PreviewDeps {
  readonly kernel: BoardKernel;
  readonly api: Pick<BoardApi, "show">;
  readonly supervisor: WorkerSupervisor;
  readonly health: Health;
  readonly starting: Starting;
  /** The pass would begin by releasing the tasks of a process that died while it started their workers. */
  readonly releasesLost: boolean;
  readonly failureLimit?: number | undefined;
}

/** What the earlier steps of a pass would leave to the ready loop of one board. */
export interface PreviewedBoard {
  /** Tasks that would be ready. */
  readonly soon: readonly Candidate[];
  /** Open runs that would be closed: their slots are free again. */
  readonly freed: ReadonlySet<RunId>;
}

export type Preview = ReadonlyMap<BoardSlug, PreviewedBoard>;

/** What the steps of a pass before its ready loop would do now; nothing is written, signalled or started. */
export async function previewBoards(deps: PreviewDeps, result: PassResult): Promise<Preview> {
  const look = async (board: BoardSlug) => [board, await previewBoard(deps, board, result)] as const;
  return new Map(await deps.health.each(await deps.kernel.slugs(), look));
}

async function previewBoard(deps: PreviewDeps, board: BoardSlug, result: PassResult): Promise<PreviewedBoard> {
  const { kernel, supervisor } = deps;
  const soon: Candidate[] = [];
  const freed = new Set<RunId>();
  const take = (run: OpenRun, end: RunEndPreview | undefined) => {
    if (end === undefined) return;
    freed.add(run.id);
    if (end.candidate !== undefined) soon.push(end.candidate);
  };
  const lost = deps.releasesLost ? await findLostRuns(deps, board) : [];
  for (const run of lost) take(run, await supervisor.previewSettle(board, run));
  for (const run of await kernel.openRuns(board)) {
    if (freed.has(run.id)) continue;
    const end = await supervisor.previewEnd(board, run, deps.failureLimit);
    if (end !== undefined) countSettled(result, run.task_id, end.settled);
    take(run, end);
  }
  const { due, promoted, tasks } = await kernel.soonReady(board);
  result.due += due;
  result.promoted += promoted;
  return { soon: [...soon, ...tasks], freed };
}
