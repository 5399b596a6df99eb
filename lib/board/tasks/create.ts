import type { Step, Store, Tx } from "../../../storage/store.js";
import { insertBody, insertTask, type NewTaskRow, toInsertedRow } from "../../../storage/tables/board/born.js";
import { addLink, unsettledParents } from "../../../storage/tables/board/links.js";
import { toTask } from "../../../storage/tables/board/rows.js";
import { byKey, createdBy, existing, getTask, setTexts } from "../../../storage/tables/board/tasks.js";
import { AppError } from "../../base/errors.js";
import { faultPoint } from "../../base/fault.js";
import { type BoardSlug, type TaskId, toUnix } from "../../base/units.js";
import type { Created, NewTask } from "../../contracts/board/api.js";
import type { Actor, Task } from "../../contracts/board/board.js";
import type { GivenFile } from "../../contracts/board/records.js";
import { type Core, mustView, type Stamp, TASKS_HINT, toStamp } from "../core/core.js";
import { requireClaim } from "../core/fence.js";
import { withLine } from "../core/line-payload.js";
import { mayExtend } from "../core/rules.js";
import { type GuardFacts, initialStatus } from "../core/states.js";
import { recordFile } from "./artifacts.js";
import { checkFiles, type Staged, stage } from "./attach.js";
import { dropStored, isUnknown } from "./attachment-files.js";
import { checkNewTask, type TaskDraft } from "./draft.js";
import { subscribeMaker } from "./subscribe.js";

/** Draws of a task id before giving up; with 2^32 ids a second collision in a row does not happen. */
const DRAWS = 5;

/** Make a task (board part, 4.1). With an idempotency key look-up and insert are one transaction. */
export async function create(core: Core, board: BoardSlug, params: NewTask, by: Actor): Promise<Created> {
  const draft = await checkNewTask(core, board, params, by);
  const files = params.attach ?? [];
  await checkFiles(files);
  const store = await core.making(board);
  const stamp = toStamp(core, by);
  for (let draw = 0; draw < DRAWS; draw++) {
    const id = core.ids.task();
    const plain = isPlain(draft, by) && files.length === 0;
    const made = plain
      ? await byScript(store, id, draft, stamp)
      : await withFiles(core, board, { store, id, draft, stamp, by, files });
    if (made === "taken") continue;
    faultPoint("board.created");
    return { ...made, warnings: draft.warnings };
  }
  throw new AppError("E_CONFLICT", "no free task id; repeat the command");
}

type Made = { readonly task: Created["task"]; readonly created: boolean } | "taken";

/** Nothing has to be looked up first, so the whole transaction is one message. */
const isPlain = (draft: TaskDraft, by: Actor) =>
  draft.parents.length === 0 && draft.key === null && draft.origin === undefined && by.kind !== "worker";

async function byScript(store: Store, id: TaskId, draft: TaskDraft, stamp: Stamp): Promise<Made> {
  const row = rowOf(id, draft, { settled: true }, stamp);
  const { sql, args } = insertTask(row);
  const steps: Step[] = [{ sql, args, expect: 1 }];
  if (draft.body !== null) steps.push(insertBody(id, draft.body));
  try {
    await store.script("board.create", steps, eventsOf(row, draft, stamp));
    return { task: freshTask(row, draft), created: true };
  } catch (error) {
    if (error instanceof AppError && error.code === "E_CONFLICT") return "taken";
    throw error;
  }
}

/** A task that was just made has no run and no links. */
function freshTask(row: NewTaskRow, draft: TaskDraft): Task {
  const extras = {
    body: draft.body,
    result: null,
    block_reason: null,
    worker_pid: null,
    claim_expires: null,
    last_heartbeat_at: null,
  };
  return toTask(toInsertedRow(row, extras), { parents: [], children: [], ignored: [] }, null);
}

interface BodyInput {
  readonly store: Store;
  readonly id: TaskId;
  readonly draft: TaskDraft;
  readonly stamp: Stamp;
  readonly by: Actor;
}

/** Its files are copied before the task is there, and stay only if it comes to be. */
async function withFiles(
  core: Core,
  board: BoardSlug,
  input: BodyInput & { readonly files: readonly GivenFile[] },
): Promise<Made> {
  const staged = input.files.length === 0 ? [] : await stage(core, { board, id: input.id }, input.files);
  try {
    const made = await byBody(core, input, staged);
    if (made === "taken" || !made.created) await dropStored(staged);
    return made;
  } catch (error) {
    if (!isUnknown(error)) await dropStored(staged);
    throw error;
  }
}

async function byBody(core: Core, input: BodyInput, staged: readonly Staged[]): Promise<Made> {
  const { store, id, draft, stamp, by } = input;
  return store.write("board.create", async (tx): Promise<Made> => {
    const run = by.kind === "worker" ? await creatingRun(tx, core, by) : null;
    const earlier = draft.key === null ? undefined : await byKey(tx, draft.key);
    if (earlier !== undefined) {
      if (draft.origin !== undefined) await subscribeMaker(tx, earlier, draft.origin, stamp.at);
      return { task: await mustView(tx, earlier), created: false };
    }
    if ((await getTask(tx, id)) !== undefined) return "taken";
    await checkParents(tx, draft.parents);
    const row = rowOf(id, draft, await factsOf(tx, id, draft), stamp);
    // A worker does not choose its name: it is the profile that its run was claimed for.
    await insert(tx, run === null ? row : { ...row, created_run_id: run.id, created_by: run.profile }, draft);
    for (const event of eventsOf(await mustRow(tx, id), draft, stamp)) tx.emit(event);
    for (const file of staged) await recordFile(tx, { task: id, run: null }, file, stamp);
    if (draft.origin !== undefined) await subscribeMaker(tx, id, draft.origin, stamp.at);
    return { task: await mustView(tx, id), created: true };
  });
}

async function mustRow(tx: Tx, id: TaskId): Promise<NewTaskRow> {
  const row = await getTask(tx, id);
  if (row === undefined) throw new AppError("E_CONFLICT", "the task id is in use; repeat the command");
  return row;
}

async function creatingRun(tx: Tx, core: Core, by: Extract<Actor, { kind: "worker" }>) {
  const { run } = await requireClaim(tx, core, by.claim);
  mayExtend(core, run.profile, "kanban_create");
  if ((await createdBy(tx, run.id)) >= 50)
    throw new AppError("E_TOO_LARGE", "this run has already created 50 tasks", { bound: 50 });
  return run;
}

async function checkParents(tx: Tx, parents: readonly string[]): Promise<void> {
  const known = await existing(tx, parents);
  const unknown = parents.filter((id) => !known.has(id));
  if (unknown.length > 0)
    throw new AppError("E_NOT_FOUND", `unknown parent task(s): ${unknown.join(", ")}`, {
      ids: unknown,
      hint: TASKS_HINT,
    });
}

/** Links first, so that the one predicate of settled parents is asked of the database; the task row follows in the same transaction. */
async function factsOf(tx: Tx, id: TaskId, draft: TaskDraft): Promise<GuardFacts> {
  for (const parent of draft.parents) await addLink(tx, parent as TaskId, id); // checked to exist just before
  const waiting = await unsettledParents(tx, id);
  return waiting.length === 0 ? { settled: true } : { open: true };
}

async function insert(tx: Tx, row: NewTaskRow, draft: TaskDraft): Promise<void> {
  const { sql, args } = insertTask(row);
  await tx.run(sql, args);
  if (draft.body !== null) await setTexts(tx, row.id, { body: draft.body });
}

function rowOf(id: TaskId, draft: TaskDraft, parents: GuardFacts, stamp: Stamp): NewTaskRow & TaskDraft["columns"] {
  const facts: GuardFacts = {
    ...parents,
    triage: draft.triage,
    "blocked at birth": draft.blocked,
    "has time": draft.columns.scheduled_at !== null,
  };
  const given = draft.columns;
  // Every column by its name: a spread of so many makes an object that the runtime is slow with.
  return {
    id,
    status: initialStatus(facts),
    created_at: toUnix(stamp.at),
    block_kind: draft.blocked ? "human" : null,
    title: given.title,
    assignee: given.assignee,
    priority: given.priority,
    tenant: given.tenant,
    workspace_kind: given.workspace_kind,
    workspace_path: given.workspace_path,
    branch_name: given.branch_name,
    base_name: given.base_name,
    repo_path: given.repo_path,
    created_by: given.created_by,
    skills: given.skills,
    max_retries: given.max_retries,
    session_id: given.session_id,
    idempotency_key: given.idempotency_key,
    max_runtime_seconds: given.max_runtime_seconds,
    goal_mode: given.goal_mode,
    goal_max_turns: given.goal_max_turns,
    model_override: given.model_override,
    scheduled_at: given.scheduled_at,
    external: given.external,
    auto_decompose: given.auto_decompose,
  };
}

function eventsOf(row: NewTaskRow, draft: TaskDraft, stamp: Stamp) {
  const { columns } = draft;
  const about = { at: stamp.at, task: row.id, actor: stamp.actor } as const;
  const created = {
    kind: "created",
    ...about,
    payload: withLine(stamp, {
      assignee: row.assignee ?? null,
      status: row.status,
      parents: draft.parents,
      tenant: row.tenant ?? null,
      branch_name: row.branch_name ?? null,
      skills: draft.skills,
      goal_mode: row.goal_mode === 1,
      from: null,
      to: row.status,
    }),
  };
  if (row.status === "blocked")
    return [created, { kind: "blocked", ...about, payload: { reason: null, block_kind: "human" } }];
  if (row.status !== "scheduled") return [created];
  return [created, { kind: "scheduled", ...about, payload: { reason: null, scheduled_at: columns.scheduled_at } }];
}
