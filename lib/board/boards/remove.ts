import { join } from "node:path";
import { AppError } from "../../base/errors.js";
import { moveDir, removeDir, removeFileSync } from "../../base/fs/directory.js";
import { type BoardSlug, toUnix } from "../../base/units.js";
import type { Actor } from "../../contracts/board/board.js";
import type { RemovedBoard } from "../../contracts/board/boards.js";
import { type Core, type Stamp, toStamp } from "../core/core.js";
import type { BoardMover } from "../core/deps.js";
import { noBoard } from "../core/guarded-store.js";
import type { OpenRun } from "../core/kernel.js";
import { KANBAN } from "../core/keys.js";
import { currentBoard, isKnownBoard } from "../core/known.js";
import { archivedRoot, boardDir, currentPath } from "../core/places.js";
import { parseSlug } from "../core/slug.js";
import { stopAndSettle } from "../tasks/settle.js";
import { openRunsOf } from "../tasks/upkeep.js";
import { forgetRun, type WorkerFile, workerFiles } from "../worker-process/runner-files.js";
import { anythingLives, endProcesses } from "../worker-process/stop.js";
import { archiveName, sweepTrash, trashName, writeNote } from "./archived.js";
import { listedOrBroken } from "./listing.js";

export interface RemoveBoardParams {
  readonly delete?: boolean;
  readonly force?: boolean;
}

interface Removal {
  readonly core: Core;
  readonly mover: BoardMover;
  readonly board: BoardSlug;
  readonly params: RemoveBoardParams;
  readonly by: Actor;
}

/** @throws E_OWNER this process only looks */
export function requireBoardMover(core: Core): BoardMover {
  if (core.mover === undefined) throw new AppError("E_OWNER", "this process cannot move boards");
  return core.mover;
}

/**
 * Take a board away: nothing is claimed on it from the first step on, its workers end, its store is closed, its directory gets another name.
 * The rename is the one step that counts: before it the board is there, after it it is archived.
 */
export async function removeBoard(
  core: Core,
  given: string,
  params: RemoveBoardParams,
  by: Actor,
): Promise<RemovedBoard> {
  const board = parseSlug(given);
  if (board === "default")
    throw new AppError("E_INVALID", "the board 'default' cannot be removed", { hint: "it always exists" });
  const mover = requireBoardMover(core);
  return core.lanes.take(`board ${board}`, async () => {
    if (!(await isKnownBoard(core, board))) throw noBoard(board);
    sweepTrash(core.home.root);
    core.leaving.add(board);
    try {
      return await remove({ core, mover, board, params, by });
    } finally {
      core.leaving.delete(board);
    }
  });
}

async function remove(removal: Removal): Promise<RemovedBoard> {
  const { core, board, params } = removal;
  let dir: string | undefined;
  while (dir === undefined) {
    await endWorkers(removal);
    // A claim that was under way when the first step was made may have got through.
    dir = await core.gate.alone(board, async () =>
      (await openRunsIn(core, board)).length > 0 ? undefined : moveAway(removal),
    );
  }
  if (params.delete === true) removeDir(dir);
  const action = params.delete === true ? "deleted" : "archived";
  core.log.info("board removed", { board, action });
  const current = parseSlug((await currentBoard(core)) ?? "default");
  return { slug: board, action, new_path: params.delete === true ? null : dir, current };
}

/** Open runs; none of a damaged store, which can be archived too. */
async function openRunsIn(core: Core, board: BoardSlug): Promise<readonly OpenRun[]> {
  return (await unlessBroken(() => openRunsOf(core, board))) ?? [];
}

async function unlessBroken<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError && error.code === "E_STORE") return undefined;
    throw error;
  }
}

/** Runs are closed first, so that a start under way finds nothing to start; then whatever lives of earlier runs ends. */
async function endWorkers({ core, mover, board, params }: Removal): Promise<void> {
  const open = await unlessBroken(() => openRunsOf(core, board));
  const tasks = (open ?? livingWorkers(core, board).map((file) => ({ task_id: file.task }))).map((run) => run.task_id);
  if (tasks.length > 0 && params.force !== true)
    throw new AppError("E_BOARD_BUSY", `board '${board}' has running tasks: ${tasks.slice(0, 5).join(", ")}`, {
      tasks,
    });
  for (const run of open ?? []) {
    const settled = await stopAndSettle(core, {
      board,
      task: run.task_id,
      run: run.id,
      observed: { how: "board_removed" },
    });
    if (!settled.settled && settled.why === "stuck") throw stuck(board, [run.worker_pid ?? 0]);
  }
  await mover.started(board);
  const alive = await endLeftovers(core, board);
  if (alive.length > 0) throw stuck(board, alive);
}

const stuck = (board: BoardSlug, pids: readonly number[]): AppError =>
  new AppError(
    "E_WORKER_STUCK",
    `cannot stop a worker of board '${board}' (pid ${pids.join(", ")}); the board was not removed`,
    { board, pids },
  );

/** Close the store and rename the directory. @returns where it lies now */
async function moveAway({ core, mover, board, params, by }: Removal): Promise<string> {
  const stamp = toStamp(core, by);
  const { root } = core.home;
  const forGood = params.delete === true;
  const name = forGood ? trashName(board, core.ids.hex(8)) : archiveName(root, board, toUnix(stamp.at));
  const dir = join(archivedRoot(root), name);
  writeNote(boardDir(root, board), await listedOrBroken(core, board));
  await unlessBroken(() => tell(core, board, stamp, forGood ? null : name));
  await mover.closed(board, async () => moveDir(boardDir(root, board), dir));
  core.left(board);
  if ((await currentBoard(core)) === board) removeFileSync(currentPath(root));
  return dir;
}

/** Followers hear of it, and the archived board knows when it was archived. */
async function tell(core: Core, board: BoardSlug, stamp: Stamp, name: string | null): Promise<void> {
  const store = await core.reading(board);
  await store?.write("board.archive-board", async (tx) => {
    const payload = { slug: board, action: name === null ? "deleted" : "archived", archived_name: name };
    tx.emit({ kind: "board_archived", at: stamp.at, actor: stamp.actor, payload });
  });
}

/** Workers of a board of which something lives, whatever its store says of their runs. */
function livingWorkers(core: Core, board: BoardSlug): readonly WorkerFile[] {
  return workerFiles(core.places(board)).filter((file) =>
    anythingLives(core, { leader: file.worker, mark: file.mark }),
  );
}

/** End them. @returns pids of the leaders that cannot be ended */
async function endLeftovers(core: Core, board: BoardSlug): Promise<readonly number[]> {
  const stuck: number[] = [];
  for (const file of livingWorkers(core, board)) {
    const target = { leader: file.worker, mark: file.mark };
    const { gone } = await endProcesses(core, target, core.config.get(KANBAN.killGrace) * 1000);
    if (gone) forgetRun(core.places(board), file.task, file.run);
    else stuck.push(file.worker.pid);
  }
  return stuck;
}
