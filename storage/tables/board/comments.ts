import type { TaskId, UnixSeconds } from "../../../lib/base/units.js";
import type { Comment } from "../../../lib/contracts/board/board.js";
import type { Query, Tx } from "../../store.js";

/** Store a comment; its id. */
export async function addComment(tx: Tx, comment: Omit<Comment, "id">): Promise<number> {
  const [row] = await tx.all<{ id: number }>(
    "INSERT INTO comments (task_id, author, author_kind, created_at) VALUES (?, ?, ?, ?) RETURNING id",
    [comment.task_id, comment.author, comment.author_kind, comment.created_at],
  );
  if (row === undefined) throw new Error("an inserted comment has an id");
  await tx.run("INSERT INTO comment_texts (comment_id, text) VALUES (?, ?)", [row.id, comment.text]);
  return row.id;
}

/** Comments of a task, oldest first. */
export async function commentsOf(q: Query, task: TaskId): Promise<Comment[]> {
  return q.all<Comment>(
    `SELECT c.id, c.task_id, c.author, c.author_kind, x.text, c.created_at FROM comments c JOIN comment_texts x ON x.comment_id = c.id
     WHERE c.task_id = ? ORDER BY c.id`,
    [task],
  );
}

export interface AttachmentRow {
  readonly id: number;
  readonly task_id: TaskId;
  readonly filename: string;
  readonly stored_path: string;
  readonly content_type: string;
  readonly size: number;
  readonly sha256: string;
  readonly uploaded_by: string;
  readonly run_id: number | null;
  readonly created_at: UnixSeconds;
}

/** Attachments of a task, oldest first. */
export async function attachmentsOf(q: Query, task: TaskId): Promise<AttachmentRow[]> {
  return q.all<AttachmentRow>("SELECT * FROM attachments WHERE task_id = ? ORDER BY id", [task]);
}

/** One attachment, or undefined. */
export async function getAttachment(q: Query, id: number): Promise<AttachmentRow | undefined> {
  return q.get<AttachmentRow>("SELECT * FROM attachments WHERE id = ?", [id]);
}

/** Remove an attachment. False: it did not exist. */
export async function dropAttachment(tx: Tx, id: number): Promise<boolean> {
  return (await tx.run("DELETE FROM attachments WHERE id = ?", [id])) === 1;
}

/** Store an attachment; its id. */
export async function addAttachment(tx: Tx, file: Omit<AttachmentRow, "id">): Promise<number> {
  const [row] = await tx.all<{ id: number }>(
    `INSERT INTO attachments (task_id, filename, stored_path, content_type, size, sha256, uploaded_by, run_id, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
    [
      file.task_id,
      file.filename,
      file.stored_path,
      file.content_type,
      file.size,
      file.sha256,
      file.uploaded_by,
      file.run_id,
      file.created_at,
    ],
  );
  if (row === undefined) throw new Error("an inserted attachment has an id");
  return row.id;
}

/** Bytes of all attachments of the board. */
export async function attachedBytes(q: Query): Promise<number> {
  const row = await q.get<{ bytes: number | null }>("SELECT SUM(size) AS bytes FROM attachments");
  return row?.bytes ?? 0;
}
