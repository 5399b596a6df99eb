import { type BoardSlug, toUnix } from "../../base/units.js";
import type { PassOptions } from "../../contracts/board/api.js";
import type { PassResult } from "../../contracts/board/board.js";
import type { Obstacle } from "../../contracts/board/explain.js";
import type { Candidate } from "../core/kernel.js";
import type { DispatchSettings } from "./dispatcher-settings.js";
import { countBoard, openCounts } from "./pass-caps.js";
import type { Loop, LoopDeps } from "./pass-loop.js";
import { forecastStart } from "./pass-obstacles.js";
import type { Preview } from "./pass-preview.js";
import { createResolver } from "./pass-profiles.js";
import { consider } from "./pass-task.js";

/** Ready tasks of one board, and how far the loop has come. */
interface Lane {
  readonly board: BoardSlug;
  readonly cap: number;
  readonly seen: Set<string>;
  readonly quick: boolean;
  /** Ready tasks when the loop began; 0 when not asked for. */
  total: number;
  waiting: Candidate[];
  /** Tasks fetched so far; 0 once all are fetched. */
  fetched: number;
}

/**
 * `quick`: only tasks that may start are looked at, a few at a time; the others are not counted. `tell`: in a dry run, told about each ready task, of each board the first `tasks`.
 */
export type LoopOptions = PassOptions & {
  readonly quick: boolean;
  /** Asked before each task: once it says no, nothing more is claimed. What is made from then on is never started by a pass that began before. */
  readonly allowed?: () => boolean;
  readonly tell?: Loop["tell"];
  readonly tasks?: number | undefined;
  /** In a dry run: what the earlier steps of the pass would have done. */
  readonly preview?: Preview;
};

/** Resolves with the starts that are under way, once all slots are taken or no task is left. */
export type ReadyLoop = (
  settings: DispatchSettings,
  options: LoopOptions,
  result: PassResult,
) => Promise<readonly Promise<void>[]>;

/** Tasks of a board that are fetched at first, and how much more each time: what a pass costs must not grow with what waits. */
const FIRST = 64;
const TIMES = 8;
const ALL = 1_000_000;

/** Claims ready tasks for as long as the caps allow (board part, 6.5). Remembers which board was served last. */
export function createReadyLoop(deps: LoopDeps): ReadyLoop {
  let last: BoardSlug | undefined;
  return async (settings, options, result) => {
    const boards = inTurn(await deps.health.usable(await deps.kernel.slugs()), last);
    const loop = await createLoop(deps, settings, options, result);
    if (options.quick && full(loop)) return [];
    const lanes = await deps.health.each(boards, (board) => laneOf(loop, board, options));
    await takeTurns(loop, lanes, (board) => {
      if (!options.dryRun) last = board;
    });
    for (const lane of lanes) result.skipped_capped += Math.max(0, lane.total - (lane.seen.size - lane.waiting.length));
    if (loop.tell) for (const lane of lanes) await tellRest(loop, lane);
    if (!options.dryRun) deps.health.passed(loop.startable > 0 && loop.claimed === 0);
    return loop.starts;
  };
}

/** A loop that has counted what is open on all boards. */
export async function createLoop(
  deps: LoopDeps,
  settings: DispatchSettings,
  options: LoopOptions,
  result: PassResult,
): Promise<Loop> {
  const counts = openCounts();
  const boards = await deps.health.usable(await deps.kernel.slugs());
  const freedOf = (board: BoardSlug) => options.preview?.get(board)?.freed;
  await deps.health.each(boards, (board) =>
    countBoard(deps.kernel, board, { starting: deps.starting, freed: freedOf(board) }, counts),
  );
  const resolver = createResolver(deps.profiles, settings, deps.health);
  await resolver.warn();
  return {
    deps,
    settings,
    options,
    result,
    counts,
    resolver,
    now: toUnix(deps.clock.now()),
    starts: [],
    startable: 0,
    claimed: 0,
    since: deps.supervisor.since,
    leaving: options.dryRun ? deps.supervisor.leaving() : deps.supervisor.lingers,
    tell: options.dryRun ? options.tell : undefined,
    allowed: options.allowed ?? (() => true),
  };
}

/** Boards in order, beginning after the one served last. */
function inTurn(boards: readonly BoardSlug[], last: BoardSlug | undefined): BoardSlug[] {
  const next = last === undefined ? 0 : boards.indexOf(last) + 1;
  return [...boards.slice(next), ...boards.slice(0, next)];
}

/** Step a: the ready tasks of a paused board are only counted. */
async function laneOf(loop: Loop, board: BoardSlug, { quick, tasks, preview }: LoopOptions): Promise<Lane> {
  const { kernel } = loop.deps;
  const { paused, max_in_progress } = await kernel.settings(board);
  const more = preview?.get(board)?.soon ?? [];
  const total = quick ? 0 : (await kernel.readyCount(board)) + more.length;
  const limit = loop.tell ? (tasks ?? ALL) : more.length > 0 ? ALL : FIRST;
  const now = paused && !loop.tell ? [] : await readyOf(loop, board, limit, quick);
  const ready = more.length === 0 ? now : [...now, ...more].toSorted(inOrder);
  if (paused) loop.result.skipped_paused += total;
  if (paused)
    for (const task of ready) loop.tell?.(board, await forecastStart(loop, board, task, [{ code: "board_paused" }]));
  const waiting = paused ? [] : [...ready];
  return {
    board,
    quick,
    cap: max_in_progress ?? Number.POSITIVE_INFINITY,
    total: paused ? 0 : total,
    waiting,
    seen: new Set(waiting.map((task) => task.id)),
    fetched: ready.length < limit || paused || loop.tell ? 0 : limit,
  };
}

/** Dispatch order (board part, 6.5). */
const inOrder = (a: Candidate, b: Candidate): number =>
  b.priority - a.priority || a.created_at - b.created_at || (a.id < b.id ? -1 : 1);

/** Tasks that the loop did not come to, because no slot is left. */
async function tellRest(loop: Loop, lane: Lane): Promise<void> {
  const cap = listReachedCaps(loop, lane.board, lane.cap);
  for (const task of lane.waiting) loop.tell?.(lane.board, await forecastStart(loop, lane.board, task, cap));
}

/** The caps over all tasks that are reached now (step b). */
export function listReachedCaps(
  loop: Pick<Loop, "counts" | "settings">,
  board: BoardSlug,
  cap: number,
): readonly Obstacle[] {
  return [
    ...(loop.counts.boardFull(board, cap) ? [{ code: "cap_board", cap } as const] : []),
    ...(loop.counts.globalFull(loop.settings)
      ? [{ code: "cap_global", cap: loop.settings.maxInProgress } as const]
      : []),
  ];
}

/** For an event only what may start is asked for: names of outside workers, and profiles that have all the runs they may have, are not. */
function readyOf(loop: Loop, board: BoardSlug, limit: number, quick: boolean): Promise<readonly Candidate[]> {
  const { externalAssignees, maxPerProfile } = loop.settings;
  if (!quick) return loop.deps.kernel.candidates(board, limit);
  const free = loop.deps.profiles
    .names()
    .filter((name) => !externalAssignees.includes(name) && loop.counts.ofProfile(name) < maxPerProfile);
  return loop.deps.kernel.startable(board, [null, ...free], limit);
}

/** Tasks that cannot start after all, e.g. because an earlier worker still leaves, must not hide those behind them. */
async function fetchMore(loop: Loop, lane: Lane): Promise<void> {
  const limit = lane.fetched * TIMES;
  const ready = await readyOf(loop, lane.board, limit, lane.quick);
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
    turn = turn.filter(
      (lane) => (lane.waiting.length > 0 || lane.fetched > 0) && !loop.counts.boardFull(lane.board, lane.cap),
    );
  }
}

async function takeOne(loop: Loop, lane: Lane, served: (board: BoardSlug) => void): Promise<void> {
  if (loop.counts.boardFull(lane.board, lane.cap)) return;
  const [taken] = await loop.deps.health.each([lane.board], async (board) => {
    if (lane.waiting.length === 0 && lane.fetched > 0) await fetchMore(loop, lane);
    const task = lane.waiting.shift();
    return task !== undefined && loop.allowed() && (await consider(loop, board, task));
  });
  if (taken) served(lane.board);
  if (taken !== undefined) return;
  lane.waiting = [];
  lane.fetched = 0;
  lane.total = 0;
}

function full(loop: Loop): boolean {
  return (
    !loop.allowed() ||
    loop.counts.globalFull(loop.settings) ||
    loop.claimed >= (loop.options.max ?? Number.POSITIVE_INFINITY)
  );
}
