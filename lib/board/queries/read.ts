import type { Query, StoredEvent } from "../../../storage/store.js";
import { attachmentsOf, commentsOf } from "../../../storage/tables/board/comments.js";
import { eventsOf } from "../../../storage/tables/board/events.js";
import { toRun } from "../../../storage/tables/board/rows.js";
import { latestCompleted, recentRuns as readRecent, runsOf } from "../../../storage/tables/board/runs.js";
import { subscriptionsOf } from "../../../storage/tables/board/subscriptions.js";
import { byPrefix, getTask } from "../../../storage/tables/board/tasks.js";
import { AppError } from "../../base/errors.js";
import { type BoardSlug, type RunId, type TaskId, toUnix } from "../../base/units.js";
import type { RecentRun, RunFilter, TaskBrief, TaskView } from "../../contracts/board/api.js";
import type { BoardEvent, Run, Status } from "../../contracts/board/board.js";
import { type Core, mustTask, mustView, unknownTask } from "../core/core.js";
import { failureLimit } from "../core/judge.js";
import { diagnosticsOf } from "../explain/diagnose.js";
import { explain, storedFacts } from "../explain/why.js";
import { readWorkspaceState } from "../workspaces/state.js";

/** Full id of a task from an id or a unique prefix (board part, 2.2). */
export async function findTaskId(core: Core, board: BoardSlug, given: string): Promise<TaskId> {
  const id = given.trim().toLowerCase();
  if (!/^t_[0-9a-f]{3,8}$/.test(id)) throw unknownTask(given);
  const store = await core.reading(board);
  if (store === undefined) throw unknownTask(given);
  const hits = await store.read((q) => byPrefix(q, id, 6));
  const [only] = hits;
  if (only === undefined) throw unknownTask(given);
  if (hits.length > 1) {
    const shown = hits.slice(0, 5).join(", ");
    throw new AppError("E_AMBIGUOUS", `${given} is ambiguous: ${shown}${hits.length > 5 ? ", ..." : ""}`, {
      ids: hits.slice(0, 5),
    });
  }
  return only;
}

/** Everything about one task (board part, 10.4). */
export async function readTaskView(
  core: Core,
  board: BoardSlug,
  id: TaskId,
  filter: RunFilter = {},
): Promise<TaskView> {
  const store = await core.reading(board);
  if (store === undefined) throw unknownTask(id);
  const view = await store.read(async (q) => {
    const found = await mustView(q, id);
    const row = await mustTask(q, id);
    const stored = await storedFacts(q, found);
    return {
      task: found,
      latest_summary: (await latestCompleted(q, id))?.summary ?? null,
      parents: await briefs(q, found.parents),
      children: await briefs(q, found.children),
      comments: await commentsOf(q, id),
      events: (await eventsOf(q, id, 1000)).map(toBoardEvent),
      runs: keep((await runsOf(q, id)).map(toRun), filter),
      attachments: (await attachmentsOf(q, id)).map((a) => ({ ...a, run_id: a.run_id as RunId | null })), // written from a run's id
      subscriptions: await subscriptionsOf(q, id),
      stored,
      failure_limit: failureLimit(core.config, row),
    };
  });
  const { stored, failure_limit, ...shown } = view;
  const [workspace, reasons, diagnostics] = await Promise.all([
    readWorkspaceState(core, view.task),
    explain(core, board, stored),
    diagnosticsOf(core, board, id),
  ]);
  return { ...shown, diagnostics, workspace, reasons, failure_limit };
}

async function briefs(q: Query, ids: readonly TaskId[]): Promise<readonly TaskBrief[]> {
  const found: TaskBrief[] = [];
  for (const id of ids) {
    const row = await getTask(q, id);
    if (row !== undefined)
      found.push({ id, title: row.title, status: row.status, assignee: row.assignee, verdict: row.verdict });
  }
  return found;
}

/** Runs of a task, oldest first. @throws E_NOT_FOUND, E_USAGE with one filter only */
export async function runs(core: Core, board: BoardSlug, id: TaskId, filter: RunFilter = {}): Promise<readonly Run[]> {
  const store = await core.reading(board);
  if (store === undefined) throw unknownTask(id);
  return store.read(async (q) => {
    await mustTask(q, id);
    return keep((await runsOf(q, id)).map(toRun), filter);
  });
}

/** Runs that are open or have ended since then, oldest first; empty for a board that was never written. */
export async function recentRuns(core: Core, board: BoardSlug, since: number): Promise<readonly RecentRun[]> {
  const store = await core.reading(board);
  if (store === undefined) return [];
  const rows = await store.read((q) => readRecent(q, since));
  return rows.map((row) => ({ title: row.title, run: toRun({ ...row, summary: null, metadata: null }) }));
}

function keep(all: readonly Run[], filter: RunFilter): readonly Run[] {
  if ((filter.state_type === undefined) !== (filter.state_name === undefined)) {
    throw new AppError("E_USAGE", "--state-type and --state-name must be used together");
  }
  if (filter.state_type === undefined) return all;
  const key = filter.state_type;
  return all.filter((run) => run[key] === filter.state_name);
}

/** An event as JSON shows it: unix seconds, parsed payload. */
function toBoardEvent(row: {
  seq: number;
  kind: string;
  task_id: string | null;
  run_id: number | null;
  actor: string | null;
  payload: string;
  created_at: number;
}): BoardEvent {
  return {
    id: row.seq,
    task_id: row.task_id as TaskId | null, // written from a task's id
    run_id: row.run_id as RunId | null, // written from a run's id
    kind: row.kind,
    payload: JSON.parse(row.payload) as Record<string, unknown>, // written as a JSON object
    actor: row.actor,
    created_at: toUnix(row.created_at),
  };
}

/** The same for an event that a store handed out. */
export function fromStored(event: StoredEvent): BoardEvent {
  return {
    id: event.seq,
    task_id: (event.task ?? null) as TaskId | null, // written from a task's id
    run_id: (event.run ?? null) as RunId | null, // written from a run's id
    kind: event.kind,
    payload: { ...event.payload },
    actor: event.actor ?? null,
    created_at: toUnix(event.at),
  };
}

/** Zero for every status, to be filled in. */
export const noStatuses = (): Record<Status, number> => ({
  triage: 0,
  todo: 0,
  ready: 0,
  running: 0,
  blocked: 0,
  scheduled: 0,
  done: 0,
  archived: 0,
});
