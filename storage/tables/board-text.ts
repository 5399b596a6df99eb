import type { TaskId } from "../../lib/base/units.js";
import type { Task } from "../../lib/proto/board.js";
import type { Query } from "../store.js";
import { TASK_SOURCE } from "./board-tasks.js";

/** Texts of a task that are made of other tables, and of JSON that the row holds in another form. */
export interface Beside {
  readonly skills: string;
  readonly ignored_parents: string;
  readonly parents: string;
  readonly children: string;
  readonly usage: string;
}

/** `flag` is 0 or 1. `beside` comes from `Beside`, and is the given text for most tasks. */
type Field = { readonly column: string } | { readonly flag: string } | { readonly beside: string };

const of = (column: string, table = "t"): Field => ({ column: `${table}.${column}` });
const flag = (column: string): Field => ({ flag: `t.${column}` });
const NEVER: Field = { column: "NULL" };

/** Where each field of a task comes from, in the order of its JSON (`toTask`). */
const FIELDS: { readonly [Name in keyof Task]-?: Field } = {
  id: of("id"),
  title: of("title"),
  body: of("body", "x"),
  assignee: of("assignee"),
  status: of("status"),
  priority: of("priority"),
  tenant: of("tenant"),
  workspace_kind: of("workspace_kind"),
  workspace_path: of("workspace_path"),
  branch_name: of("branch_name"),
  created_by: of("created_by"),
  created_at: of("created_at"),
  started_at: of("started_at"),
  completed_at: of("completed_at"),
  result: of("result", "x"),
  skills: { beside: "[]" },
  max_retries: of("max_retries"),
  session_id: of("session_id"),
  workflow_template_id: NEVER,
  current_step_key: NEVER,
  idempotency_key: of("idempotency_key"),
  max_runtime_seconds: of("max_runtime_seconds"),
  goal_mode: flag("goal_mode"),
  goal_max_turns: of("goal_max_turns"),
  model_override: of("model_override"),
  consecutive_failures: of("consecutive_failures"),
  last_failure_error: of("last_failure_error"),
  last_failure_class: of("last_failure_class"),
  not_before: of("not_before"),
  scheduled_at: of("scheduled_at"),
  block_kind: of("block_kind"),
  block_reason: of("block_reason", "x"),
  verdict: of("verdict"),
  external: flag("external"),
  hold: flag("hold"),
  auto_decompose: flag("auto_decompose"),
  decompose_attempts: of("decompose_attempts"),
  decompose_next_at: of("decompose_next_at"),
  decomposed_from: of("decomposed_from"),
  ignored_parents: { beside: "[]" },
  repo_path: of("repo_path"),
  base_name: of("base_name"),
  base_commit: of("base_commit"),
  current_run_id: of("current_run_id"),
  worker_pid: of("worker_pid", "r"),
  claim_expires: of("claim_expires", "r"),
  last_heartbeat_at: of("last_heartbeat_at", "r"),
  archived_at: of("archived_at"),
  archived_from: of("archived_from"),
  updated_at: of("updated_at"),
  version: of("version"),
  parents: { beside: "[]" },
  children: { beside: "[]" },
  usage: { beside: "null" },
};

/** Numbers of tasks and of texts beside them that a statement is made for: each is prepared once. */
const ROOMS = [1, 8, 64, 500] as const;
const roomFor = (count: number): number => ROOMS.find((room) => count <= room) ?? count;

/** So many tasks, at most, are one page. */
export const TEXT_PAGE = 500;

/**
 * Tasks as they stand in an indented JSON array, each with the `,` and the line end before it.
 *
 * @param made rowids of at most `TEXT_PAGE` tasks @param beside of those that have more than most
 */
export function taskTexts(
  q: Query,
  { made, order }: { readonly made: readonly number[]; readonly order: string },
  beside: ReadonlyMap<TaskId, Beside>,
): Promise<Uint8Array> {
  const rows = [...beside].map(([id, more]) => [id, more.skills, more.ignored_parents, more.parents, more.children, more.usage]);
  const room = rows.length === 0 ? 0 : roomFor(rows.length);
  const marks = Array.from({ length: roomFor(made.length) }, () => "?").join(", ");
  const more = room === 0 ? { with: "", join: "" } : { with: withMore(room), join: " LEFT JOIN more m ON m.id = t.id" };
  const sql = `${more.with}SELECT ${room === 0 ? PLAIN : DECORATED} AS text ${TASK_SOURCE}${more.join} WHERE t.rowid IN (${marks}) ORDER BY ${order}`;
  return q.text(sql, [...filled(rows, room, BLANK).flat(), ...filled(made, roomFor(made.length), null)]);
}

const COLUMNS = ["id", "skills", "ignored_parents", "parents", "children", "usage"] as const;
const BLANK = COLUMNS.map(() => null);

const withMore = (room: number): string =>
  `WITH more (${COLUMNS.join(", ")}) AS (VALUES ${Array.from({ length: room }, () => "(?, ?, ?, ?, ?, ?)").join(", ")}) `;

function filled<T, B>(given: readonly T[], length: number, blank: B): (T | B)[] {
  return Array.from({ length }, (_, at) => given[at] ?? blank);
}

const PLAIN = taskText(false);
const DECORATED = taskText(true);

function taskText(decorated: boolean): string {
  const parts: string[] = [];
  let literal = ",\n  {";
  for (const [at, [name, field]] of Object.entries(FIELDS).entries()) {
    literal += `${at === 0 ? "" : ","}\n    "${name}": `;
    const sql = sqlOf(name, field, decorated);
    if (typeof sql === "string") {
      parts.push(`'${literal}'`, sql);
      literal = "";
    } else literal += sql.literal;
  }
  return `concat(${parts.join(", ")}, '${literal}\n  }')`;
}

function sqlOf(name: string, field: Field, decorated: boolean): string | { readonly literal: string } {
  if ("flag" in field) return `CASE ${field.flag} WHEN 1 THEN 'true' ELSE 'false' END`;
  if ("column" in field) return field === NEVER ? { literal: "null" } : `json_quote(${field.column})`;
  return decorated ? `COALESCE(m.${name}, '${field.beside}')` : { literal: field.beside };
}
