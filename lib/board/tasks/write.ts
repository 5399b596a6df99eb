import type { Query, Tx } from "../../../storage/store.js";
import type { TaskRow } from "../../../storage/tables/board/rows.js";
import { AppError } from "../../base/errors.js";
import type { BoardSlug, TaskId } from "../../base/units.js";
import type { Actor, Task } from "../../contracts/board/board.js";
import type { Edited, EditParams, WriteOptions, WriteParams } from "../../contracts/board/records.js";
import { keptWarnings } from "../../contracts/board/workspace.js";
import { type Core, checkVersion, mustTask, mustView, removeClaimFile, type Stamp, toStamp } from "../core/core.js";
import { checkTexts } from "../core/texts.js";
import { checkActor } from "../core/verbs.js";
import { leaveWorktree } from "../workspaces/remove.js";
import { checkFuture } from "./block-schedule.js";
import { type EditDraft, editDraft } from "./draft-record.js";
import { applyEdit, checkTaskEdit } from "./edit.js";
import { checkHandoff } from "./finish.js";
import { intervene, type StoppedTask } from "./interventions.js";
import { staysSettled } from "./promote-reopen.js";
import { applyStatus, parseTarget, type StatusPlan } from "./status.js";
import { runningChildren, type TakeBack, withChildren } from "./take-back.js";

interface At {
  readonly board: BoardSlug;
  readonly id: TaskId;
}

interface Plan {
  readonly at: At;
  readonly draft: EditDraft;
  readonly status: StatusPlan | undefined;
  /** It ends a task that was not done when it was looked at: the handoff does not edit an earlier one. */
  readonly ends: boolean;
  readonly options: WriteOptions;
  readonly stamp: Stamp;
}

/** Fields and status at once (board part, 4.3 and 14.5): everything is checked first and written in one transaction. */
export async function write(core: Core, at: At, given: WriteParams & WriteOptions, by: Actor): Promise<Edited> {
  checkActor("edit", at.id, by);
  const { expected_version, expected_status, force, cwd, reason, ...params } = given;
  const options: WriteOptions = { expected_version, expected_status, force, cwd, reason };
  if (Object.values(params).every((value) => value === undefined))
    throw new AppError("E_USAGE", `nothing to change on ${at.id}`);
  const store = await core.store(at.board, at.id);
  const current = await store.read((q) => mustView(q, at.id));
  const plan = await planOf(core, at, { params, options, current }, by);
  const done = await (current.status === "done" || current.status === "archived"
    ? overChildren(core, plan)
    : overWorker(core, plan));
  if (done.closed !== undefined) await removeClaimFile(core, at.board, at.id, done.closed);
  const { task, fields, demoted, warnings } = done;
  const left = plan.status?.to === "archived" ? keptWarnings(await leaveWorktree(core, at.board, at.id)) : [];
  return { task, fields, demoted, warnings: [...plan.draft.warnings, ...warnings, ...left] };
}

async function planOf(
  core: Core,
  at: At,
  { params, options, current }: { params: WriteParams; options: WriteOptions; current: Task },
  by: Actor,
): Promise<Plan> {
  const { status: given, block_reason, scheduled_at, ...fields } = params;
  const stamp = toStamp(core, by);
  // A time alone moves a task that is scheduled already.
  const wanted = given ?? (scheduled_at !== undefined ? "scheduled" : undefined);
  if (given === undefined && scheduled_at !== undefined && current.status !== "scheduled") {
    throw new AppError("E_STATE", `cannot edit scheduled_at of ${at.id}: status is ${current.status}`, {
      status: current.status,
    });
  }
  const to = wanted === undefined ? undefined : parseTarget(wanted);
  if (to !== "scheduled" && scheduled_at != null)
    throw new AppError("E_INVALID", "scheduled_at requires status scheduled");
  const reason = block_reason?.trim() || null;
  checkTexts({ reason });
  const until =
    scheduled_at === undefined && current.status === "scheduled" && given === undefined
      ? current.scheduled_at
      : (scheduled_at ?? null);
  checkFuture(to === "scheduled" ? until : null, stamp);
  const ends = to === "done" && current.status !== "done";
  const { edit, handoff } = ends ? split(fields) : { edit: fields, handoff: {} };
  const explains = block_reason !== undefined && (to === undefined || to === "blocked" || to === "scheduled");
  const draft = {
    ...(await editDraft(core, at.board, current, { params: edit, cwd: options.cwd })),
    block_reason: explains ? reason : undefined,
  };
  const kept = block_reason === undefined ? current.block_reason : reason;
  const status = to && {
    to,
    until,
    reason: options.reason,
    force: options.force === true,
    handoff: { ...checkHandoff(core, handoff, by), artifacts: [] },
    block_reason: given === undefined ? kept : reason,
  };
  return { at, draft, status, ends, options, stamp };
}

/** The texts of a completion are its handoff, not an edit of an earlier one. */
function split({ result, summary, metadata, verdict, ...edit }: EditParams) {
  return {
    edit,
    handoff: { result: result ?? undefined, summary: summary ?? undefined, metadata: metadata ?? undefined, verdict },
  };
}

type Done = Edited & { readonly closed: number | undefined };

/** A task that is settled: nothing works on it, but its children may be at work because of it. */
async function overChildren(core: Core, plan: Plan): Promise<Done> {
  const { at, stamp } = plan;
  const stops = async (q: Query) => {
    const task = await mustTask(q, at.id);
    check(task, plan);
    return plan.options.force === true && unsettles(task, plan) ? runningChildren(q, at.id) : [];
  };
  return withChildren(core, { ...at, stamp, label: "edit", stops }, async (tx, stopped) => {
    const task = await mustTask(tx, at.id);
    if (leaves(task, plan))
      throw new AppError("E_CONFLICT", `${at.id} has been started; check it and repeat the change`);
    return commit(tx, { task, run: undefined, stop: undefined }, plan, { stamp, stopped });
  });
}

function unsettles(task: TaskRow, { status, draft }: Plan): boolean {
  if (task.status === "archived") return !staysSettled(task);
  return status === undefined || status.to === "done" ? draft.verdict === "rejected" : status.to !== "archived";
}

/** A task that may have a worker: it is stopped when the status is written, and left alone when only fields are. */
async function overWorker(core: Core, plan: Plan): Promise<Done> {
  const { at, stamp } = plan;
  return intervene(core, {
    ...at,
    verb: "edit",
    stamp,
    check: (task) => check(task, plan),
    spares: (task) => !leaves(task, plan),
    commit: (tx, found) => commit(tx, found, plan, { stamp, stopped: [] }),
  });
}

const leaves = (task: TaskRow, { status }: Plan): boolean => task.status === "running" && status !== undefined;

/** @throws E_CONFLICT, and what the status of the task refuses */
function check(task: TaskRow, { draft, status, ends, options }: Plan): void {
  const { expected_status, expected_version } = options;
  checkVersion(task, expected_version);
  if (expected_status !== undefined && task.status !== expected_status) {
    const text = `${task.id} has been moved: its status is ${task.status}, not ${expected_status}`;
    throw new AppError("E_CONFLICT", text, { status: task.status, expected_status });
  }
  const target = status?.to === "done" && task.status === "done" ? undefined : status?.to;
  checkTaskEdit(task, draft, target);
  if (ends && task.status === "done")
    throw new AppError("E_CONFLICT", `${task.id} has been completed`, { status: task.status });
}

async function commit(tx: Tx, found: StoppedTask, plan: Plan, how: TakeBack): Promise<Done> {
  check(found.task, plan);
  const { id } = plan.at;
  const moved =
    plan.status === undefined ? { demoted: [], warnings: [] } : await applyStatus(tx, found, plan.status, how);
  const { fields, demoted, warnings } = await applyEdit(tx, id, plan.draft, how);
  const task = await mustView(tx, id);
  const status = task.status === found.task.status ? [] : ["status"];
  return {
    task,
    fields: [...fields, ...status],
    demoted: [...moved.demoted, ...demoted],
    warnings: [...moved.warnings, ...warnings],
    closed: plan.status === undefined ? undefined : found.run?.id,
  };
}
