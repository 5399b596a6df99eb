import type { Query } from "../../../storage/store.js";
import { columnTotals, tenants } from "../../../storage/tables/board/cards.js";
import { selectTasks } from "../../../storage/tables/board/tasks.js";
import { type BoardSlug, type TaskId, toUnix } from "../../base/units.js";
import type { Status, Task } from "../../contracts/board/board.js";
import type { BoardView, Card, ViewFilter } from "../../contracts/board/explain.js";
import type { Core } from "../core/core.js";
import { readBoardSettings } from "../core/known.js";
import { listAssignees } from "../explain/assignees.js";
import { diagnosticsOfSome } from "../explain/diagnose.js";
import { cardFacts, cardOf, worktreeOf } from "./card.js";
import { tasksOf } from "./page.js";

/** Columns from left to right; `archived` last, when it is asked for. */
const COLUMNS = [
  "triage",
  "todo",
  "ready",
  "running",
  "blocked",
  "done",
  "scheduled",
] as const satisfies readonly Status[];
/** Cards of each column, unless another number is asked for. */
const CARDS = 500;
/** Characters of a summary on a card. */
const SUMMARY = 200;
/** Worktrees that are looked at for one view, those at work first: each costs a few calls of git. */
const WORKTREES = 12;

const ORDERS: Partial<Record<Status, string>> = {
  done: "t.completed_at DESC, t.rowid DESC",
  archived: "t.archived_at DESC, t.rowid DESC",
};

/** A board in columns (board part, 14.3). A board that was never written is not made. */
export async function view(core: Core, board: BoardSlug, filter: ViewFilter = {}): Promise<BoardView> {
  const now = toUnix(core.clock.now());
  const names: readonly Status[] = filter.archived === true ? [...COLUMNS, "archived"] : COLUMNS;
  const store = await core.reading(board);
  // Asked before the cards are read: what happens in between is reported a second time, and nothing is passed over.
  const latest = (await store?.lastSeq()) ?? 0;
  const read = await store?.read((q) => readView(q, names, filter, now));
  const all = read?.columns.flatMap((column) => column.tasks) ?? [];
  const by = await diagnosticsOfSome(
    core,
    board,
    all.map((task) => task.id),
  );
  const worktrees = await worktreesOf(core, all);
  const toCard = (task: Task): Card =>
    cardOf(task, {
      ...(read?.facts ?? NOTHING),
      now,
      diagnostics: by.get(task.id) ?? [],
      workspace: worktrees.get(task.id) ?? null,
    });
  const columns = read?.columns ?? names.map((name) => ({ name, total: 0, tasks: [] }));
  return {
    columns: columns.map(({ name, total, tasks }) => ({ name, total, tasks: tasks.map(toCard) })),
    tenants: read?.tenants ?? [],
    assignees: (await listAssignees(core, board)).map((one) => one.name),
    board,
    paused: (await readBoardSettings(core, board)).paused_at !== null,
    latest_event_id: latest,
    now,
  };
}

const NOTHING = {
  waits: new Map(),
  comments: new Map(),
  summaries: new Map(),
  progress: new Map(),
  since: new Map(),
  made: new Map(),
};

async function readView(q: Query, names: readonly Status[], { tenant, ids, limit = CARDS }: ViewFilter, now: number) {
  const totals = new Map((await columnTotals(q, tenant)).map((row) => [row.status, row.count]));
  const where = [
    ...(tenant === undefined ? [] : [{ sql: "t.tenant = ?", args: [tenant] }]),
    ...(ids === undefined ? [] : [{ sql: `t.id IN (${ids.map(() => "?").join(", ")})`, args: [...ids] }]),
  ];
  const extent = (name: Status) =>
    ids === undefined ? { indexed: ORDERS[name] === undefined, limit } : { indexed: false, limit: undefined };
  const nothing = ids?.length === 0;
  const columns = [];
  for (const name of names) {
    const order = ORDERS[name] ?? "t.priority DESC, t.created_at, t.rowid";
    const rows =
      totals.has(name) && !nothing ? await selectTasks(q, { statuses: [name], where, order, ...extent(name) }) : [];
    columns.push({ name, total: totals.get(name) ?? 0, tasks: await tasksOf(q, rows) });
  }
  const tasks = columns.flatMap((column) => column.tasks);
  return { columns, tenants: await tenants(q), facts: await cardFacts(q, tasks, { now, summaries: SUMMARY }) };
}

const AT_WORK: readonly Status[] = ["running", "blocked", "ready", "todo", "scheduled", "triage", "done", "archived"];

async function worktreesOf(core: Core, tasks: readonly Task[]): Promise<ReadonlyMap<TaskId, Card["workspace"]>> {
  const mine = tasks.filter((task) => task.workspace_kind === "worktree" && task.workspace_path !== null);
  const first = mine.toSorted((a, b) => AT_WORK.indexOf(a.status) - AT_WORK.indexOf(b.status));
  const looked = first.slice(0, WORKTREES).map(async (task) => [task.id, await worktreeOf(core, task)] as const);
  const others = first
    .slice(WORKTREES)
    .map((task) => [task.id, { branch: task.branch_name, ahead: null, dirty: null, merged: null }] as const);
  return new Map<TaskId, Card["workspace"]>([...(await Promise.all(looked)), ...others]);
}
