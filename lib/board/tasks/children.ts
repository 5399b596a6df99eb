import type { Query } from "../../../storage/store.js";
import { unsettledParents } from "../../../storage/tables/board/links.js";
import type { TaskRow } from "../../../storage/tables/board/rows.js";
import { heldChildren } from "../../../storage/tables/board/tasks.js";
import type { BoardSlug, TaskId } from "../../base/units.js";
import type { Actor } from "../../contracts/board/board.js";
import type { ReleasedChildren } from "../../contracts/board/records.js";
import { appendTaskEvent, type Core, mustTask, mustView, toStamp } from "../core/core.js";
import { updateTaskColumns } from "../core/states.js";
import { checkActor } from "../core/verbs.js";
import { promoteIn } from "./promote-reopen.js";

/** Let the held children of a decomposition go (board part, 10.2): those that wait for nothing else are ready, the others follow their parents. */
export async function promoteHeldChildren(
  core: Core,
  at: { board: BoardSlug; id: TaskId },
  params: { readonly reason?: string | undefined; readonly dryRun?: boolean | undefined },
  by: Actor,
): Promise<ReleasedChildren> {
  checkActor("promote", at.id, by);
  const store = await core.store(at.board, at.id);
  if (params.dryRun === true) {
    return store.read(async (q) => {
      const { held, free } = await look(q, at.id);
      return { task: await mustView(q, at.id), released: held.map(idOf), promoted: free.map(idOf) };
    });
  }
  const stamp = toStamp(core, by);
  return store.write("board.promote-children", async (tx) => {
    const { held, free } = await look(tx, at.id);
    for (const child of held) {
      if (free.includes(child)) {
        await promoteIn(tx, child, { reason: params.reason }, stamp);
        continue;
      }
      await updateTaskColumns(tx, child, stamp.at, { hold: 0 });
      appendTaskEvent(tx, stamp, { kind: "edited", task: child.id }, { fields: ["hold"] });
    }
    return { task: await mustView(tx, at.id), released: held.map(idOf), promoted: free.map(idOf) };
  });
}

const idOf = (task: TaskRow): TaskId => task.id;

async function look(q: Query, root: TaskId): Promise<{ held: readonly TaskRow[]; free: readonly TaskRow[] }> {
  await mustTask(q, root);
  const held = await heldChildren(q, root);
  const free: TaskRow[] = [];
  for (const child of held) if ((await unsettledParents(q, child.id)).length === 0) free.push(child);
  return { held, free };
}
