import type { Query } from "../../../storage/store.js";
import { archivedParents, lastComment, newestPayload } from "../../../storage/tables/board/facts.js";
import { unsettledParents } from "../../../storage/tables/board/links.js";
import type { RunRow } from "../../../storage/tables/board/rows.js";
import { getRun } from "../../../storage/tables/board/runs.js";
import { type BoardSlug, type TaskId, toUnix, type UnixSeconds } from "../../base/units.js";
import type { Task } from "../../contracts/board/board.js";
import type { WaitReason, Why } from "../../contracts/board/explain.js";
import { type Core, mustView, unknownTask } from "../core/core.js";
import { KANBAN } from "../core/keys.js";
import { readBoardSettings } from "../core/known.js";
import { portsOf } from "../core/ports.js";
import { defaultAssignee } from "../core/routing.js";
import { logTail, noClientFor } from "./facts.js";
import { reasonsOf } from "./reasons.js";
import type { Holding, TriageFacts, WhyFacts } from "./why-facts.js";

/** Why a task does not move, and what to do (board part, 19.1). @throws E_NOT_FOUND */
export async function explainTask(core: Core, board: BoardSlug, id: TaskId): Promise<Why> {
  const store = await core.reading(board);
  if (store === undefined) throw unknownTask(id);
  const stored = await store.read(async (q) => storedFacts(q, await mustView(q, id)));
  const reasons = await explain(core, board, stored);
  const { status } = stored.task;
  const runnable = status === "ready" && reasons.some((one) => one.code === "ready_now");
  return { task_id: id, status, runnable, reasons, next_action: actionOf(reasons) };
}

const actionOf = (reasons: readonly WaitReason[]): string | null =>
  reasons.find((one) => one.action !== undefined)?.action ?? null;

/** What the store says about a task for its reasons; read in one state. */
export type StoredFacts = Awaited<ReturnType<typeof storedFacts>>;

/** Read it. */
export async function storedFacts(q: Query, task: Task) {
  const run = task.current_run_id === null ? undefined : await getRun(q, task.current_run_id);
  const protocol = task.block_kind === "protocol" ? await newestPayload(q, task.id, "protocol_violation") : undefined;
  return {
    task,
    parents: await parentsWithRoots(q, task.id),
    archived: await archivedParents(q, task.id),
    run,
    lastText: protocol === undefined ? null : textOf(protocol),
    commented: task.status === "triage" ? await lastComment(q, task.id) : null,
  };
}

/** Tasks that are looked at above one parent. */
const MOST_ANCESTORS = 500;

async function parentsWithRoots(q: Query, id: TaskId): Promise<readonly Holding[]> {
  const parents = await unsettledParents(q, id);
  const found: Holding[] = [];
  for (const parent of parents)
    found.push(parent.status === "todo" ? { ...parent, roots: await findRoots(q, parent.id) } : parent);
  return found;
}

/** The ends of all chains of unsettled parents above a task; empty when it waits for no task. */
async function findRoots(q: Query, id: TaskId): Promise<readonly Holding[]> {
  const roots: Holding[] = [];
  const seen = new Set<TaskId>([id]);
  const open: Holding[] = [...(await unsettledParents(q, id))];
  for (let next = open.pop(); next !== undefined && seen.size < MOST_ANCESTORS; next = open.pop()) {
    if (seen.has(next.id)) continue;
    seen.add(next.id);
    const above = next.status === "todo" ? await unsettledParents(q, next.id) : [];
    if (above.length === 0) roots.push(next);
    open.push(...above);
  }
  return roots.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

function textOf(payload: string): string | null {
  const { last_text: text } = JSON.parse(payload) as { last_text?: unknown }; // written as a JSON object
  return typeof text === "string" ? text : null;
}

/** The reasons of a task whose stored facts were read. */
export async function explain(core: Core, board: BoardSlug, stored: StoredFacts): Promise<readonly WaitReason[]> {
  const { task, run } = stored;
  const { forecast } = portsOf(core);
  const now = toUnix(core.clock.now());
  const settings = await readBoardSettings(core, board);
  const dispatch = forecast.state();
  const outside =
    task.external || (task.assignee !== null && core.config.get(KANBAN.externalAssignees).includes(task.assignee));
  const facts: WhyFacts = {
    task,
    now,
    parents: stored.parents,
    archivedParents: stored.archived,
    dispatch,
    paused: settings.paused_at === null ? undefined : { reason: settings.paused_reason },
    outside,
    assigneeKnown: task.assignee === null || core.profiles.exists(task.assignee),
    lacksModel: !outside && task.assignee !== null && core.profiles.lacksModel?.(task.assignee) === true,
    workerProblem: outside || task.assignee === null ? undefined : await core.profiles.workerProblem?.(task.assignee),
    defaultAssignee: defaultAssignee(core),
    // Where nothing starts workers, no slot is asked for, and no other board need be opened.
    forecast:
      task.status === "ready" && dispatch === "dispatching" ? await forecast.forecastTask(board, task.id) : undefined,
    run,
    stuck: run?.stuck === 1,
    workerGone: run !== undefined && isGone(core, run),
    lastText: stored.lastText,
    log: task.block_kind === "breaker" || task.block_kind === "protocol" ? logTail(core, board, task.id) : [],
    triage:
      task.status === "triage"
        ? await triageFacts(core, { orchestration: settings.orchestration, stored, now })
        : undefined,
  };
  return reasonsOf(facts);
}

function isGone({ spawner }: Core, { worker_pid: pid, worker_start, boot_id, host_id }: RunRow): boolean {
  if (pid === null || (host_id !== null && host_id !== spawner.host)) return false;
  return !spawner.alive({ pid, start: worker_start ?? "", boot: boot_id ?? "" });
}

interface TriageCase {
  readonly orchestration: "auto" | "manual" | null;
  readonly stored: StoredFacts;
  readonly now: UnixSeconds;
}

/** Automatic decomposition is asked for its client only when nothing else keeps it from the task: looking may take a moment. */
async function triageFacts(core: Core, { orchestration, stored }: TriageCase): Promise<TriageFacts> {
  const { task, commented } = stored;
  const auto = orchestration === null ? core.config.get(KANBAN.autoDecompose) : orchestration === "auto";
  const settle = core.config.get(KANBAN.autoDecomposeSettle);
  return {
    auto,
    noClient: auto && task.auto_decompose ? await noClientFor(core) : undefined,
    maxAttempts: core.config.get(KANBAN.autoDecomposeMaxAttempts),
    settlesAt: Math.max(task.updated_at + settle, (commented ?? 0) + settle, task.decompose_next_at ?? 0),
  };
}
