import type { BoardSlug } from "../../base/units.js";
import type { BoardApi } from "../../contracts/board/api.js";
import type { BoardKernel, OpenRun } from "../core/kernel.js";
import type { BoardPlaces } from "../core/places.js";
import { forgetRun, namesOfRuns, removeName, type WorkerFile, workerFiles } from "../worker-process/runner-files.js";
import { anythingLives, type StopDeps } from "../worker-process/stop.js";
import type { Health } from "./health.js";
import type { Starting } from "./pass-caps.js";
import type { WorkerSupervisor } from "./supervise.js";

export interface AdoptDeps extends StopDeps {
  readonly kernel: BoardKernel;
  readonly supervisor: WorkerSupervisor;
  readonly health: Health;
  readonly api: Pick<BoardApi, "show">;
  /** Runs that this process is starting. */
  readonly starting: Starting;
}

/** Look at every open run of this host before anything is dispatched (board part, 7.7): adopt what lives, settle what is gone. */
export async function adoptWorkers(deps: AdoptDeps): Promise<void> {
  await deps.health.each(await deps.kernel.slugs(), (board) => adoptBoard(deps, board));
}

/** Set the tasks free that a process claimed and died before it could name their worker. Nothing else is looked at. */
export async function settleUnbound(deps: AdoptDeps): Promise<void> {
  await deps.health.each(await deps.kernel.slugs(), async (board) => {
    for (const run of await findLostRuns(deps, board)) await deps.supervisor.settle(board, run);
  });
}

/** Runs that a process claimed and died before it could name their worker. */
export async function findLostRuns(
  deps: Pick<AdoptDeps, "kernel" | "starting" | "api">,
  board: BoardSlug,
): Promise<readonly OpenRun[]> {
  const unbound = (await deps.kernel.openRuns(board)).filter((run) => run.worker_pid === null);
  if (unbound.length === 0) return [];
  const files = workerFiles(deps.kernel.places(board));
  const lost: OpenRun[] = [];
  for (const run of unbound) if (await isLost(deps, board, run, fileOf(files, run))) lost.push(run);
  return lost;
}

const fileOf = (files: readonly WorkerFile[], run: OpenRun) => files.find((file) => file.run === run.id);

async function adoptBoard(deps: AdoptDeps, board: BoardSlug): Promise<void> {
  const places = deps.kernel.places(board);
  const files = workerFiles(places);
  // Named before the runs are read: what is about a run that is not open then is about one that has ended.
  const names = namesOfRuns(places);
  const runs = await deps.kernel.openRuns(board);
  for (const run of runs) await adoptRun(deps, board, run, fileOf(files, run));
  for (const file of files) if (!runs.some((run) => run.id === file.run)) seeOff(deps, board, file);
  sweep(places, names, runs);
  await deps.supervisor.release(board);
}

/**
 * Remove what runs that have ended left in the directory of runs. A runner may write its record when its run is closed already and no reader looks
 * for it any more.
 */
export async function sweepRuns({ kernel }: Pick<AdoptDeps, "kernel">, board: BoardSlug): Promise<void> {
  const places = kernel.places(board);
  // Named before the runs are read: what is about a run that is not open then is about one that has ended.
  const names = namesOfRuns(places);
  if (names.length > 0) sweep(places, names, await kernel.openRuns(board));
}

/** An owner that was killed between the end of a run and the removal of its files has left them. Workers that leave keep theirs. */
function sweep(places: BoardPlaces, names: ReturnType<typeof namesOfRuns>, runs: readonly OpenRun[]): void {
  const open = new Set(runs.map((run) => run.id));
  const leaving = new Set(workerFiles(places).map((file) => file.run));
  for (const { name, run } of names)
    if (!open.has(run) && (name.includes(".claim") || !leaving.has(run))) removeName(places, name);
}

async function adoptRun(deps: AdoptDeps, board: BoardSlug, run: OpenRun, file: WorkerFile | undefined): Promise<void> {
  const facts = deps.supervisor.facts(board, run);
  if (!facts.local) return;
  if (run.worker_pid === null) {
    if (await isLost(deps, board, run, file)) await deps.supervisor.settle(board, run);
    return;
  }
  if (!facts.alive) {
    await deps.supervisor.settle(board, run);
    return;
  }
  await deps.kernel.adopt(board, run.id);
  if (file) deps.supervisor.watch(board, file);
}

/** A run without a worker, unless something outside works on it or this process is starting its worker. */
async function isLost(
  deps: Pick<AdoptDeps, "starting" | "api">,
  board: BoardSlug,
  run: OpenRun,
  file: WorkerFile | undefined,
): Promise<boolean> {
  if (deps.starting.has(`${board}/${run.id}`)) return false;
  return file !== undefined || (await wasDispatched(deps, board, run));
}

/** A run that is closed: its worker is within its 30 s of leaving, or gone. */
function seeOff(deps: AdoptDeps, board: BoardSlug, file: WorkerFile): void {
  if (anythingLives(deps, { leader: file.worker, mark: file.mark })) deps.supervisor.watch(board, file);
  else forgetRun(deps.kernel.places(board), file.task, file.run);
}

/** A run without a recorded worker was claimed by a dispatcher, not by an outside worker: the event of the claim says it. */
async function wasDispatched({ api }: Pick<AdoptDeps, "api">, board: BoardSlug, run: OpenRun): Promise<boolean> {
  const { events } = await api.show(board, run.task_id);
  return events.some((event) => event.kind === "claimed" && event.run_id === run.id && event.actor === "system");
}
