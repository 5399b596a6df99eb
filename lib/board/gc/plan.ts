import { dirname, join } from "node:path";
import {
  deletedTasks,
  oldEvents,
  openRunIds,
  putAwayBefore,
  runningTasks,
  settledDeliveries,
} from "../../../storage/tables/board/gc.js";
import type { TaskRow } from "../../../storage/tables/board/rows.js";
import { existing } from "../../../storage/tables/board/tasks.js";
import { listDirectory, realPath, statPath } from "../../base/fs/files.js";
import { entryAt, treeSize } from "../../base/fs/tree.js";
import { isMarked } from "../../base/fs/workspace-files.js";
import { type BoardSlug, type TaskId, toUnix } from "../../base/units.js";
import type { GcFile, GcKept, GcReport, GcWorkspace, Retention } from "../../contracts/board/gc.js";
import type { Core } from "../core/core.js";
import { worktreeToGo } from "../workspaces/removable.js";

const DAY = 86_400;

/** Instants before which things may go. */
export interface Cuts {
  /** Milliseconds, as events have them. */
  readonly eventsMs: number;
  readonly deliveries: number;
  readonly logsMs: number;
  readonly workspaces: number;
}

export function cutsOf(core: Core, retention: Retention): Cuts {
  const ms = core.clock.now();
  const now = toUnix(ms);
  return {
    eventsMs: ms - retention.eventDays * DAY * 1000,
    deliveries: now - retention.eventDays * DAY,
    logsMs: ms - retention.logDays * DAY * 1000,
    workspaces: now - retention.workspaceDays * DAY,
  };
}

/** A workspace that may go; without a row its task was deleted, and its scratch directory was left behind. */
export interface RemovableWorkspace extends GcWorkspace {
  readonly row: TaskRow | undefined;
}

/** What gc removes; the preview shows the same. */
export interface GcPlan {
  readonly workspaces: readonly RemovableWorkspace[];
  readonly events: GcReport["events"];
  readonly logs: readonly GcFile[];
  readonly runFiles: readonly GcFile[];
  readonly deliveries: number;
  readonly kept: readonly GcKept[];
}

const NOTHING: GcPlan = {
  workspaces: [],
  events: { count: 0, size_bytes: 0 },
  logs: [],
  runFiles: [],
  deliveries: 0,
  kept: [],
};

/** Look what may go. Files are listed before the store is asked about them: a run that begins meanwhile has its files later. */
export async function planGc(core: Core, board: BoardSlug, cuts: Cuts): Promise<GcPlan> {
  const places = core.places(board);
  const logs = await filesIn(places.logs, LOG);
  const runFiles = await filesIn(places.runs, RUN_FILE);
  const store = await core.reading(board);
  if (store === undefined) return NOTHING;
  const seen = await store.read(async (q) => {
    const deleted = await deletedTasks(q);
    const again = await existing(q, deleted);
    return {
      rows: await putAwayBefore(q, cuts.workspaces),
      deleted: deleted.filter((id) => !again.has(id)),
      running: await runningTasks(q),
      open: await openRunIds(q),
      old: await oldEvents(q, cuts.eventsMs),
      deliveries: await settledDeliveries(q, cuts.deliveries),
    };
  });
  const kept: GcKept[] = [];
  const workspaces: RemovableWorkspace[] = [];
  for (const row of seen.rows) await lookAt(core, board, row, { workspaces, kept });
  for (const id of seen.deleted) workspaces.push(...(await scratchOf(core, board, id)));
  return {
    workspaces,
    events: { count: seen.old.count, size_bytes: seen.old.bytes },
    logs: logs.filter((file) => !seen.running.has(file.id) && file.changedMs < cuts.logsMs).map(shown),
    runFiles: runFiles.filter((file) => !seen.open.has(file.run)).map(shown),
    deliveries: seen.deliveries,
    kept,
  };
}

interface Found {
  readonly workspaces: RemovableWorkspace[];
  readonly kept: GcKept[];
}

async function lookAt(core: Core, board: BoardSlug, row: TaskRow, found: Found): Promise<void> {
  const { id: task_id, workspace_path: path, workspace_kind: kind } = row;
  if (path === null) return;
  if (kind === "scratch") {
    const mine = await scratchOf(core, board, task_id);
    found.workspaces.push(...mine.map((one) => ({ ...one, row })));
    if (mine.length === 0 && (await isUnmarked(core, board, path))) {
      found.kept.push({ task_id, path, reason: "missing workspace marker of its task" });
    }
    return;
  }
  const going = await worktreeToGo(core, row);
  if (going.state === "kept") found.kept.push({ task_id, path, reason: going.why });
  if (going.state !== "goes") return;
  const branch = row.branch_made === 1 ? row.branch_name : null;
  found.workspaces.push({ task_id, kind, path, branch, size_bytes: (await treeSize(path)) ?? 0, row });
}

/** The scratch directory of a task, if it carries its mark, or is what a removal that was cut short has left. */
async function scratchOf(core: Core, board: BoardSlug, task_id: TaskId): Promise<RemovableWorkspace[]> {
  const path = core.places(board).scratch(task_id);
  const marked = await isMarked(path, { board, task_id });
  const left = !marked && (await entryAt(path))?.kind === "directory" && (await listDirectory(path)).length === 0;
  if (!marked && !left) return [];
  return [{ task_id, kind: "scratch", path, branch: null, size_bytes: (await treeSize(path)) ?? 0, row: undefined }];
}

/** Something stands where the board makes its directories. A directory that was given lies elsewhere and is none of its business. */
async function isUnmarked(core: Core, board: BoardSlug, path: string): Promise<boolean> {
  const root = core.places(board).workspaces;
  const inside = ((await realPath(dirname(path))) ?? dirname(path)) === ((await realPath(root)) ?? root);
  return inside && (await entryAt(path)) !== undefined;
}

const LOG = /^(?<id>t_[0-9a-f]{8})\.log(\.\d+)?$/;
const RUN_FILE = /^(?<id>t_[0-9a-f]{8})\.(?<run>\d+)\.(claim|exit|report)$/;

interface NamedFile extends GcFile {
  readonly id: string;
  readonly run: number;
  readonly changedMs: number;
}

/** Files of a directory whose names fit. A link is not a file. */
async function filesIn(dir: string, pattern: RegExp): Promise<NamedFile[]> {
  const found: NamedFile[] = [];
  for (const { name, kind } of await listDirectory(dir)) {
    const { id, run } = pattern.exec(name)?.groups ?? {};
    if (kind !== "file" || id === undefined) continue;
    const facts = await statPath(join(dir, name));
    if (facts !== undefined)
      found.push({
        path: join(dir, name),
        size_bytes: facts.size,
        id,
        run: Number(run ?? 0),
        changedMs: facts.mtimeMs,
      });
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

const shown = ({ path, size_bytes }: NamedFile): GcFile => ({ path, size_bytes });
