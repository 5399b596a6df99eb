import { type BoardSlug, toUnix } from "../base/units.js";
import type { PassResult } from "../proto/board.js";
import type { PassOptions } from "../proto/board-api.js";
import type { DispatchSettings } from "./dispatcher-settings.js";
import type { Candidate } from "./kernel.js";
import { countBoard, openCounts } from "./pass-caps.js";
import type { Loop, LoopDeps } from "./pass-loop.js";
import { createResolver } from "./pass-profiles.js";
import { consider } from "./pass-task.js";

/** Ready tasks of one board, and how far the loop has come. */
interface Lane {
  readonly board: BoardSlug;
  readonly cap: number;
  readonly seen: Set<string>;
  waiting: Candidate[];
  /** Tasks fetched so far; 0 when there are no more. */
  fetched: number;
}

/** `quick`: what is behind the first tasks is looked at only when slots are left, and is not counted. */
export type LoopOptions = PassOptions & { readonly quick: boolean };

/** Resolves with the starts that are under way, once all slots are taken or no task is left. */
export type ReadyLoop = (settings: DispatchSettings, options: LoopOptions, result: PassResult) => Promise<readonly Promise<void>[]>;

/** Tasks of a board that are fetched at first, and how much more each time. */
const FIRST = 200;
const TIMES = 8;
const ALL = 1_000_000;

/** Claims ready tasks for as long as the caps allow (board part, 6.5). Remembers which board was served last. */
export function createReadyLoop(deps: LoopDeps): ReadyLoop {
  let last: BoardSlug | undefined;
  return async (settings, options, result) => {
    const boards = inTurn(await deps.health.usable(await deps.kernel.slugs()), last);
    const loop: Loop = {
      ...{ deps, settings, options, result, counts: openCounts(), now: toUnix(deps.clock.now()), starts: [], startable: 0, claimed: 0 },
      resolver: createResolver(deps.profiles, settings, deps.health),
    };
    await deps.health.each(boards, (board) => countBoard(deps.kernel, board, deps.starting, loop.counts));
    if (options.quick && full(loop)) return [];
    const lanes = await deps.health.each(boards, (board) => laneOf(loop, board, options.quick));
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
async function laneOf(loop: Loop, board: BoardSlug, quick: boolean): Promise<Lane> {
  const { paused, max_in_progress } = await loop.deps.kernel.settings(board);
  const limit = quick ? FIRST : ALL;
  const ready = await loop.deps.kernel.candidates(board, limit);
  if (paused) loop.result.skipped_paused += ready.length;
  const cap = max_in_progress ?? Number.POSITIVE_INFINITY;
  const waiting = paused ? [] : [...ready];
  return { board, cap, waiting, seen: new Set(waiting.map((task) => task.id)), fetched: ready.length < limit || paused ? 0 : limit };
}

/** Tasks that can never start must not hide those behind them. */
async function fetchMore(loop: Loop, lane: Lane): Promise<void> {
  const limit = lane.fetched * TIMES;
  const ready = await loop.deps.kernel.candidates(lane.board, limit);
  lane.waiting = ready.filter((task) => !lane.seen.has(task.id));
  for (const task of lane.waiting) lane.seen.add(task.id);
  lane.fetched = ready.length < limit ? 0 : limit;
}

/** Step b: the loop ends for all boards, or for one. One task of each board per turn. */
async function takeTurns(loop: Loop, lanes: readonly Lane[], served: (board: BoardSlug) => void): Promise<void> {
  let turn = lanes;
  while (turn.length > 0) {
    for (const lane of turn) {
      if (full(loop)) return;
      await takeOne(loop, lane, served);
    }
    turn = turn.filter((lane) => (lane.waiting.length > 0 || lane.fetched > 0) && !loop.counts.boardFull(lane.board, lane.cap));
  }
}

async function takeOne(loop: Loop, lane: Lane, served: (board: BoardSlug) => void): Promise<void> {
  if (loop.counts.boardFull(lane.board, lane.cap)) return;
  const [taken] = await loop.deps.health.each([lane.board], async (board) => {
    if (lane.waiting.length === 0 && lane.fetched > 0) await fetchMore(loop, lane);
    const task = lane.waiting.shift();
    return task !== undefined && (await consider(loop, board, task));
  });
  if (taken) served(lane.board);
  if (taken !== undefined) return;
  lane.waiting = [];
  lane.fetched = 0;
}

function full(loop: Loop): boolean {
  return loop.counts.globalFull(loop.settings) || loop.claimed >= (loop.options.max ?? Number.POSITIVE_INFINITY);
}
