import type { TaskId, UnixSeconds } from "../../../lib/base/units.js";
import type { Status } from "../../../lib/contracts/board/board.js";
import type { Args, Query, Tx, Value } from "../../store.js";
import type { TaskExtras, TaskPatch, TaskRow } from "./rows.js";

/** The stored row, or undefined. */
export async function getTask(q: Query, id: string): Promise<TaskRow | undefined> {
  return q.get<TaskRow>("SELECT * FROM tasks WHERE id = ?", [id]);
}

/** The branch of the task was made for it. */
export async function isBranchMade(q: Query, id: TaskId): Promise<boolean> {
  return (await q.get<{ branch_made: number }>("SELECT branch_made FROM tasks WHERE id = ?", [id]))?.branch_made === 1;
}

/** Tasks with their texts and open runs. */
export const TASK_SOURCE =
  "FROM tasks t LEFT JOIN task_texts x ON x.task_id = t.id LEFT JOIN runs r ON r.id = t.current_run_id";
const FULL = `SELECT t.*, x.body, x.result, x.block_reason, r.worker_pid, r.claim_expires, r.last_heartbeat_at ${TASK_SOURCE}`;

/** The row with its texts and the marks of its open run. */
export async function getFull(q: Query, id: string): Promise<(TaskRow & TaskExtras) | undefined> {
  return q.get<TaskRow & TaskExtras>(`${FULL} WHERE t.id = ?`, [id]);
}

/** The task that holds a key and is not archived. */
export async function byKey(q: Query, key: string): Promise<TaskId | undefined> {
  const row = await q.get<{ id: TaskId }>("SELECT id FROM tasks WHERE idempotency_key = ? AND status <> 'archived'", [
    key,
  ]);
  return row?.id;
}

/** Ids that begin with `prefix`, at most `limit`, in order. */
export async function byPrefix(q: Query, prefix: string, limit: number): Promise<TaskId[]> {
  const after = `${prefix}g`; // hex digits end at f, so g stands after every id with this prefix
  const rows = await q.all<{ id: TaskId }>("SELECT id FROM tasks WHERE id >= ? AND id < ? ORDER BY id LIMIT ?", [
    prefix,
    after,
    limit,
  ]);
  return rows.map((row) => row.id);
}

/** Which of the ids exist. */
export async function existing(q: Query, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await q.all<{ id: string }>(`SELECT id FROM tasks WHERE id IN (${ids.map(() => "?").join(", ")})`, ids);
  return new Set(rows.map((row) => row.id));
}

/**
 * Change columns of a task that still has status `from`, and count its version up. Only `lib/board/core/states.ts` passes another status.
 *
 * @returns the task was there with that status, and was changed
 */
export async function updateTask(
  tx: Tx,
  id: TaskId,
  change: { from: Status; to: Status; patch: TaskPatch; at: UnixSeconds },
): Promise<boolean> {
  const columns = Object.entries(change.patch).filter((entry): entry is [string, Value] => entry[1] !== undefined);
  const sets = columns.map(([name]) => `${name} = ?, `).join("");
  const changed = await tx.run(
    `UPDATE tasks SET ${sets}status = ?, updated_at = ?, version = version + 1 WHERE id = ? AND status = ?`,
    [...columns.map(([, value]) => value), change.to, change.at, id, change.from],
  );
  return changed === 1;
}

/** Set or clear the texts of a task; those left out stay. */
export async function setTexts(
  tx: Tx,
  id: TaskId,
  texts: { body?: string | null; result?: string | null; block_reason?: string | null },
): Promise<void> {
  const given = Object.entries(texts).filter((entry): entry is [string, string | null] => entry[1] !== undefined);
  if (given.length === 0) return;
  const names = given.map(([name]) => name);
  await tx.run(
    `INSERT INTO task_texts (task_id, ${names.join(", ")}) VALUES (?, ${names.map(() => "?").join(", ")})
     ON CONFLICT (task_id) DO UPDATE SET ${names.map((name) => `${name} = excluded.${name}`).join(", ")}`,
    [id, ...given.map(([, value]) => value)],
  );
}

/** What `list` selects. */
export interface TaskSelect {
  readonly statuses: readonly Status[];
  readonly where: readonly { readonly sql: string; readonly args: Args }[];
  readonly order: string;
  /** The order is that of the index behind its status. */
  readonly indexed: boolean;
  readonly limit: number | undefined;
}

/** Tasks with texts and open run, as selected. A page is chosen by what the index holds, so that only its own rows are read whole. */
export async function selectTasks(q: Query, select: TaskSelect): Promise<(TaskRow & TaskExtras)[]> {
  const { order, limit } = select;
  const { chosen, args } = chosenBy(select);
  if (limit === undefined) return q.all<TaskRow & TaskExtras>(`${FULL} WHERE ${chosen} ORDER BY ${order}`, args);
  const page = pageBy(select, limit);
  return q.all<TaskRow & TaskExtras>(
    `${FULL} WHERE t.rowid IN (SELECT made FROM (${page.sql}) AS page) ORDER BY ${order}`,
    page.args,
  );
}

/** What says which tasks are meant; the rest of a task is read for those of one page after the other. */
export interface TaskPlace {
  readonly id: TaskId;
  readonly made: number;
  readonly skills: readonly string[];
}

/** Links or runs may say more about a task. */
export const RELATED = `EXISTS (SELECT 1 FROM links l WHERE l.parent_id = t.id) OR EXISTS (SELECT 1 FROM links l WHERE l.child_id = t.id)
  OR EXISTS (SELECT 1 FROM runs r WHERE r.task_id = t.id)`;
/** A place as an element of a JSON array. Thousands of them are read in one piece: each value by itself takes longer than finding it. */
export const PLACE = "concat(',[', json_quote(t.id), ',', t.rowid, ',', t.skills, ']')";

/** Tasks in their order, as places alone. */
export async function selectPlaces(q: Query, select: TaskSelect): Promise<TaskPlace[]> {
  const { chosen, args } = chosenBy(select);
  const from = "FROM tasks t LEFT JOIN task_texts x ON x.task_id = t.id";
  const [limit, bound] = select.limit === undefined ? ["", args] : [" LIMIT ?", [...args, select.limit]];
  return toPlaces([
    await q.text(`SELECT ${PLACE} AS text ${from} WHERE ${chosen} ORDER BY ${select.order}${limit}`, bound),
  ]);
}

export function toPlaces(texts: readonly Uint8Array[]): TaskPlace[] {
  const rows: readonly [TaskId, number, readonly string[]][] = JSON.parse(
    `[${Buffer.concat(texts).toString("utf8").slice(1)}]`,
  ); // as selected
  return rows.map(([id, made, skills]) => ({ id, made, skills }));
}

function chosenBy({ statuses, where }: TaskSelect): { chosen: string; args: Value[] } {
  const chosen = [`t.status IN (${marks(statuses)})`, ...where.map((part) => part.sql)].join(" AND ");
  return { chosen, args: [...statuses, ...where.flatMap((part) => part.args)] };
}

const marks = (values: readonly unknown[]): string => values.map(() => "?").join(", ");

/**
 * Rowids of the first tasks. In the order of the index they are among the first of each status, which stand there in order: a large board costs
 * no more than a small one.
 */
export function pageBy(select: TaskSelect, limit: number): { sql: string; args: Value[] } {
  const { statuses, where, order } = select;
  const from = "FROM tasks t LEFT JOIN task_texts x ON x.task_id = t.id";
  if (!select.indexed) {
    const { chosen, args } = chosenBy(select);
    return { sql: `SELECT t.rowid AS made ${from} WHERE ${chosen} ORDER BY ${order} LIMIT ?`, args: [...args, limit] };
  }
  const more = where.map((part) => ` AND ${part.sql}`).join("");
  const args = where.flatMap((part) => part.args);
  const first = `SELECT * FROM (SELECT t.priority, t.created_at, t.rowid AS made ${from}
    WHERE t.status = ?${more} ORDER BY t.priority DESC, t.created_at, t.rowid LIMIT ?) AS first`;
  return {
    sql: `SELECT made FROM (${statuses.map(() => first).join(" UNION ALL ")}) AS t ORDER BY priority DESC, created_at, made LIMIT ?`,
    args: [...statuses.flatMap((status) => [status, ...args, limit]), limit],
  };
}

/** How many tasks each assignee has in each status. */
export async function counts(q: Query): Promise<{ status: Status; assignee: string | null; count: number }[]> {
  return q.all("SELECT status, assignee, count(*) AS count FROM tasks GROUP BY status, assignee");
}

/** How many tasks are in each status. */
export async function statusCounts(q: Query): Promise<{ status: Status; count: number }[]> {
  return q.all("SELECT status, count(*) AS count FROM tasks GROUP BY status");
}

/** Tasks made by one run. */
export async function createdBy(q: Query, run: number): Promise<number> {
  const row = await q.get<{ count: number }>("SELECT count(*) AS count FROM tasks WHERE created_run_id = ?", [run]);
  return row?.count ?? 0;
}

/** Scratch workspaces that tasks have, by task. */
export async function scratchPaths(q: Query): Promise<{ id: TaskId; path: string }[]> {
  return q.all(
    "SELECT id, workspace_path AS path FROM tasks WHERE workspace_kind = 'scratch' AND workspace_path IS NOT NULL ORDER BY id",
  );
}

/** The workspace of a task lies somewhere else now; nothing of the task changed. */
export async function moveScratch(tx: Tx, id: TaskId, path: string): Promise<void> {
  await tx.run("UPDATE tasks SET workspace_path = ? WHERE id = ?", [path, id]);
}

/** Children of a decomposition that wait in `todo` because they are held. */
export async function heldChildren(q: Query, root: TaskId): Promise<TaskRow[]> {
  return q.all<TaskRow>(
    "SELECT * FROM tasks WHERE decomposed_from = ? AND status = 'todo' AND hold = 1 ORDER BY created_at, id",
    [root],
  );
}
