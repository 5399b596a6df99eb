import type { Tx } from "../../../storage/store.js";
import type { RunRow, RunTexts, TaskExtras, TaskPatch, TaskRow } from "../../../storage/tables/board/rows.js";
import { closedRun, latestCompleted, setRunTexts, setRunVerdict } from "../../../storage/tables/board/runs.js";
import { getFull, setTexts } from "../../../storage/tables/board/tasks.js";
import { AppError } from "../../base/errors.js";
import { type RunId, type TaskId, toUnix } from "../../base/units.js";
import type { Status } from "../../contracts/board/board.js";
import { appendTaskEvent, RESET, type Stamp, unknownTask } from "../core/core.js";
import { updateTaskColumns } from "../core/states.js";
import { checkVerb } from "../core/verbs.js";
import { changedSkills, type EditDraft } from "./draft-record.js";
import { promoteIfFree, promoteWaitingChildren } from "./promotion.js";
import { type TakeBack, takeBack } from "./take-back.js";

/**
 * What the status of a task allows (board part, 4.3).
 *
 * @param to Status that the same change gives the task, if it gives one
 * @throws E_STATE, E_RUNNING
 */
export function checkTaskEdit(task: TaskRow, draft: EditDraft, to?: Status): void {
  if (to === undefined) checkVerb("edit", task);
  const stays = task.status === "running" && (to === undefined || to === "running");
  const refused = [
    ...(draft.assignee === undefined ? [] : ["assignee"]),
    ...(draft.place === undefined ? [] : ["workspace"]),
  ];
  if (stays && refused.length > 0) {
    throw new AppError("E_RUNNING", `cannot edit ${refused.join(" and ")} of ${task.id}: currently running`, {
      status: task.status,
      ...(draft.assignee === undefined
        ? {}
        : { hint: `agent kanban reassign ${task.id} <profile> --reclaim stops the worker and reassigns the task` }),
    });
  }
  if (draft.place !== undefined && task.started_at !== null) {
    throw new AppError("E_STATE", `cannot change the workspace of ${task.id} after its first run`, {
      status: task.status,
    });
  }
  if (
    draft.block_reason !== undefined &&
    to === undefined &&
    task.status !== "blocked" &&
    task.status !== "scheduled"
  ) {
    throw new AppError("E_STATE", `cannot edit block_reason of ${task.id}: status is ${task.status}`, {
      status: task.status,
    });
  }
  const handoff = (["result", "summary", "metadata", "verdict"] as const).filter((name) => draft[name] !== undefined);
  if (handoff.length > 0 && (task.status !== "done" || (to !== undefined && to !== "done"))) {
    throw new AppError("E_STATE", `cannot edit ${handoff.join(", ")} of ${task.id}: status is ${to ?? task.status}`, {
      status: task.status,
    });
  }
}

export interface Changes {
  readonly fields: readonly string[];
  /** Children that wait again because of the verdict. */
  readonly demoted: readonly TaskId[];
  readonly warnings: readonly string[];
}

/** Write a draft that `checkTaskEdit` let pass, as one step of the task's version. What is so already is left out; without any change nothing is written. */
export async function applyEdit(tx: Tx, id: TaskId, draft: EditDraft, how: TakeBack): Promise<Changes> {
  const row = await getFull(tx, id);
  if (row === undefined) throw unknownTask(id);
  const run = await latestCompleted(tx, id);
  const patch = changedColumns(row, draft);
  const texts = changedTexts(row, run, draft);
  const fields = [...Object.keys(patch).map(fieldOf), ...Object.keys(texts)].filter(
    (name, at, all) => all.indexOf(name) === at,
  );
  if (fields.length === 0) return { fields, demoted: [], warnings: [] };
  const rewritten = "title" in patch || "body" in texts;
  await updateTaskColumns(tx, row, how.stamp.at, {
    ...patch,
    ...("assignee" in patch ? RESET : {}),
    ...(rewritten ? { decompose_attempts: 0, decompose_next_at: null } : {}),
  });
  await writeTexts(tx, row, run, { texts, patch, stamp: how.stamp });
  tell(tx, row, { patch, fields }, how.stamp);
  return { fields, demoted: await followUp(tx, row, patch, how), warnings: resultWarnings(texts, run) };
}

/** Children read the summary of a run before the result of its task. */
function resultWarnings(texts: Texts, run: RunTexts | undefined): readonly string[] {
  const hidden = texts.result !== undefined && texts.summary === undefined && (run?.summary ?? null) !== null;
  return hidden ? ["child tasks read the summary of its run, which is unchanged: --summary changes it"] : [];
}

const fieldOf = (column: string): string =>
  PLACES.has(column) ? "workspace" : column === "branch_name" ? "branch" : column;
const PLACES = new Set(["workspace_kind", "workspace_path", "repo_path", "base_name"]);

/** Columns that would get another value. */
function changedColumns(row: TaskRow, draft: EditDraft): TaskPatch {
  const skills =
    draft.skills === undefined ? undefined : JSON.stringify(changedSkills(JSON.parse(row.skills), draft.skills));
  const wanted: TaskPatch = {
    ...draft.columns,
    ...draft.place,
    ...(draft.assignee === undefined ? {} : { assignee: draft.assignee }),
    ...(skills === undefined ? {} : { skills }),
    ...(draft.verdict === undefined ? {} : { verdict: draft.verdict }),
  };
  return Object.fromEntries(Object.entries(wanted).filter(([name, value]) => value !== Reflect.get(row, name)));
}

type Texts = {
  body?: string | null;
  result?: string | null;
  block_reason?: string | null;
  summary?: string | null;
  metadata?: string | null;
};

function changedTexts(row: TaskExtras, run: RunTexts | undefined, draft: EditDraft): Texts {
  const now = { ...row, summary: run?.summary ?? null, metadata: run?.metadata ?? null };
  const { body, result, block_reason, summary, metadata } = draft;
  return Object.fromEntries(
    Object.entries({ body, result, block_reason, summary, metadata }).filter(
      ([name, value]) => value !== undefined && value !== Reflect.get(now, name),
    ),
  );
}

async function writeTexts(
  tx: Tx,
  row: TaskRow,
  run: RunRow | undefined,
  { texts, patch, stamp }: { readonly texts: Texts; readonly patch: TaskPatch; readonly stamp: Stamp },
): Promise<void> {
  const { summary, metadata, ...own } = texts;
  await setTexts(tx, row.id, own);
  if (summary === undefined && metadata === undefined && patch.verdict === undefined) return;
  const home: RunId = run?.id ?? (await closedRun(tx, row.id, row.assignee ?? stamp.name, handoffRun(row, stamp)));
  await setRunTexts(tx, home, {
    ...(summary === undefined ? {} : { summary }),
    ...(metadata === undefined ? {} : { metadata }),
  });
  if (patch.verdict != null) await setRunVerdict(tx, home, patch.verdict);
}

/** A board of an older program has done tasks without a run: their handoff gets a home. */
const handoffRun = (row: TaskRow, stamp: Stamp) =>
  ({ outcome: "completed", at: row.completed_at ?? toUnix(stamp.at), verdict: row.verdict }) as const;

function tell(
  tx: Tx,
  row: TaskRow,
  { patch, fields }: { patch: TaskPatch; fields: readonly string[] },
  stamp: Stamp,
): void {
  appendTaskEvent(tx, stamp, { kind: "edited", task: row.id }, { fields });
  if (patch.priority !== undefined)
    appendTaskEvent(tx, stamp, { kind: "reprioritized", task: row.id }, { priority: patch.priority });
  if (patch.assignee !== undefined) {
    appendTaskEvent(
      tx,
      stamp,
      { kind: "assigned", task: row.id },
      { assignee: patch.assignee, previous: row.assignee },
    );
  }
}

/** A verdict acts on children, a hold that is lifted on the task itself. */
async function followUp(tx: Tx, row: TaskRow, patch: TaskPatch, how: TakeBack): Promise<readonly TaskId[]> {
  if (patch.hold === 0 && row.status === "todo") await promoteIfFree(tx, row.id, how.stamp);
  if (patch.verdict === "accepted") await promoteWaitingChildren(tx, row.id, how.stamp);
  return patch.verdict === "rejected" ? takeBack(tx, row.id, how) : [];
}
