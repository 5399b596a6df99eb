import {
  addLink,
  heedParent,
  isHeeded,
  parentCount,
  reaches,
  removeLink,
  unsettledParents,
} from "../../../storage/tables/board/links.js";
import { existing } from "../../../storage/tables/board/tasks.js";
import { AppError } from "../../base/errors.js";
import { type BoardSlug, type TaskId, toUnix } from "../../base/units.js";
import type { Changed, TaskLink } from "../../contracts/board/api.js";
import type { Actor, Comment, Task } from "../../contracts/board/board.js";
import { appendTaskEvent, type Core, mustTask, mustView, RESET, TASKS_HINT, toStamp } from "../core/core.js";
import { requireClaim } from "../core/fence.js";
import { mayExtend } from "../core/rules.js";
import { changeStatus, updateTaskColumns } from "../core/states.js";
import { checkTexts } from "../core/texts.js";
import { checkActor, checkVerb } from "../core/verbs.js";
import { storeComment } from "./block-schedule.js";
import { assigneeWarnings, parseAssignee } from "./draft.js";
import { promoteIfFree } from "./promotion.js";

const MAX_PARENTS = 100;

interface Pair {
  readonly parent: TaskId;
  readonly child: TaskId;
}

/** Make `parent` a parent of `child` (board part, 4.2). An existing link is a success without event. */
export async function link(core: Core, board: BoardSlug, { parent, child }: Pair, by: Actor): Promise<TaskLink> {
  if (parent === child) throw new AppError("E_SELF_LINK", "a task cannot depend on itself");
  const store = await core.reading(board);
  if (store === undefined) throw unknownTasks([parent, child]);
  const stamp = toStamp(core, by);
  return store.write("board.link", async (tx) => {
    if (by.kind === "worker") mayExtend(core, (await requireClaim(tx, core, by.claim)).run.profile, "kanban_link");
    const known = await existing(tx, [parent, child]);
    const unknown = [parent, child].filter((id) => !known.has(id));
    if (unknown.length > 0) throw unknownTasks(unknown);
    const task = await mustTask(tx, child);
    if (await isHeeded(tx, parent, child))
      return { parent_id: parent, child_id: child, child: await mustView(tx, child), added: false };
    checkVerb("link", task);
    if (await reaches(tx, child, parent))
      throw new AppError("E_CYCLE", `linking ${parent} -> ${child} would create a cycle`);
    const added = await addLink(tx, parent, child);
    await heedParent(tx, parent, child);
    if (added && (await parentCount(tx, child)) > MAX_PARENTS)
      throw new AppError("E_TOO_LARGE", `${child} already has ${MAX_PARENTS} parents`);
    if (added) {
      await updateTaskColumns(tx, task, stamp.at);
      appendTaskEvent(tx, stamp, { kind: "linked", task: child }, { parent, child });
    }
    if (task.status === "ready" && (await unsettledParents(tx, child)).length > 0) {
      await changeStatus(tx, task, "parent opened", {
        ...stamp,
        facts: { open: true },
        payload: { status: "todo", reason: "parent_linked", parent },
      });
    }
    return { parent_id: parent, child_id: child, child: await mustView(tx, child), added };
  });
}

const unknownTasks = (ids: readonly string[]) =>
  new AppError("E_NOT_FOUND", `unknown task(s): ${ids.join(", ")}`, { ids, hint: TASKS_HINT });

/** Remove a link; a child that nothing else holds back is promoted in the same transaction. */
export async function unlink(core: Core, board: BoardSlug, { parent, child }: Pair, by: Actor): Promise<TaskLink> {
  checkActor("link", child, by);
  const missing = () => new AppError("E_NOT_FOUND", `No such link: ${parent} -> ${child}`, { parent, child });
  const store = await core.reading(board);
  if (store === undefined) throw missing();
  const stamp = toStamp(core, by);
  return store.write("board.unlink", async (tx) => {
    if (!(await removeLink(tx, parent, child))) throw missing();
    const task = await mustTask(tx, child);
    await updateTaskColumns(tx, task, stamp.at);
    appendTaskEvent(tx, stamp, { kind: "unlinked", task: child }, { parent, child });
    if (task.status === "todo" && task.hold === 0) await promoteIfFree(tx, child, stamp);
    return { parent_id: parent, child_id: child, child: await mustView(tx, child), added: false };
  });
}

/** Set or clear the assignee. Another assignee starts with a clean slate; the present name changes nothing. */
export async function assign(
  core: Core,
  at: { board: BoardSlug; id: TaskId },
  given: string | null,
  by: Actor,
): Promise<Changed> {
  checkActor("assign", at.id, by);
  const assignee = given === null ? null : parseAssignee(given);
  const store = await core.store(at.board, at.id);
  const stamp = toStamp(core, by);
  const warningsFor = await assigneeWarnings(core, assignee);
  return store.write("board.assign", async (tx) => {
    const task = await mustTask(tx, at.id);
    checkVerb("assign", task);
    const warnings = warningsFor(task.external === 1);
    if (task.assignee === assignee) return { task: await mustView(tx, task.id), warnings };
    await updateTaskColumns(tx, task, stamp.at, { ...RESET, assignee });
    appendTaskEvent(tx, stamp, { kind: "assigned", task: task.id }, { assignee, previous: task.assignee });
    return { task: await mustView(tx, task.id), warnings };
  });
}

/** Comment on a task. The author is the actor; no argument chooses it. */
export async function commentOnTask(
  core: Core,
  at: { board: BoardSlug; id: TaskId },
  given: string,
  by: Actor,
): Promise<{ task: Task; comment: Comment }> {
  const text = by.kind === "worker" ? core.redact(given) : given;
  if (text.trim() === "") throw new AppError("E_INVALID", "missing comment text");
  checkTexts({ comment: text });
  const store = await core.store(at.board, at.id);
  const caller = toStamp(core, by);
  return store.write("board.comment", async (tx) => {
    // A worker does not choose its name: it is the profile that its run was claimed for.
    const stamp =
      by.kind === "worker" ? { ...caller, name: (await requireClaim(tx, core, by.claim)).run.profile } : caller;
    const task = await mustTask(tx, at.id);
    const id = await storeComment(tx, task.id, text, stamp);
    const made: Comment = {
      id,
      task_id: task.id,
      author: stamp.name,
      author_kind: stamp.actor,
      text,
      created_at: toUnix(stamp.at),
    };
    return { task: await mustView(tx, task.id), comment: made };
  });
}
