import type { TaskId, UnixSeconds } from "../../../lib/base/units.js";
import type { Comment } from "../../../lib/contracts/board/board.js";
import type { Query } from "../../store.js";

/** Newest comments of people on a task, oldest of them first. */
export async function humanComments(q: Query, task: TaskId, limit: number): Promise<Comment[]> {
  const rows = await q.all<Comment>(
    `SELECT c.id, c.task_id, c.author, c.author_kind, x.text, c.created_at FROM comments c JOIN comment_texts x ON x.comment_id = c.id
     WHERE c.task_id = ? AND c.author_kind = 'human' ORDER BY c.id DESC LIMIT ?`,
    [task, limit],
  );
  return rows.reverse();
}

/** A triage task as the automatic decomposer looks at it. */
export interface TriageRow {
  readonly id: TaskId;
  readonly assignee: string | null;
  readonly priority: number;
  readonly created_at: UnixSeconds;
  readonly decompose_attempts: number;
  readonly decompose_next_at: UnixSeconds | null;
  readonly updated_at: UnixSeconds;
  /** When it was last commented on. */
  readonly commented_at: UnixSeconds | null;
}

/** Triage tasks that may be decomposed by themselves, the most promising first. */
export async function triageTasks(q: Query, maxAttempts: number): Promise<TriageRow[]> {
  return q.all<TriageRow>(
    `SELECT t.id, t.assignee, t.priority, t.created_at, t.decompose_attempts, t.decompose_next_at, t.updated_at,
       (SELECT max(c.created_at) FROM comments c WHERE c.task_id = t.id) AS commented_at
     FROM tasks t WHERE t.status = 'triage' AND t.auto_decompose = 1 AND t.external = 0 AND t.decompose_attempts < ?
     ORDER BY t.decompose_attempts, t.priority DESC, t.created_at, t.id LIMIT 1000`,
    [maxAttempts],
  );
}
