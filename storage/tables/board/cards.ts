import type { TaskId, UnixSeconds } from "../../../lib/base/units.js";
import type { Query } from "../../store.js";

/** Tasks whose cards are shown: nothing is read of the others, however many there are. */
type Ids = readonly string[];

const among = (column: string): string => `${column} IN (SELECT value FROM json_each(?))`;

/** In which order the tasks were made. */
export const orderMade = (q: Query, ids: Ids): Promise<{ id: TaskId; made: number }[]> =>
  q.all(`SELECT id, rowid AS made FROM tasks WHERE ${among("id")}`, [JSON.stringify(ids)]);

/** How many comments each task has that has any. */
export const commentCounts = (q: Query, ids: Ids): Promise<{ id: TaskId; count: number }[]> =>
  q.all(`SELECT task_id AS id, count(*) AS count FROM comments WHERE ${among("task_id")} GROUP BY task_id`, [
    JSON.stringify(ids),
  ]);

/** Beginning of the newest completed summary of each task that has one; at most `max` characters. */
export const latestSummaries = (q: Query, ids: Ids, max: number): Promise<{ id: TaskId; summary: string }[]> =>
  q.all(
    `SELECT r.task_id AS id, substr(x.summary, 1, ?) AS summary
     FROM (SELECT max(id) AS id FROM runs WHERE outcome = 'completed' AND ${among("task_id")} GROUP BY task_id) AS newest
     JOIN runs r ON r.id = newest.id JOIN run_texts x ON x.run_id = r.id WHERE x.summary IS NOT NULL`,
    [max, JSON.stringify(ids)],
  );

/** Children of each decomposed task, and how many of them are done. */
export const childProgress = (q: Query, ids: Ids): Promise<{ id: TaskId; total: number; done: number }[]> =>
  q.all(
    `SELECT decomposed_from AS id, count(*) AS total, SUM(CASE WHEN status = 'done' THEN 1 ELSE 0 END) AS done
     FROM tasks WHERE decomposed_from IS NOT NULL AND ${among("decomposed_from")} GROUP BY decomposed_from`,
    [JSON.stringify(ids)],
  );

/** Namespaces that tasks of the board have. */
export async function tenants(q: Query): Promise<string[]> {
  const rows = await q.all<{ tenant: string }>(
    "SELECT DISTINCT tenant FROM tasks WHERE tenant IS NOT NULL ORDER BY tenant",
  );
  return rows.map((row) => row.tenant);
}

/** How many tasks each assignee has in each status, and how many of these something outside works. */
export const assigneeCounts = (
  q: Query,
): Promise<{ assignee: string; status: string; count: number; external: number }[]> =>
  q.all(
    `SELECT assignee, status, count(*) AS count, SUM(external) AS external FROM tasks WHERE assignee IS NOT NULL
     GROUP BY assignee, status ORDER BY assignee, status`,
  );

/** How many tasks are in each status, of one namespace or of all. */
export const columnTotals = (q: Query, tenant: string | undefined): Promise<{ status: string; count: number }[]> =>
  tenant === undefined
    ? q.all("SELECT status, count(*) AS count FROM tasks GROUP BY status")
    : q.all("SELECT status, count(*) AS count FROM tasks WHERE tenant = ? GROUP BY status", [tenant]);

/** Since when the ready task that waits longest is ready; null without one. */
export async function readySince(q: Query): Promise<UnixSeconds | null> {
  const row = await q.get<{ at: UnixSeconds | null }>(
    `SELECT min(at) AS at FROM (
       SELECT COALESCE(max(e.created_at) / 1000, t.updated_at) AS at
       FROM tasks t LEFT JOIN events e ON e.task_id = t.id AND e.payload LIKE '%"to":"ready"%' WHERE t.status = 'ready' GROUP BY t.id, t.updated_at
     ) AS since`,
  );
  return row?.at ?? null;
}
