import { dropOldEvents, dropSettledDeliveries, openRunIds, runningTasks } from "../../../storage/tables/board/gc.js";
import { getTask } from "../../../storage/tables/board/tasks.js";
import { AppError, toAppError } from "../../base/errors.js";
import { faultPoint } from "../../base/fault.js";
import { removeFile, statPath } from "../../base/fs/files.js";
import type { BoardSlug } from "../../base/units.js";
import type { Actor } from "../../contracts/board/board.js";
import type { GcApi, GcFile, GcKept, GcReport, GcWorkspace, Retention } from "../../contracts/board/gc.js";
import type { Core } from "../core/core.js";
import { removeScratch, removeWorkspace } from "../workspaces/remove.js";
import { type Cuts, cutsOf, type GcPlan, planGc, type RemovableWorkspace } from "./plan.js";

/** Events that one transaction removes, so that others get their turn. */
const AT_ONCE = 5_000;

/** What the board can clear away. */
export const gcVerbs = (core: Core): GcApi => ({ gc: (board, options, by) => gc(core, board, options, by) });

async function gc(
  core: Core,
  board: BoardSlug,
  options: { readonly dryRun: boolean; readonly retention: Retention },
  by: Actor,
): Promise<GcReport> {
  if (by.kind === "worker") throw new AppError("E_NOT_OWNER", "a worker may not run gc");
  return core.lanes.take(`gc:${board}`, async () => {
    const cuts = cutsOf(core, options.retention);
    const plan = await planGc(core, board, cuts);
    return reportOf(board, options.dryRun, options.dryRun ? plan : await carryOut(core, board, plan, cuts));
  });
}

/** Each step stands alone: one that is cut short, or never begun, is found again by the next run. What could not be removed is kept, with the reason. */
async function carryOut(core: Core, board: BoardSlug, plan: GcPlan, cuts: Cuts): Promise<GcPlan> {
  const kept: GcKept[] = [...plan.kept];
  const workspaces: RemovableWorkspace[] = [];
  for (const one of plan.workspaces) {
    const why = await leave(core, board, one);
    if (why === undefined) workspaces.push(one);
    else kept.push({ task_id: one.task_id, path: one.path, reason: why });
    faultPoint("gc.workspace-gone");
  }
  const logs = await dropFiles(plan.logs, kept, (file) => mayGo(core, board, file, cuts));
  const runFiles = await dropFiles(plan.runFiles, kept, (file) => isClosed(core, board, file));
  faultPoint("gc.files-gone");
  return { workspaces, logs, runFiles, kept, ...(await dropRows(core, board, plan, cuts)) };
}

/** Why a workspace stays after all; undefined when it is gone. The task is looked at once more: it may have been taken up again. */
async function leave(core: Core, board: BoardSlug, one: RemovableWorkspace): Promise<string | undefined> {
  try {
    const store = await core.store(board, one.task_id);
    const row = await store.read((q) => getTask(q, one.task_id));
    if (one.row !== undefined && row?.status !== "archived") return "the task was reopened";
    if (one.kind === "worktree" && row !== undefined) {
      return (await removeWorkspace(core, board, row, { scratch: false })).kept ?? undefined;
    }
    return (await removeScratch(core, board, one.task_id)) ? undefined : "missing workspace marker of its task";
  } catch (error) {
    return toAppError(error).message;
  }
}

async function dropFiles(
  files: readonly GcFile[],
  kept: GcKept[],
  may: (file: GcFile) => Promise<boolean>,
): Promise<readonly GcFile[]> {
  const gone: GcFile[] = [];
  for (const file of files) {
    try {
      if (!(await may(file))) continue;
      await removeFile(file.path);
      gone.push(file);
    } catch (error) {
      kept.push({ task_id: null, path: file.path, reason: toAppError(error).message });
    }
  }
  return gone;
}

const idIn = (path: string): string => /t_[0-9a-f]{8}(?=[^/]*$)/.exec(path)?.[0] ?? "";

/** A log whose task began to run meanwhile is written to. */
async function mayGo(core: Core, board: BoardSlug, file: GcFile, cuts: Cuts): Promise<boolean> {
  const store = await core.store(board, idIn(file.path));
  const facts = await statPath(file.path);
  return facts !== undefined && facts.mtimeMs < cuts.logsMs && !(await store.read(runningTasks)).has(idIn(file.path));
}

async function isClosed(core: Core, board: BoardSlug, file: GcFile): Promise<boolean> {
  const store = await core.store(board, idIn(file.path));
  const run = Number(/\.(\d+)\.[a-z]+$/.exec(file.path)?.[1]);
  return !(await store.read(openRunIds)).has(run);
}

async function dropRows(
  core: Core,
  board: BoardSlug,
  plan: GcPlan,
  cuts: Cuts,
): Promise<Pick<GcPlan, "events" | "deliveries">> {
  if (plan.events.count === 0 && plan.deliveries === 0) return { events: plan.events, deliveries: 0 };
  const store = await core.store(board, board);
  const deliveries = await store.write("board.gc-deliveries", (tx) => dropSettledDeliveries(tx, cuts.deliveries));
  let count = 0;
  for (let dropped = AT_ONCE; dropped === AT_ONCE; count += dropped) {
    dropped = await store.write("board.gc-events", (tx) => dropOldEvents(tx, cuts.eventsMs, AT_ONCE));
    faultPoint("gc.events-gone");
  }
  return { events: { count, size_bytes: plan.events.size_bytes }, deliveries };
}

function reportOf(board: BoardSlug, dry_run: boolean, plan: GcPlan): GcReport {
  const { events, logs, runFiles, deliveries, kept } = plan;
  const workspaces: GcWorkspace[] = plan.workspaces.map(({ row: _row, ...one }) => one);
  const size_bytes = [events, ...workspaces, ...logs, ...runFiles].reduce((sum, one) => sum + one.size_bytes, 0);
  return { board, dry_run, workspaces, events, logs, run_files: runFiles, deliveries, size_bytes, kept };
}
