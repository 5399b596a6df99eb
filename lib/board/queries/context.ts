import type { Query } from "../../../storage/store.js";
import { attachmentsOf, commentsOf } from "../../../storage/tables/board/comments.js";
import type { RunRow, RunTexts } from "../../../storage/tables/board/rows.js";
import { toRun } from "../../../storage/tables/board/rows.js";
import { latestCompleted, runsOf, workOf } from "../../../storage/tables/board/runs.js";
import type { BoardSlug, TaskId } from "../../base/units.js";
import type { Run, Task } from "../../contracts/board/board.js";
import { type Core, mustView, unknownTask } from "../core/core.js";
import { failureLimit } from "../core/judge.js";
import { terminalTimeout } from "../worker-process/worker-env.js";
import { type ContextParts, type ParentPart, renderContext, SHOWN } from "./context-text.js";

/** What a worker needs to know about its task, as markdown (board part, 18). */
export async function context(core: Core, board: BoardSlug, id: TaskId): Promise<string> {
  const store = await core.reading(board);
  if (store === undefined) throw unknownTask(id);
  const parts = await store.read((q) => gather(q, core, board, id));
  return renderContext(parts);
}

async function gather(q: Query, core: Core, board: BoardSlug, id: TaskId): Promise<ContextParts> {
  const task = await mustView(q, id);
  const root = task.decomposed_from === null ? undefined : await mustView(q, task.decomposed_from);
  const closed = (await runsOf(q, id)).map(toRun).filter((run) => run.ended_at !== null);
  const comments = await commentsOf(q, id);
  return {
    task,
    limit: failureLimit(core.config, task).limit,
    terminalTimeout: terminalTimeout(task),
    attachments: await filesOf(q, core, board, task.id),
    rootFiles: root === undefined ? [] : await filesOf(q, core, board, root.id),
    attempts: closed.slice(-SHOWN.attempts),
    older: Math.max(0, closed.length - SHOWN.attempts),
    parents: await parentsOf(q, core, board, task),
    root,
    recent: task.assignee === null ? [] : await workOf(q, task.assignee, task.id, 5),
    comments: comments.slice(-SHOWN.comments),
    hiddenComments: Math.max(0, comments.length - SHOWN.comments),
  };
}

async function filesOf(q: Query, core: Core, board: BoardSlug, id: TaskId) {
  const root = core.places(board).attachments;
  return (await attachmentsOf(q, id)).map((file) => ({ ...file, path: `${root}/${file.stored_path}` }));
}

/** Settled parents that were done, by id (board part, 3.2): others hold the task back and have no result that counts. */
async function parentsOf(q: Query, core: Core, board: BoardSlug, task: Task): Promise<readonly ParentPart[]> {
  const found: ParentPart[] = [];
  for (const id of task.parents.toSorted((a, b) => (a < b ? -1 : 1))) {
    const parent = await mustView(q, id);
    if (!wasDone(parent, task.ignored_parents.includes(id))) continue;
    const run = await latestCompleted(q, id);
    const files = (await filesOf(q, core, board, id)).filter((file) => file.run_id !== null); // attachments of people are not results
    found.push({
      task: parent,
      summary: run?.summary ?? parent.result,
      metadata: metadataOf(run),
      artifacts: files.map((file) => file.path),
    });
  }
  return found;
}

function wasDone({ status, verdict, archived_from }: Task, ignored: boolean): boolean {
  if (status === "archived") return archived_from === "done";
  return status === "done" && (verdict !== "rejected" || ignored);
}

const metadataOf = (run: (RunRow & RunTexts) | undefined): Run["metadata"] =>
  run === undefined ? null : toRun(run).metadata;
