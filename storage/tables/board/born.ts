import type { TaskId } from "../../../lib/base/units.js";
import type { Args, Value } from "../../store.js";
import { storableText } from "../../value.js";
import type { TaskExtras, TaskRow } from "./rows.js";

/** A new task. Every column that is left out has its default. */
export type NewTaskRow = Pick<TaskRow, "id" | "title" | "status" | "created_by" | "created_at"> & Partial<TaskRow>;

/** What the schema gives to the columns that a new task leaves out, where it is not null. */
const BORN = {
  priority: 0,
  workspace_kind: "scratch",
  skills: "[]",
  goal_mode: 0,
  consecutive_failures: 0,
  external: 0,
  hold: 0,
  auto_decompose: 1,
  decompose_attempts: 0,
  branch_made: 0,
  version: 1,
} as const;
const GIVEN_ANYWAY: ReadonlyMap<string, Value> = new Map(Object.entries(BORN));

const stored = <T extends string>(text: T | null | undefined): T | null =>
  text == null ? null : (storableText(text) as T); // the same kind of text

/**
 * The row that `insertTask` leaves in the table, so that it need not be read back. Every column by its name: with a spread, or a loop over the
 * columns, making it took as long as all else that a new task costs here, and the runtime kept what it had made until its next full collection.
 */
export function toInsertedRow(row: NewTaskRow, extras: TaskExtras): TaskRow & TaskExtras {
  return {
    id: row.id,
    title: storableText(row.title),
    assignee: stored(row.assignee),
    status: row.status,
    priority: row.priority ?? BORN.priority,
    tenant: stored(row.tenant),
    workspace_kind: row.workspace_kind ?? BORN.workspace_kind,
    workspace_path: stored(row.workspace_path),
    branch_name: stored(row.branch_name),
    created_by: storableText(row.created_by),
    created_at: row.created_at,
    started_at: row.started_at ?? null,
    completed_at: row.completed_at ?? null,
    skills: storableText(row.skills ?? BORN.skills),
    max_retries: row.max_retries ?? null,
    session_id: stored(row.session_id),
    idempotency_key: stored(row.idempotency_key),
    max_runtime_seconds: row.max_runtime_seconds ?? null,
    goal_mode: row.goal_mode ?? BORN.goal_mode,
    goal_max_turns: row.goal_max_turns ?? null,
    model_override: stored(row.model_override),
    consecutive_failures: row.consecutive_failures ?? BORN.consecutive_failures,
    last_failure_error: stored(row.last_failure_error),
    last_failure_class: stored(row.last_failure_class),
    not_before: row.not_before ?? null,
    scheduled_at: row.scheduled_at ?? null,
    block_kind: stored(row.block_kind),
    verdict: stored(row.verdict),
    external: row.external ?? BORN.external,
    hold: row.hold ?? BORN.hold,
    auto_decompose: row.auto_decompose ?? BORN.auto_decompose,
    decompose_attempts: row.decompose_attempts ?? BORN.decompose_attempts,
    decompose_next_at: row.decompose_next_at ?? null,
    decomposed_from: stored(row.decomposed_from),
    repo_path: stored(row.repo_path),
    base_name: stored(row.base_name),
    base_commit: stored(row.base_commit),
    current_run_id: row.current_run_id ?? null,
    archived_at: row.archived_at ?? null,
    archived_from: stored(row.archived_from),
    created_run_id: row.created_run_id ?? null,
    guard_reason: stored(row.guard_reason),
    guard_until: row.guard_until ?? null,
    branch_made: row.branch_made ?? BORN.branch_made,
    updated_at: row.created_at,
    version: row.version ?? BORN.version,
    body: stored(extras.body),
    result: stored(extras.result),
    block_reason: stored(extras.block_reason),
    worker_pid: extras.worker_pid,
    claim_expires: extras.claim_expires,
    last_heartbeat_at: extras.last_heartbeat_at,
  };
}

/** Statement and arguments that insert a task; an id or a key that is taken leaves zero rows. */
export function insertTask(row: NewTaskRow): { sql: string; args: Args } {
  const args: Value[] = [row.created_at];
  let shape = ROOT;
  for (const name in row) {
    const value = row[name as keyof NewTaskRow]; // its own names
    // What the schema gives anyway costs time to bind and bytes in the journal.
    if (value == null || value === GIVEN_ANYWAY.get(name)) continue;
    shape = shape.more.get(name) ?? longer(shape, name);
    args.push(value);
  }
  return { sql: shape.sql, args };
}

/** A statement for the columns that were given so far, and those with one more: text that is put together each time costs more than all of its values. */
interface Shape {
  readonly names: string;
  readonly marks: string;
  readonly sql: string;
  readonly more: Map<string, Shape>;
}

const shapeOf = (names: string, marks: string): Shape => ({
  names,
  marks,
  sql: `INSERT INTO tasks (${names}) VALUES (${marks}) ON CONFLICT DO NOTHING`,
  more: new Map(),
});
const ROOT = shapeOf("updated_at", "?");
/** Statements that are remembered; as many as an engine keeps prepared. */
const SHAPES_MAX = 500;
let shapes = 0;

function longer(shape: Shape, name: string): Shape {
  const made = shapeOf(`${shape.names}, ${name}`, `${shape.marks}, ?`);
  if (shapes >= SHAPES_MAX) {
    ROOT.more.clear();
    shapes = 0;
  }
  shape.more.set(name, made);
  shapes += 1;
  return made;
}

/** Statement and arguments for the body of a new task. */
export function insertBody(id: TaskId, body: string): { sql: string; args: Args } {
  return { sql: "INSERT INTO task_texts (task_id, body) VALUES (?, ?)", args: [id, body] };
}
