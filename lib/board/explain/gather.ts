import type { Query } from "../../../storage/store.js";
import {
  archivedWorktrees,
  blockedComments,
  type CaseEvent,
  type CaseRun,
  type CaseTask,
  caseEvents,
  caseRuns,
  caseTasks,
  type FailedParent,
  type FailingDelivery,
  failedParents,
  failingDeliveries,
  inStatusSince,
  lastStart,
  refusedRuns,
  type Scope,
} from "../../../storage/tables/board/cases.js";
import { newestPayload } from "../../../storage/tables/board/facts.js";
import { type OpenRunRow, openRuns } from "../../../storage/tables/board/runs.js";
import { statPath } from "../../base/fs/files.js";
import { type BoardSlug, type TaskId, toUnix, type UnixSeconds } from "../../base/units.js";
import type { Core } from "../core/core.js";
import { failureLimit } from "../core/judge.js";
import { KANBAN } from "../core/keys.js";
import { readBoardSettings } from "../core/known.js";
import { portsOf } from "../core/ports.js";
import { type BoardCase, DAY, HOUR, type TaskCase } from "./cases.js";
import { logTail, noClientFor } from "./facts.js";

/** Everything that the diagnostics of a board, or of one task of it, look at. Undefined: the board was never written. */
export async function gather(core: Core, board: BoardSlug, scope: Scope): Promise<BoardCase | undefined> {
  const store = await core.reading(board);
  if (store === undefined) return undefined;
  const now = toUnix(core.clock.now());
  const stored = await store.read((q) => readCase(q, scope, now));
  const kept = await keptWorktrees(stored.worktrees);
  const settings = await readBoardSettings(core, board);
  const { forecast } = portsOf(core);
  const triage = stored.tasks.some((task) => task.status === "triage");
  const externals = new Set(core.config.get(KANBAN.externalAssignees));
  return {
    now,
    paused: settings.paused_at !== null,
    dispatch: forecast.state(),
    stalled: forecast.stalled(),
    lastStart: stored.lastStart,
    limitOf: (task) => failureLimit(core.config, task).limit,
    outside: (task) => task.external === 1 || (task.assignee !== null && externals.has(task.assignee)),
    known: remembered((name) => core.profiles.exists(name)),
    workerProblem: await workerProblems(core, stored.tasks),
    noClient: triage ? await noClientFor(core) : undefined,
    maxAttempts: core.config.get(KANBAN.autoDecomposeMaxAttempts),
    refused: stored.refused,
    deliveries: stored.deliveries,
    tasks: casesOf(core, board, stored, kept),
  };
}

/** Asked once for each assignee of tasks that wait for a worker. */
async function workerProblems(
  core: Core,
  tasks: readonly CaseTask[],
): Promise<(assignee: string) => string | undefined> {
  const waiting = tasks.filter(({ status }) => status === "ready" || status === "todo");
  const problems = new Map<string, string>();
  for (const name of new Set(waiting.flatMap(({ assignee }) => assignee ?? []))) {
    const problem = await core.profiles.workerProblem?.(name);
    if (problem !== undefined) problems.set(name, problem);
  }
  return (name) => problems.get(name);
}

function remembered(look: (name: string) => boolean): (name: string) => boolean {
  const known = new Map<string, boolean>();
  return (name) => {
    const found = known.get(name) ?? look(name);
    known.set(name, found);
    return found;
  };
}

type Stored = Awaited<ReturnType<typeof readCase>>;

async function readCase(q: Query, scope: Scope, now: UnixSeconds) {
  const events = await caseEvents(q, scope, now - DAY);
  const worktrees = await archivedWorktrees(q, scope);
  const deliveries = await failingDeliveries(q, scope);
  const named = [
    ...events.map((event) => event.task_id),
    ...worktrees.map((one) => one.id),
    ...deliveries.flatMap((one) => one.task_id ?? []),
  ];
  const tasks = await caseTasks(q, scope, [...new Set(named)].slice(0, MOST_NAMED));
  const silent = tasks
    .filter((task) => task.status === "blocked" && task.block_kind === "protocol")
    .slice(0, MOST_LOGS);
  const lastTexts = new Map<TaskId, string | null>();
  for (const task of silent) lastTexts.set(task.id, lastTextOf(await newestPayload(q, task.id, "protocol_violation")));
  return {
    events,
    worktrees,
    deliveries,
    tasks,
    lastTexts,
    since: new Map((await inStatusSince(q, scope)).map((row) => [row.id, row.at])),
    runs: await caseRuns(q, scope),
    refused: scope.task === undefined ? await refusedRuns(q, now - HOUR) : [],
    lastStart: scope.task === undefined ? await lastStart(q) : null,
    parents: await failedParents(q, scope),
    comments: new Map((await blockedComments(q, scope)).map((row) => [row.id, row.at])),
    stuck: (await openRuns(q)).filter((run) => run.stuck === 1),
  };
}

/** Finished tasks that are looked at because something about them is wrong. */
const MOST_NAMED = 500;
/** Logs that are read for the tasks of one answer. */
const MOST_LOGS = 50;

function lastTextOf(payload: string | undefined): string | null {
  if (payload === undefined) return null;
  const { last_text: text } = JSON.parse(payload) as { last_text?: unknown }; // written as a JSON object
  return typeof text === "string" ? text : null;
}

async function keptWorktrees(
  found: Stored["worktrees"],
): Promise<ReadonlyMap<TaskId, { path: string; since: UnixSeconds }>> {
  const kept = new Map<TaskId, { path: string; since: UnixSeconds }>();
  for (const { id, workspace_path: path, archived_at: since } of found.slice(0, MOST_NAMED)) {
    if ((await statPath(path)) !== undefined) kept.set(id, { path, since });
  }
  return kept;
}

function casesOf(
  core: Core,
  board: BoardSlug,
  stored: Stored,
  kept: Awaited<ReturnType<typeof keptWorktrees>>,
): readonly TaskCase[] {
  const events = grouped(stored.events, (one: CaseEvent) => one.task_id);
  const runs = grouped(stored.runs, (one: CaseRun) => one.task_id);
  const parents = grouped(stored.parents, (one: FailedParent) => one.child);
  const deliveries = grouped(
    stored.deliveries.filter((one) => one.task_id !== null),
    (one: FailingDelivery) => one.task_id,
  );
  const stuck = new Map(stored.stuck.map((run) => [run.task_id, run]));
  return stored.tasks.map((task) => ({
    task,
    since: stored.since.get(task.id) ?? task.updated_at,
    events: events.get(task.id) ?? [],
    runs: runs.get(task.id) ?? [],
    stuckParents: (parents.get(task.id) ?? []).map(({ id, status, verdict, updated_at }) => ({
      id,
      status,
      verdict,
      since: stored.since.get(id) ?? updated_at,
    })),
    commentedAt: stored.comments.get(task.id) ?? null,
    stuckWorker: stuckWorker(core, stuck.get(task.id)),
    deliveries: deliveries.get(task.id) ?? [],
    kept: kept.get(task.id),
    lastText: stored.lastTexts.get(task.id) ?? null,
    log: stored.lastTexts.has(task.id) ? logTail(core, board, task.id) : [],
  }));
}

function stuckWorker(core: Core, run: OpenRunRow | undefined): TaskCase["stuckWorker"] {
  if (run === undefined || run.worker_pid === null) return undefined;
  const identity = { pid: run.worker_pid, start: run.worker_start ?? "", boot: run.boot_id ?? "" };
  const local = run.host_id === null || run.host_id === core.host;
  return { pid: run.worker_pid, alive: !local || core.spawner.alive(identity), since: run.last_heartbeat_at };
}

function grouped<T, K>(items: readonly T[], key: (item: T) => K): ReadonlyMap<K, readonly T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const known = groups.get(key(item));
    if (known) known.push(item);
    else groups.set(key(item), [item]);
  }
  return groups;
}
