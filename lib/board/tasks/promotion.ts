import type { Tx } from "../../../storage/store.js";
import { promotable, promotableChildren, unsettledParents } from "../../../storage/tables/board/links.js";
import type { TaskId } from "../../base/units.js";
import type { Stamp } from "../core/core.js";
import { changeStatus } from "../core/states.js";

/** Make every waiting child of `parent` ready that nothing holds back any more. Part of the transaction that settled the parent. */
export async function promoteWaitingChildren(tx: Tx, parent: TaskId, stamp: Stamp): Promise<readonly TaskId[]> {
  return promoteEach(tx, await promotableChildren(tx, parent), stamp);
}

/** Make `task` ready if it is in todo, is not held and nothing holds it back. */
export async function promoteIfFree(tx: Tx, task: TaskId, stamp: Stamp): Promise<boolean> {
  if ((await unsettledParents(tx, task)).length > 0) return false;
  await promoteEach(tx, [task], stamp);
  return true;
}

/** Promote every task of the board that may be: the safety net of the dispatcher. */
export async function promoteBoard(tx: Tx, stamp: Stamp): Promise<readonly TaskId[]> {
  return promoteEach(tx, await promotable(tx), stamp);
}

async function promoteEach(tx: Tx, ids: readonly TaskId[], stamp: Stamp): Promise<readonly TaskId[]> {
  for (const id of ids)
    await changeStatus(tx, { id, status: "todo" }, "promotion", { ...stamp, facts: { settled: true } });
  return ids;
}
