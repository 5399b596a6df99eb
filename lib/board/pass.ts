import { type BoardSlug, toUnix } from "../base/units.js";
import type { PassResult } from "../proto/board.js";
import type { PassOptions } from "../proto/board-api.js";
import type { DispatchSettings } from "./dispatcher-settings.js";
import type { Candidate } from "./kernel.js";
import { countBoard, openCounts } from "./pass-caps.js";
import type { Loop, LoopDeps } from "./pass-loop.js";
import { createResolver } from "./pass-profiles.js";
import { consider } from "./pass-task.js";

/** Ready tasks of one board that the loop has not looked at. */
interface Lane {
  readonly board: BoardSlug;
  readonly cap: number;
  readonly waiting: Candidate[];
}

/** Resolves with the starts that are under way, once all slots are taken or no task is left. */
export type ReadyLoop = (settings: DispatchSettings, options: PassOptions, result: PassResult) => Promise<readonly Promise<void>[]>;

/** Claims ready tasks for as long as the caps allow (board part, 6.5). Remembers which board was served last. */
export function createReadyLoop(deps: LoopDeps): ReadyLoop {
  let last: BoardSlug | undefined;
  return async (settings, options, result) => {
    const boards = inTurn(deps.health.usable(await deps.kernel.slugs()), last);
    const loop: Loop = {
      ...{ deps, settings, options, result, counts: openCounts(), now: toUnix(deps.clock.now()), starts: [], startable: 0, claimed: 0 },
      resolver: createResolver(deps.profiles, settings, deps.health),
    };
    await deps.health.each(boards, (board) => countBoard(deps.kernel, board, deps.starting, loop.counts));
    const lanes = await deps.health.each(boards, (board) => laneOf(loop, board));
    await takeTurns(loop, lanes, (board) => {
      last = board;
    });
    for (const lane of lanes) result.skipped_capped += lane.waiting.length;
    if (!options.dryRun) deps.health.passed(loop.startable > 0 && loop.claimed === 0);
    return loop.starts;
  };
}

/** Boards in order, beginning after the one served last. */
function inTurn(boards: readonly BoardSlug[], last: BoardSlug | undefined): BoardSlug[] {
  const next = last === undefined ? 0 : boards.indexOf(last) + 1;
  return [...boards.slice(next), ...boards.slice(0, next)];
}

/** Step a: the ready tasks of a paused board are only counted. */
async function laneOf(loop: Loop, board: BoardSlug): Promise<Lane> {
  const { paused, max_in_progress } = await loop.deps.kernel.settings(board);
  const ready = await loop.deps.kernel.candidates(board);
  if (paused) loop.result.skipped_paused += ready.length;
  return { board, cap: max_in_progress ?? Number.POSITIVE_INFINITY, waiting: paused ? [] : [...ready] };
}

/** Step b: the loop ends for all boards, or for one. One task of each board per turn. */
async function takeTurns(loop: Loop, lanes: readonly Lane[], served: (board: BoardSlug) => void): Promise<void> {
  for (let turn = lanes; turn.length > 0; turn = turn.filter((lane) => lane.waiting.length > 0)) {
    const before = lanes.reduce((sum, lane) => sum + lane.waiting.length, 0);
    for (const lane of turn) {
      if (full(loop)) return;
      await takeOne(loop, lane, served);
    }
    // Only lanes at their own cap are left.
    if (lanes.reduce((sum, lane) => sum + lane.waiting.length, 0) === before) return;
  }
}

async function takeOne(loop: Loop, lane: Lane, served: (board: BoardSlug) => void): Promise<void> {
  if (loop.counts.boardFull(lane.board, lane.cap)) return;
  const task = lane.waiting.shift();
  if (!task) return;
  const [taken] = await loop.deps.health.each([lane.board], (board) => consider(loop, board, task));
  if (taken === undefined) lane.waiting.length = 0;
  if (taken) served(lane.board);
}

function full(loop: Loop): boolean {
  return loop.counts.globalFull(loop.settings) || loop.claimed >= (loop.options.max ?? Number.POSITIVE_INFINITY);
}
