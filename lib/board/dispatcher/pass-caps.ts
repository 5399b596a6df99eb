import type { BoardSlug, RunId } from "../../base/units.js";
import type { BoardKernel } from "../core/kernel.js";
import { startedRuns } from "../worker-process/runner-files.js";
import type { DispatchSettings } from "./dispatcher-settings.js";

/** Open runs as the caps count them (board part, 6.6). Each cap compares one number, those just opened included. */
export interface OpenCounts {
  /** A run of `assignee` was opened on `board`. */
  add(board: BoardSlug, assignee: string): void;
  globalFull(settings: DispatchSettings): boolean;
  boardFull(board: BoardSlug, cap: number): boolean;
  ofProfile(assignee: string): number;
}

/** Runs that this process has claimed and whose worker is not recorded yet, as `<board>/<run>`. */
export type Starting = ReadonlySet<string>;

/** What the rows of open runs do not say. */
export interface OpenFacts {
  readonly starting: Starting;
  /** In a dry run: runs that the pass would have closed before. */
  readonly freed?: ReadonlySet<RunId> | undefined;
}

/** Count what is open on one board into `counts`. */
export async function countBoard(
  kernel: BoardKernel,
  board: BoardSlug,
  { starting, freed }: OpenFacts,
  counts: Counting,
): Promise<void> {
  const runs = (await kernel.openRuns(board)).filter((run) => freed?.has(run.id) !== true);
  if (runs.length === 0) return;
  // An outside worker that named its process has no worker file.
  const started = startedRuns(kernel.places(board));
  for (const run of runs) counts.count(board, run.profile, started.has(run.id) || starting.has(`${board}/${run.id}`));
}

export interface Counting extends OpenCounts {
  count(board: BoardSlug, assignee: string, worker: boolean): void;
}

export function openCounts(): Counting {
  const boards = new Map<string, number>();
  const profiles = new Map<string, number>();
  let workers = 0;
  const count = (board: BoardSlug, assignee: string, worker: boolean) => {
    boards.set(board, (boards.get(board) ?? 0) + 1);
    profiles.set(assignee, (profiles.get(assignee) ?? 0) + 1);
    if (worker) workers += 1;
  };
  return {
    count,
    add: (board, assignee) => count(board, assignee, true),
    globalFull: (settings) => workers >= settings.maxInProgress,
    boardFull: (board, cap) => (boards.get(board) ?? 0) >= cap,
    ofProfile: (assignee) => profiles.get(assignee) ?? 0,
  };
}
