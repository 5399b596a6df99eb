import type { BoardSlug, TaskId } from "../../base/units.js";
import type { Actor } from "../../contracts/board/board.js";
import type { Reassigned, ReassignParams } from "../../contracts/board/records.js";
import {
  appendTaskEvent,
  type Core,
  checkVersion,
  mustTask,
  mustView,
  RESET,
  removeClaimFile,
  toStamp,
} from "../core/core.js";
import { updateTaskColumns } from "../core/states.js";
import { checkActor, checkVerb } from "../core/verbs.js";
import { assigneeWarnings, parseAssignee } from "./draft.js";
import { intervene } from "./interventions.js";
import { reclaimIn } from "./release.js";

/** Give a task to another assignee (board part, 4.4). A worker is stopped first, and no reader sees the task in between. */
export async function reassign(
  core: Core,
  at: { board: BoardSlug; id: TaskId },
  params: ReassignParams,
  by: Actor,
): Promise<Reassigned> {
  checkActor("reassign", at.id, by);
  const assignee = params.assignee === null ? null : parseAssignee(params.assignee);
  const stamp = toStamp(core, by);
  const warningsFor = await assigneeWarnings(core, assignee);
  let closed: number | undefined;
  const done = await intervene(core, {
    ...at,
    verb: "reassign",
    stamp,
    check: (task) => {
      checkVersion(task, params.expected_version);
      if (task.status !== "running" || params.reclaim !== true) checkVerb("reassign", task);
    },
    commit: async (tx, found) => {
      closed = found.run?.id;
      if (found.run !== undefined) await reclaimIn(tx, found, { reason: params.reason, end: "reassigned" }, stamp);
      const task = await mustTask(tx, at.id);
      checkVerb("reassign", task);
      if (task.assignee !== assignee) {
        await updateTaskColumns(tx, task, stamp.at, { ...RESET, assignee });
        appendTaskEvent(tx, stamp, { kind: "assigned", task: task.id }, { assignee, previous: task.assignee });
      }
      const warnings = warningsFor(task.external === 1);
      return { task: await mustView(tx, at.id), reclaimed: found.run !== undefined, warnings };
    },
  });
  await removeClaimFile(core, at.board, at.id, closed);
  return done;
}
