import type { Query } from "../../../storage/store.js";
import { linksAmong, type Parent, unsettledOf } from "../../../storage/tables/board/links.js";
import { type TaskExtras, type TaskRow, toTask, toUsage } from "../../../storage/tables/board/rows.js";
import { usageByTask } from "../../../storage/tables/board/runs.js";
import type { TaskId } from "../../base/units.js";
import type { ListedTask } from "../../contracts/board/api.js";
import type { Task } from "../../contracts/board/board.js";
import { waitNote } from "../explain/note.js";

/** Rows with their links and usage. */
export async function tasksOf(q: Query, rows: readonly (TaskRow & TaskExtras)[]): Promise<readonly Task[]> {
  if (rows.length === 0) return [];
  const ids = pageOf(rows);
  const [links, used] = await Promise.all([linksAmong(q, ids), usageByTask(q, ids)]); // one way to the store and back
  const usage = new Map(used.map((row) => [row.task_id, row]));
  return rows.map((row) =>
    toTask(row, links.get(row.id) ?? { parents: [], children: [], ignored: [] }, toUsage(usage.get(row.id))),
  );
}

/** What belongs to a page is asked for by its ids; for more than that one look over the whole board costs less. */
export const pageOf = (rows: readonly { readonly id: string }[]): readonly string[] | undefined =>
  rows.length <= PAGE ? rows.map((row) => row.id) : undefined;
const PAGE = 500;

/** Parents that each of these tasks waits for. */
export async function waitsOf(q: Query, ids: readonly TaskId[]): Promise<ReadonlyMap<TaskId, readonly TaskId[]>> {
  const waits = new Map<TaskId, TaskId[]>();
  for (const { child, id } of await unsettledOf(q, ids)) waits.set(child, [...(waits.get(child) ?? []), id]);
  return waits;
}

/** Tasks with what they wait for. */
export async function withWaits(q: Query, tasks: readonly Task[], now: number): Promise<readonly ListedTask[]> {
  const waits = new Map<TaskId, Parent[]>();
  for (const parent of await unsettledOf(q, pageOf(tasks)))
    waits.set(parent.child, [...(waits.get(parent.child) ?? []), parent]);
  return tasks.map((task) => {
    const parents = waits.get(task.id) ?? [];
    return { task, waits_for: parents.map((parent) => parent.id), wait_note: waitNote(task, parents, now) };
  });
}
