import type { TaskId, UnixSeconds } from "../../../lib/base/units.js";
import type { Status } from "../../../lib/contracts/board/board.js";
import type { CardPlace } from "../../../lib/contracts/board/screen.js";
import type { Query, Value } from "../../store.js";

/** What a card needs of its task, of its texts and of its open run. */
export interface SlimRow {
  readonly id: TaskId;
  readonly title: string;
  readonly status: Status;
  readonly assignee: string | null;
  readonly priority: number;
  readonly tenant: string | null;
  readonly created_at: UnixSeconds;
  readonly made: number;
  readonly completed_at: UnixSeconds | null;
  readonly archived_at: UnixSeconds | null;
  readonly hold: number;
  readonly not_before: UnixSeconds | null;
  readonly scheduled_at: UnixSeconds | null;
  readonly block_reason: string | null;
  readonly run_id: number | null;
  readonly run_since: UnixSeconds | null;
  readonly beat: UnixSeconds | null;
  readonly version: number;
}

const REASON_CHARS = 200;

const SLIM = `SELECT t.id, t.title, t.status, t.assignee, t.priority, t.tenant, t.created_at, t.rowid AS made, t.completed_at, t.archived_at,
  t.hold, t.not_before, t.scheduled_at, substr(x.block_reason, 1, ${REASON_CHARS}) AS block_reason, t.current_run_id AS run_id,
  r.started_at AS run_since, r.last_heartbeat_at AS beat, t.version
  FROM tasks t LEFT JOIN task_texts x ON x.task_id = t.id LEFT JOIN runs r ON r.id = t.current_run_id`;

const ENDED: Partial<Record<Status, string>> = { done: "t.completed_at", archived: "t.archived_at" };

/** The next cards of one column, behind `after`. */
export async function slimColumn(
  q: Query,
  status: Status,
  { after, limit }: { after: CardPlace | undefined; limit: number },
): Promise<SlimRow[]> {
  const ended = ENDED[status];
  const order =
    ended === undefined ? "t.priority DESC, t.created_at, t.rowid" : `COALESCE(${ended}, 0) DESC, t.rowid DESC`;
  const behind = after === undefined ? { sql: "", args: [] } : behindOf(ended, after);
  return q.all<SlimRow>(`${SLIM} WHERE t.status = ?${behind.sql} ORDER BY ${order} LIMIT ?`, [
    status,
    ...behind.args,
    limit,
  ]);
}

function behindOf(ended: string | undefined, after: CardPlace): { sql: string; args: Value[] } {
  if (ended !== undefined) {
    const at = `COALESCE(${ended}, 0)`;
    return {
      sql: ` AND (${at} < ? OR (${at} = ? AND t.rowid < ?))`,
      args: [after.ended_at, after.ended_at, after.made],
    };
  }
  return {
    sql: " AND t.priority <= ? AND (t.priority < ? OR t.created_at > ? OR (t.created_at = ? AND t.rowid > ?))",
    args: [after.priority, after.priority, after.created_at, after.created_at, after.made],
  };
}

const marks = (values: readonly unknown[]): string => values.map(() => "?").join(", ");

/** The cards of these tasks, in no order. */
export const slimOf = (q: Query, ids: readonly string[]): Promise<SlimRow[]> =>
  ids.length === 0 ? Promise.resolve([]) : q.all<SlimRow>(`${SLIM} WHERE t.id IN (${marks(ids)})`, ids);

/** Children that wait for these tasks, and the roots of the decompositions that they belong to. */
export async function besideOf(q: Query, ids: readonly string[]): Promise<TaskId[]> {
  if (ids.length === 0) return [];
  const rows = await q.all<{ id: TaskId }>(
    `SELECT t.id FROM links l JOIN tasks t ON t.id = l.child_id WHERE l.parent_id IN (${marks(ids)}) AND t.status = 'todo'
     UNION SELECT decomposed_from AS id FROM tasks WHERE id IN (${marks(ids)}) AND decomposed_from IS NOT NULL`,
    [...ids, ...ids],
  );
  return rows.map((row) => row.id);
}

/** When these tasks came into the status that they have, in milliseconds, as far as the events tell. */
export const statusSince = (q: Query, ids: readonly string[]): Promise<{ id: TaskId; at: number }[]> =>
  q.all(
    `SELECT e.task_id AS id, max(e.created_at) AS at FROM events e JOIN tasks t ON t.id = e.task_id
     WHERE e.task_id IN (SELECT value FROM json_each(?)) AND e.payload LIKE '%"to":"' || t.status || '"%' GROUP BY e.task_id`,
    [JSON.stringify(ids)],
  );
