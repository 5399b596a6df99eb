import type { Query } from "../../storage/store.js";
import { attachmentsOf, commentsOf } from "../../storage/tables/board-comments.js";
import type { RunRow, RunTexts } from "../../storage/tables/board-rows.js";
import { toRun } from "../../storage/tables/board-rows.js";
import { latestCompleted, runsOf, workOf } from "../../storage/tables/board-runs.js";
import type { BoardSlug, TaskId } from "../base/units.js";
import type { Run, Task } from "../proto/board.js";
import { type ContextParts, type ParentPart, renderContext } from "./context-text.js";
import { type Core, mustView, unknownTask } from "./core.js";
import { failureLimit } from "./judge.js";

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
  const runs = (await runsOf(q, id)).map(toRun);
  return {
    task,
    limit: failureLimit(core.config, task).limit,
    terminalTimeout: task.max_runtime_seconds === null ? null : Math.max(1, task.max_runtime_seconds - 30),
    attachments: await filesOf(q, core, board, task.id),
    rootFiles: root === undefined ? [] : await filesOf(q, core, board, root.id),
    attempts: runs.filter((run) => run.ended_at !== null),
    parents: await parentsOf(q, core, board, task),
    root,
    recent: task.assignee === null ? [] : await workOf(q, task.assignee, task.id, 5),
    comments: await commentsOf(q, id),
  };
}

async function filesOf(q: Query, core: Core, board: BoardSlug, id: TaskId) {
  const root = core.places(board).attachments;
  return (await attachmentsOf(q, id)).map((file) => ({ ...file, path: `${root}/${file.stored_path}` }));
}

/** Parents that are done; others do not hold the task back and have no result. */
async function parentsOf(q: Query, core: Core, board: BoardSlug, task: Task): Promise<readonly ParentPart[]> {
  const found: ParentPart[] = [];
  for (const id of task.parents) {
    const parent = await mustView(q, id);
    if (parent.status !== "done") continue;
    const run = await latestCompleted(q, id);
    const files = await filesOf(q, core, board, id);
    found.push({
      task: parent,
      summary: run?.summary ?? parent.result,
      metadata: metadataOf(run),
      artifacts: files.map((file) => file.path),
    });
  }
  return found;
}

const metadataOf = (run: (RunRow & RunTexts) | undefined): Run["metadata"] => (run === undefined ? null : toRun(run).metadata);
