import type { Tx } from "../../../storage/store.js";
import { insertTask } from "../../../storage/tables/board/born.js";
import { addLink, unsettledParents } from "../../../storage/tables/board/links.js";
import type { TaskRow } from "../../../storage/tables/board/rows.js";
import { existing, setTexts } from "../../../storage/tables/board/tasks.js";
import { assert } from "../../base/errors.js";
import { type TaskId, toUnix } from "../../base/units.js";
import { appendTaskEvent, type Core, type Stamp } from "../core/core.js";
import { initialStatus } from "../core/states.js";

/** A task that is made together with others. */
export interface LinkedTask {
  readonly id: TaskId;
  readonly columns: Partial<Omit<TaskRow, "id" | "status" | "created_at" | "version" | "updated_at">> &
    Pick<TaskRow, "title" | "created_by">;
  readonly body: string | null;
  /** Made before it in the same transaction, or there already. */
  readonly parents: readonly TaskId[];
  /** More members of the created event. */
  readonly more?: Readonly<Record<string, unknown>>;
  /** Born waiting even when nothing holds it: its promotion is an event of its own. */
  readonly waits?: boolean;
  /** Write an event for each link too. */
  readonly tellLinks?: boolean;
}

/** Make a task with its links; the status follows from its parents. */
export async function insertLinkedTask(tx: Tx, birth: LinkedTask, stamp: Stamp): Promise<void> {
  const { id, columns, parents } = birth;
  for (const parent of parents) await addLink(tx, parent, id);
  const open = birth.waits === true || (await unsettledParents(tx, id)).length > 0;
  const status = initialStatus({ open, settled: !open });
  const { sql, args } = insertTask({ id, status, created_at: toUnix(stamp.at), ...columns });
  assert((await tx.run(sql, args)) === 1, "the id was looked for in this transaction");
  if (birth.body !== null) await setTexts(tx, id, { body: birth.body });
  const payload = {
    assignee: columns.assignee ?? null,
    status,
    parents,
    tenant: columns.tenant ?? null,
    branch_name: columns.branch_name ?? null,
    skills: JSON.parse(columns.skills ?? "[]") as string[], // written by the board as a JSON array of strings
    goal_mode: columns.goal_mode === 1,
    ...birth.more,
    from: null,
    to: status,
  };
  appendTaskEvent(tx, stamp, { kind: "created", task: id }, payload);
  if (birth.tellLinks === true)
    for (const parent of parents) appendTaskEvent(tx, stamp, { kind: "linked", task: id }, { parent, child: id });
}

/**
 * So many different ids, drawn before the transaction that uses them. In order: tasks of one second are listed and started by id, and so they
 * keep the order in which they were planned.
 */
export function drawIds(core: Pick<Core, "ids">, count: number): readonly TaskId[] {
  const ids = new Set<TaskId>();
  for (let draws = 0; ids.size < count; draws++) {
    assert(draws < count + 100, "ids are drawn from 2^32, so they differ");
    ids.add(core.ids.task());
  }
  return [...ids].toSorted();
}

/** One of the ids belongs to a task already. */
export async function isAnyIdTaken(tx: Tx, ids: readonly TaskId[]): Promise<boolean> {
  return (await existing(tx, ids)).size > 0;
}
