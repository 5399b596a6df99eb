import type { Query } from "../../../storage/store.js";
import { linksAmong } from "../../../storage/tables/board/links.js";
import { type TaskExtras, type TaskRow, toUsage } from "../../../storage/tables/board/rows.js";
import { usageByTask } from "../../../storage/tables/board/runs.js";
import { selectPlaces, selectTasks, type TaskPlace, type TaskSelect } from "../../../storage/tables/board/tasks.js";
import { type Beside, pageTexts, TEXT_PAGE, taskTexts } from "../../../storage/tables/board/text.js";
import { type BoardSlug, type TaskId, toUnix } from "../../base/units.js";
import type { ListedTask, ListFilter, ListSort } from "../../contracts/board/api.js";
import { STATUSES, type Status } from "../../contracts/board/board.js";
import type { BoardLookup } from "../core/core.js";
import { pageOf, tasksOf, withWaits } from "./page.js";

/** What is equal to the second stands in the order in which it was made. */
const ORDERS: Record<ListSort, string> = {
  created: "t.created_at, t.rowid",
  "created-desc": "t.created_at DESC, t.rowid DESC",
  priority: "t.priority, t.created_at, t.rowid",
  "priority-desc": "t.priority DESC, t.created_at, t.rowid",
  status: "t.status, t.priority DESC, t.created_at, t.rowid",
  assignee: "COALESCE(t.assignee, ''), t.priority DESC, t.created_at, t.rowid",
  title: "t.title, t.rowid",
  updated: "t.updated_at DESC, t.rowid",
};

/** Tasks of a board; empty for a board that was never written. */
export async function list(core: BoardLookup, board: BoardSlug, filter: ListFilter): Promise<readonly ListedTask[]> {
  const store = await core.reading(board);
  if (store === undefined) return [];
  const now = toUnix(core.clock.now());
  return store.read(async (q) => {
    const select = selectOf(filter);
    const found = await selectTasks(q, isWide(filter.search) ? { ...select, limit: undefined } : select);
    return withWaits(q, await tasksOf(q, searched(found, filter)), now);
  });
}

/**
 * These tasks as `JSON.stringify` writes them with two spaces, in pieces: thousands of them are text in the store already, and no step on the way
 * to the caller has to read it.
 */
export async function listText(
  core: BoardLookup,
  board: BoardSlug,
  filter: ListFilter,
): Promise<readonly Uint8Array[]> {
  const store = await core.reading(board);
  if (store === undefined || isWide(filter.search))
    return [indented((await list(core, board, filter)).map(({ task }) => task))];
  const select = selectOf(filter);
  const { limit } = select;
  return store.read(async (q) => {
    const pages =
      limit !== undefined && limit <= TEXT_PAGE
        ? [await pageTexts(q, { ...select, limit }, (of) => besideOf(q, of))]
        : await allTexts(q, select);
    const [first, ...rest] = pages;
    return first === undefined || first.length === 0 ? [indented([])] : [OPEN, first.subarray(1), ...rest, CLOSE];
  });
}

/** Texts of more tasks than one page holds, as pages. */
async function allTexts(q: Query, select: TaskSelect): Promise<readonly Uint8Array[]> {
  const places = await selectPlaces(q, select);
  const beside = await besideOf(q, places);
  const pages: Uint8Array[] = [];
  for (let from = 0; from < places.length; from += TEXT_PAGE) {
    const page = places.slice(from, from + TEXT_PAGE);
    const made = page.map((place) => place.made);
    pages.push(await taskTexts(q, { made, order: select.order }, moreOf(page, beside)));
  }
  return pages;
}

const indented = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value, null, 2));
/** The first task has no comma before it. */
const OPEN = Buffer.from("[");
const CLOSE = Buffer.from("\n]");

/** What of other tables belongs to these tasks. */
async function besideOf(q: Query, places: readonly TaskPlace[]): Promise<ReadonlyMap<TaskId, Beside>> {
  if (places.length === 0) return new Map();
  const ids = pageOf(places);
  const [links, rows] = await Promise.all([linksAmong(q, ids), usageByTask(q, ids)]); // one way to the store and back
  const usage = new Map(rows.map((row) => [row.task_id, row]));
  const beside = new Map<TaskId, Beside>();
  for (const { id, skills } of places) {
    const linked = links.get(id);
    const used = usage.get(id);
    if (skills.length === 0 && linked === undefined && used === undefined) continue;
    beside.set(id, {
      skills: inner(skills),
      ignored_parents: inner(linked?.ignored ?? []),
      parents: inner(linked?.parents ?? []),
      children: inner(linked?.children ?? []),
      usage: inner(toUsage(used)),
    });
  }
  return beside;
}

/** A field of a task in an array: its further lines stand four columns further right. */
const inner = (value: unknown): string => JSON.stringify(value, null, 2).replaceAll("\n", "\n    ");

function moreOf(page: readonly TaskPlace[], beside: ReadonlyMap<TaskId, Beside>): ReadonlyMap<TaskId, Beside> {
  const found = page.map(({ id }) => [id, beside.get(id)] as const);
  return new Map(found.filter((entry): entry is readonly [TaskId, Beside] => entry[1] !== undefined));
}

function selectOf(filter: ListFilter): TaskSelect {
  const by = filter.sort ?? "priority-desc";
  return {
    statuses: statusesOf(filter),
    where: whereOf(filter),
    order: ORDERS[by],
    indexed: by === "priority-desc",
    limit: filter.limit,
  };
}

/** The database folds the case of ASCII letters alone. */
const isWide = (search = ""): boolean => /[^\u0000-\u007f]/.test(search);

function searched<Row extends TaskRow & TaskExtras>(
  rows: readonly Row[],
  { search, limit }: ListFilter,
): readonly Row[] {
  if (search === undefined || !isWide(search)) return rows;
  const wanted = search.toLowerCase();
  const hits = rows.filter((row) =>
    [row.title, row.body, row.result].some((text) => text?.toLowerCase().includes(wanted) === true),
  );
  return hits.slice(0, limit);
}

function statusesOf({ status = [], archived }: ListFilter): readonly Status[] {
  if (status.length > 0) return [...new Set(status)];
  return archived === true ? STATUSES : STATUSES.filter((one) => one !== "archived");
}

function whereOf(filter: ListFilter): { sql: string; args: (string | number)[] }[] {
  const like =
    filter.search === undefined || isWide(filter.search)
      ? undefined
      : `%${filter.search.toLowerCase().replace(/[\\%_]/g, (c) => `\\${c}`)}%`;
  return [
    ...(filter.assignee === undefined ? [] : [{ sql: "t.assignee = ?", args: [filter.assignee.trim().toLowerCase()] }]),
    ...(filter.tenant === undefined ? [] : [{ sql: "t.tenant = ?", args: [filter.tenant] }]),
    ...(filter.session === undefined ? [] : [{ sql: "t.session_id = ?", args: [filter.session] }]),
    ...(like === undefined ? [] : [{ sql: SEARCH, args: [like, like, like, like] }]),
  ];
}

const SEARCH = `(lower(t.title) LIKE ? ESCAPE '\\' OR lower(t.id) LIKE ? ESCAPE '\\' OR lower(COALESCE(x.body, '')) LIKE ? ESCAPE '\\'
  OR lower(COALESCE(x.result, '')) LIKE ? ESCAPE '\\')`;
