import { toAppError } from "../../base/errors.js";
import { faultPoint } from "../../base/fault.js";
import type { Log } from "../../base/log/log.js";
import { rotateFile } from "../../base/log/log-file.js";
import type { Child } from "../../base/process/spawn.js";
import type { BoardSlug, Ms, TaskId, UnixSeconds } from "../../base/units.js";
import type { BoardKernel, Observed, OpenRun, RunEnd, RunEndPreview, Settled } from "../core/kernel.js";
import { workerIdentity } from "../core/kernel.js";
import {
  exitRecord,
  forgetRun,
  lastLogLine,
  startedRuns,
  type WorkerFile,
  workerFiles,
} from "../worker-process/runner-files.js";
import { anythingLives, endProcesses, type StopDeps } from "../worker-process/stop.js";
import { findRunProcesses } from "../worker-process/stop-worker.js";
import type { DispatchSettings } from "./dispatcher-settings.js";
import { judgeOpenRun, observe, type WorkerFacts } from "./supervise-judge.js";
import { createSteadyTime, type SteadyTime } from "./supervise-time.js";
import { createLeaderWatch, type LeaderWatch, type Watched } from "./supervise-watch.js";

/** How long a worker may take to leave after its run was closed (board part, 7.5). */
const LEAVE_WITHIN: Ms = 30_000;

export interface SuperviseDeps extends StopDeps {
  readonly kernel: BoardKernel;
  readonly settings: () => DispatchSettings;
  /** `--failure-limit` of a running `daemon`. */
  readonly failureLimit: () => number | undefined;
  readonly log: Log;
  /** A worker has left or its run was settled: a slot may be free, and a task may go on. */
  readonly onFree: (board: BoardSlug) => void;
}

/** Told for each run that a pass has settled. */
export type OnSettled = (task: TaskId, settled: Settled) => void;

export interface WorkerSupervisor {
  /** Watch the worker of a run; with `child`, one that this owner has just started. */
  watch(board: BoardSlug, file: WorkerFile, child?: Child): void;
  /** Watch the outside workers of a board from now on: each was alive a moment ago, when it was claimed for. */
  meet(board: BoardSlug): Promise<void>;
  /** Steps 2 to 5 of a pass over one board. Stops take as long as they take; several run at once. */
  pass(board: BoardSlug, onSettled: OnSettled, failureLimit?: number): Promise<void>;
  /** See that workers of closed runs of the board leave within 30 s. */
  release(board: BoardSlug): Promise<void>;
  /** Settle a run whose worker is gone. Undefined: something of it cannot be ended, the next pass tries again. */
  settle(board: BoardSlug, run: OpenRun, failureLimit?: number): Promise<Settled | undefined>;
  facts(board: BoardSlug, run: OpenRun): WorkerFacts;
  /** What a pass would do with an open run now. Undefined: it would let it go on. Writes nothing. */
  previewEnd(board: BoardSlug, run: OpenRun, failureLimit?: number): Promise<RunEndPreview | undefined>;
  /** What `settle` would do with a run whose worker is gone. Undefined: the run has ended. Writes nothing. */
  previewSettle(board: BoardSlug, run: OpenRun): Promise<RunEndPreview | undefined>;
  /** Processes of an earlier run of the task live (board part, 6.5, step h). */
  lingers(board: BoardSlug, task: TaskId): boolean;
  /** The same for who only looks: each board is looked at once, and nothing is removed. */
  leaving(): (board: BoardSlug, task: TaskId) => boolean;
  /** Now, for something that was stamped then: jumps of the wall clock that this owner saw do not count. */
  since(stamp: UnixSeconds): UnixSeconds;
  /** Workers that live now. */
  running(): number;
  /** Resolves when no work is under way. */
  idle(): Promise<void>;
  /** Stop watching; the workers go on. */
  letGo(): void;
}

/** Watches the workers of this host: their ends, leases, runtimes, and what they leave behind (board part, 6.4 and 7.6). */
export function createWorkerSupervisor(deps: SuperviseDeps): WorkerSupervisor {
  const work = new Set<Promise<unknown>>();
  const settling = new Map<string, Promise<Settled | undefined>>();
  const state: State = {
    deps,
    settling,
    time: createSteadyTime(deps.clock),
    watch: createLeaderWatch(deps, (one) => background(() => whenGone(state, one))),
  };
  const background = (body: () => Promise<unknown>) => {
    const promise = body()
      .catch((error: unknown) => report(deps.log, error))
      .finally(() => work.delete(promise));
    work.add(promise);
  };
  return {
    watch: (board, file, child) => state.watch.add(toWatched(board, file), child),
    meet: (board) => meet(state, board),
    pass: (board, onSettled, failureLimit) => passOver(state, board, onSettled, failureLimit),
    release: (board) => release(state, board, background),
    settle: (board, run, failureLimit) => settleOnce(state, board, run, failureLimit),
    facts: (board, run) => factsOf(state, board, run),
    previewSettle: (board, run) => {
      const observed = observe(factsOf(state, board, run), workerIdentity(run));
      return deps.kernel.previewSettle(endOf(deps, run, observed));
    },
    previewEnd: (board, run, failureLimit) => previewEnd(state, board, run, failureLimit),
    lingers: (board, task) => lingers(state, board, task),
    leaving: () => leaving(state),
    since: state.time.since,
    running: () => state.watch.all().filter((one) => deps.spawner.alive(one.leader)).length,
    idle: async () => {
      while (work.size > 0) await Promise.all(work);
    },
    letGo: () => state.watch.clear(),
  };
}

interface State {
  readonly deps: SuperviseDeps;
  readonly watch: LeaderWatch;
  readonly time: SteadyTime;
  /** Settlements under way, so that the exit event and a pass do not settle one run side by side. */
  readonly settling: Map<string, Promise<Settled | undefined>>;
}

function toWatched(board: BoardSlug, file: WorkerFile): Watched {
  return { board, task: file.task, run: file.run, leader: file.worker, mark: file.mark };
}

function report(log: Log, error: unknown): void {
  const { code, message } = toAppError(error);
  log.warning("failed to settle a worker; the next pass retries", { code, message });
}

async function passOver(state: State, board: BoardSlug, onSettled: OnSettled, failureLimit?: number): Promise<void> {
  const runs = await state.deps.kernel.openRuns(board);
  rotateLogs(state.deps, board, runs);
  const acting = runs.map(async (run) => {
    const settled = await act(state, board, run, failureLimit);
    if (settled) onSettled(run.task_id, settled);
  });
  const results = await Promise.allSettled(acting);
  for (const result of results) if (result.status === "rejected") throw result.reason;
}

async function act(state: State, board: BoardSlug, run: OpenRun, failureLimit?: number): Promise<Settled | undefined> {
  const { kernel, settings } = state.deps;
  const facts = factsOf(state, board, run);
  const verdict = judgeOpenRun(run, facts, settings(), kernel.leaseSeconds());
  switch (verdict.do) {
    case "nothing":
      watchOutside(state, board, run, facts);
      return undefined;
    case "extend":
      await kernel.extendLease(board, run.id);
      return undefined;
    case "settle":
      return settleOnce(state, board, run, failureLimit);
    case "stop": {
      const settled = await kernel.stopAndSettle(endOf(state.deps, run, verdict.observed, failureLimit));
      if (settled.settled) forget(state, board, run);
      return settled;
    }
  }
}

async function previewEnd(
  state: State,
  board: BoardSlug,
  run: OpenRun,
  failureLimit?: number,
): Promise<RunEndPreview | undefined> {
  const { kernel, settings } = state.deps;
  const verdict = judgeOpenRun(run, factsOf(state, board, run), settings(), kernel.leaseSeconds());
  if (verdict.do !== "settle" && verdict.do !== "stop") return undefined;
  return kernel.previewSettle(endOf(state.deps, run, verdict.observed, failureLimit));
}

/** An outside worker with a pid is watched like any other. */
function watchOutside(state: State, board: BoardSlug, run: OpenRun, facts: Pick<WorkerFacts, "alive" | "local">): void {
  const leader = workerIdentity(run);
  if (!leader || !facts.alive || !facts.local) return;
  state.watch.add({
    board,
    task: run.task_id,
    run: run.id,
    leader,
    mark: findRunProcesses(state.deps.kernel.places(board), run)?.mark,
  });
}

async function meet(state: State, board: BoardSlug): Promise<void> {
  const { kernel, spawner } = state.deps;
  const runs = await kernel.openRuns(board);
  const started = startedRuns(kernel.places(board));
  for (const run of runs) {
    if (!started.has(run.id)) watchOutside(state, board, run, { alive: true, local: run.host_id === spawner.host });
  }
}

function factsOf(state: State, board: BoardSlug, run: OpenRun): WorkerFacts {
  const { kernel, spawner } = state.deps;
  const identity = workerIdentity(run);
  return {
    since: state.time.since,
    alive: identity !== undefined && spawner.alive(identity),
    lived: identity && spawner.age(identity),
    seenAlive: state.watch.find(board, run.id) !== undefined,
    local: run.host_id === null || run.host_id === spawner.host,
    boot: spawner.boot,
    exit: exitRecord(kernel.places(board), run.task_id, run.id),
  };
}

async function settleOnce(
  state: State,
  board: BoardSlug,
  run: OpenRun,
  failureLimit?: number,
): Promise<Settled | undefined> {
  const key = `${board}/${run.id}`;
  const under = state.settling.get(key);
  if (under !== undefined) return under;
  const mine = settle(state, board, run, failureLimit).finally(() => state.settling.delete(key));
  state.settling.set(key, mine);
  return mine;
}

/** What is left of the attempt ends first, so that a retry never meets it. */
async function settle(
  state: State,
  board: BoardSlug,
  run: OpenRun,
  failureLimit?: number,
): Promise<Settled | undefined> {
  const { deps } = state;
  const target = findRunProcesses(deps.kernel.places(board), run);
  const facts = factsOf(state, board, run);
  if (facts.exit) faultPoint("worker.exit-recorded");
  if (target && facts.local && !(await endProcesses(deps, target, deps.settings().killGraceMs)).gone) {
    deps.log.warning("cannot stop processes of a run; its task waits", {
      task: run.task_id,
      run: run.id,
      pid: target.leader.pid,
    });
    return undefined;
  }
  const observed = facts.local ? observe(facts, target?.leader) : ({ how: "lease_expired" } as const);
  const settled = await deps.kernel.settle(endOf(deps, run, observed, failureLimit));
  if (settled.settled || settled.why === "closed") forget(state, board, run);
  return settled;
}

function endOf(deps: SuperviseDeps, run: OpenRun, observed: Observed, failureLimit?: number): RunEnd {
  const { board } = run;
  const places = deps.kernel.places(board);
  const lastLine = lastLogLine(places, run.task_id);
  const errorClass = exitRecord(places, run.task_id, run.id)?.error_class;
  const limit = failureLimit ?? deps.failureLimit();
  return {
    board,
    task: run.task_id,
    run: run.id,
    observed,
    ...(lastLine === undefined ? {} : { lastLine }),
    ...(errorClass === undefined ? {} : { errorClass }),
    ...(limit === undefined ? {} : { failureLimit: limit }),
  };
}

function forget(state: State, board: BoardSlug, run: OpenRun): void {
  forgetProcesses(state, { board, task: run.task_id, run: run.id });
}

function forgetProcesses(state: State, one: Pick<Watched, "board" | "task" | "run">): void {
  const watched = state.watch.find(one.board, one.run);
  if (watched) state.watch.remove(watched);
  forgetRun(state.deps.kernel.places(one.board), one.task, one.run);
  state.deps.onFree(one.board);
}

/** The leader has ended. Its run is settled, or, when it was closed before, only its remains are cleared away. */
async function whenGone(state: State, one: Watched): Promise<void> {
  const run = (await state.deps.kernel.openRuns(one.board)).find((open) => open.id === one.run);
  if (run) await settleOnce(state, one.board, run);
  else await clearAway(state, one);
}

async function clearAway(state: State, one: Watched): Promise<void> {
  const { gone } = await endProcesses(state.deps, one, state.deps.settings().killGraceMs);
  if (gone) forgetProcesses(state, one);
  else
    state.deps.log.warning("cannot stop processes of a closed run", {
      task: one.task,
      run: one.run,
      pid: one.leader.pid,
    });
}

async function release(
  state: State,
  board: BoardSlug,
  background: (body: () => Promise<unknown>) => void,
): Promise<void> {
  const mine = state.watch.all().filter((one) => one.board === board);
  if (mine.length === 0) return;
  const open = new Set((await state.deps.kernel.openRuns(board)).map((run) => run.id));
  for (const one of mine) {
    if (!open.has(one.run)) state.watch.leave(one, LEAVE_WITHIN, () => background(() => clearAway(state, one)));
  }
}

function lingers(state: State, board: BoardSlug, task: TaskId): boolean {
  const places = state.deps.kernel.places(board);
  for (const file of workerFiles(places, task)) {
    if (anythingLives(state.deps, { leader: file.worker, mark: file.mark })) return true;
    // Nothing of it lives and its run is closed, or its task would not be ready.
    forgetRun(places, file.task, file.run);
  }
  return false;
}

function leaving({ deps }: State): (board: BoardSlug, task: TaskId) => boolean {
  const known = new Map<BoardSlug, ReadonlySet<TaskId>>();
  return (board, task) => {
    const living = known.get(board) ?? livingTasks(deps, board);
    known.set(board, living);
    return living.has(task);
  };
}

function livingTasks(deps: SuperviseDeps, board: BoardSlug): ReadonlySet<TaskId> {
  const files = workerFiles(deps.kernel.places(board));
  return new Set(
    files.filter(({ worker, mark }) => anythingLives(deps, { leader: worker, mark })).map(({ task }) => task),
  );
}

function rotateLogs(deps: SuperviseDeps, board: BoardSlug, runs: readonly OpenRun[]): void {
  const { logMaxBytes, logBackups } = deps.settings();
  for (const run of runs) {
    if (run.worker_pid !== null)
      rotateFile(deps.kernel.places(board).log(run.task_id), {
        maxBytes: logMaxBytes,
        backups: logBackups,
        inUse: true,
      });
  }
}
