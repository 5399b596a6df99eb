import type { Query } from "../../../storage/store.js";
import { childProgress, commentCounts, latestSummaries, orderMade } from "../../../storage/tables/board/cards.js";
import { statusSince } from "../../../storage/tables/board/slim.js";
import { type BoardSlug, type TaskId, toUnix, type UnixSeconds } from "../../base/units.js";
import type { Task } from "../../contracts/board/board.js";
import type { Card, CardWarnings, Diagnostic, DiagnosticKind } from "../../contracts/board/explain.js";
import { type Core, mustView, unknownTask } from "../core/core.js";
import { diagnosticsOf } from "../explain/diagnose.js";
import { worktreeMarks } from "../workspaces/state.js";
import { waitsOf } from "./page.js";

/** Bound of a stored summary in characters; nothing of it is cut off. */
const WHOLE = 32 * 1024;

/** One task as a card (board part, 14.2). @throws E_NOT_FOUND */
export async function readCard(core: Core, board: BoardSlug, id: TaskId): Promise<Card> {
  const store = await core.reading(board);
  if (store === undefined) throw unknownTask(id);
  const now = toUnix(core.clock.now());
  const { task, facts } = await store.read(async (q) => {
    const found = await mustView(q, id);
    return { task: found, facts: await cardFacts(q, [found], { now, summaries: WHOLE }) };
  });
  const diagnostics = await diagnosticsOf(core, board, id);
  return cardOf(task, { ...facts, now, diagnostics, workspace: await worktreeOf(core, task) });
}

/** What the cards of some tasks show beside the tasks, by task. */
export interface CardFacts {
  readonly waits: ReadonlyMap<TaskId, readonly TaskId[]>;
  readonly comments: ReadonlyMap<TaskId, number>;
  readonly summaries: ReadonlyMap<TaskId, string>;
  readonly progress: ReadonlyMap<TaskId, { done: number; total: number }>;
  readonly since: ReadonlyMap<TaskId, UnixSeconds>;
  readonly made: ReadonlyMap<TaskId, number>;
}

/** Read it: a few statements for any number of tasks, which cost what these tasks are. */
export async function cardFacts(
  q: Query,
  tasks: readonly Task[],
  of: { now: UnixSeconds; summaries: number },
): Promise<CardFacts> {
  const ids = tasks.map((task) => task.id);
  return {
    waits: await waitsOf(q, ids),
    comments: new Map((await commentCounts(q, ids)).map((row) => [row.id, row.count])),
    summaries: new Map((await latestSummaries(q, ids, of.summaries)).map((row) => [row.id, row.summary])),
    progress: new Map((await childProgress(q, ids)).map(({ id, done, total }) => [id, { done, total }])),
    since: new Map((await statusSince(q, ids)).map((row) => [row.id, toUnix(row.at)])),
    made: new Map((await orderMade(q, ids)).map((row) => [row.id, row.made])),
  };
}

interface Shown extends CardFacts {
  readonly now: UnixSeconds;
  readonly diagnostics: readonly Diagnostic[];
  readonly workspace: Card["workspace"];
}

/** A card from what was read. It is the task itself, which was read for it alone: copies of so many keys cost more than all the rest. */
export function cardOf(task: Task, shown: Shown): Card {
  const { id } = task;
  return Object.assign(task, {
    age: ageOf(task, shown.now),
    since: shown.since.get(id) ?? task.created_at,
    made: shown.made.get(id) ?? 0,
    latest_summary: shown.summaries.get(id) ?? null,
    link_counts: { parents: task.parents.length, children: task.children.length },
    comment_count: shown.comments.get(id) ?? 0,
    progress: shown.progress.get(id) ?? null,
    waits_for: shown.waits.get(id) ?? [],
    diagnostics: shown.diagnostics,
    warnings: warningsOf(shown.diagnostics),
    workspace: shown.workspace,
  });
}

function ageOf(task: Task, now: UnixSeconds): Card["age"] {
  const since = (at: UnixSeconds | null) => (at === null ? null : Math.max(0, now - at));
  const took =
    task.completed_at === null ? null : Math.max(0, task.completed_at - (task.started_at ?? task.created_at));
  return {
    created_age_seconds: Math.max(0, now - task.created_at),
    started_age_seconds: since(task.started_at),
    time_to_complete_seconds: took,
  };
}

/** Diagnostics come worst first. */
function warningsOf(diagnostics: readonly Diagnostic[]): CardWarnings {
  const kinds: Partial<Record<DiagnosticKind, number>> = {};
  for (const one of diagnostics) kinds[one.kind] = (kinds[one.kind] ?? 0) + 1;
  const [worst] = diagnostics;
  const latest = diagnostics.length === 0 ? null : Math.max(...diagnostics.map((one) => one.last_seen_at));
  return { count: diagnostics.length, kinds, latest_at: latest, highest_severity: worst?.severity ?? null };
}

/** What a card shows of a worktree; null for everything else. */
export const worktreeOf = (core: Core, task: Task): Promise<Card["workspace"]> => worktreeMarks(core, task);
