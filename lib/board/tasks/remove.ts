import { join } from "node:path";
import type { Tx } from "../../../storage/store.js";
import { childrenOf, removeLink } from "../../../storage/tables/board/links.js";
import { deleteTask } from "../../../storage/tables/board/remove.js";
import type { TaskRow } from "../../../storage/tables/board/rows.js";
import { listDirectory } from "../../base/fs/files.js";
import { dropFile, dropFolder } from "../../base/fs/workspace-files.js";
import type { BoardSlug, TaskId } from "../../base/units.js";
import type { Actor } from "../../contracts/board/board.js";
import type { Removed, RemoveTaskParams } from "../../contracts/board/records.js";
import { appendTaskEvent, type Core, checkVersion, mustTask, type Stamp, toStamp } from "../core/core.js";
import { updateTaskColumns } from "../core/states.js";
import { checkActor, checkVerb } from "../core/verbs.js";
import { removeWorkspace } from "../workspaces/remove.js";
import { intervene } from "./interventions.js";
import { promoteIfFree } from "./promotion.js";

interface At {
  readonly board: BoardSlug;
  readonly id: TaskId;
}

/** Delete a task with everything that belongs to it (board part, 4.9). The rows go in one transaction, then the files. */
export async function remove(core: Core, at: At, params: RemoveTaskParams, by: Actor): Promise<Removed> {
  checkActor("delete", at.id, by);
  const stamp = toStamp(core, by);
  const check = (task: TaskRow) => {
    checkVersion(task, params.expected_version);
    if (params.any !== true) checkVerb("delete", task);
  };
  const { gone, released } = await intervene(core, {
    ...at,
    verb: "delete",
    stamp,
    check,
    commit: async (tx, { task }) => {
      check(task);
      const released = await freeChildren(tx, at.id, stamp);
      await deleteTask(tx, at.id);
      tx.emit({ kind: "deleted", at: stamp.at, actor: stamp.actor, payload: { task_id: at.id, title: task.title } });
      return { gone: task, released };
    },
  });
  return { task_id: at.id, title: gone.title, released, kept: await dropFiles(core, at.board, gone) };
}

/** For its children a deleted task is an unlinked one. */
async function freeChildren(tx: Tx, id: TaskId, stamp: Stamp): Promise<readonly TaskId[]> {
  const children = await childrenOf(tx, id);
  for (const child of children) {
    await removeLink(tx, id, child.id);
    await updateTaskColumns(tx, child, stamp.at);
    appendTaskEvent(tx, stamp, { kind: "unlinked", task: child.id }, { parent: id, child: child.id });
  }
  const waiting = children.filter((child) => child.status === "todo").map((child) => child.id);
  const released: TaskId[] = [];
  for (const child of waiting) {
    const row = await mustTask(tx, child);
    if (row.hold === 0 && (await promoteIfFree(tx, child, stamp))) released.push(child);
  }
  return released;
}

/** Remove the files of a task that is gone; directories that were left are returned. What stays is named by doctor and removed by gc. */
async function dropFiles(core: Core, board: BoardSlug, task: TaskRow): Promise<readonly string[]> {
  const places = core.places(board);
  for (const { dir, mine } of [
    { dir: places.logs, mine: new RegExp(`^${task.id}\\.log(\\.\\d+)?$`) },
    { dir: places.runs, mine: new RegExp(`^${task.id}\\.\\d+\\.[a-z]+$`) },
  ]) {
    for (const { name } of await listDirectory(dir)) if (mine.test(name)) await dropFile(join(dir, name));
  }
  await dropFolder(join(places.attachments, task.id));
  const { path, kept } = await removeWorkspace(core, board, task, { scratch: true });
  return path === null || kept === null ? [] : [path];
}
