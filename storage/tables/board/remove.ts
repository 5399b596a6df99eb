import type { TaskId } from "../../../lib/base/units.js";
import type { Tx } from "../../store.js";
import { forgetDeliveries } from "./subscriptions.js";

const OF_TASK = [
  "DELETE FROM links WHERE parent_id = ? OR child_id = ?",
  "DELETE FROM comment_texts WHERE comment_id IN (SELECT id FROM comments WHERE task_id = ?)",
  "DELETE FROM comments WHERE task_id = ?",
  "DELETE FROM run_texts WHERE run_id IN (SELECT id FROM runs WHERE task_id = ?)",
  "DELETE FROM runs WHERE task_id = ?",
  "DELETE FROM attachments WHERE task_id = ?",
  "DELETE FROM events WHERE task_id = ?",
  "DELETE FROM task_texts WHERE task_id = ?",
  "DELETE FROM tasks WHERE id = ?",
] as const;

/** Delete a task with every row that belongs to it. A table that holds rows of tasks has its statement here. */
export async function deleteTask(tx: Tx, id: TaskId): Promise<void> {
  await forgetDeliveries(tx, id);
  for (const sql of OF_TASK) await tx.run(sql, sql.includes("child_id") ? [id, id] : [id]);
}
