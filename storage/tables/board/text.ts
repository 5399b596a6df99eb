import type { TaskId } from "../../../lib/base/units.js";
import type { Task } from "../../../lib/contracts/board/board.js";
import type { Query } from "../../store.js";
import { PLACE, pageBy, RELATED, TASK_SOURCE, type TaskPlace, type TaskSelect, toPlaces } from "./tasks.js";

/** Texts of a task that are made of other tables, and of JSON that the row holds in another form. */
export interface Beside {
  readonly skills: string;
  readonly ignored_parents: string;
  readonly parents: string;
  readonly children: string;
  readonly usage: string;
}

/**
 * Where the text of a field comes from. `usual` is what most tasks have there: fields that stand side by side are looked at together, and only
 * where one of them is not as usual is each made by itself. A task has fifty fields, and most say nothing: this is half of the time of a list.
 */
type Field =
  | { readonly literal: string }
  | { readonly sql: string; readonly usual?: { readonly when: string; readonly text: string } }
  | { readonly beside: string };

/** A column that every row fills. */
const of = (column: string): Field => ({ sql: `json_quote(t.${column})` });
const orNull = (column: string, table = "t"): Field => {
  const when = `${table}.${column} IS NULL`;
  return {
    sql: `CASE WHEN ${when} THEN 'null' ELSE json_quote(${table}.${column}) END`,
    usual: { when, text: "null" },
  };
};
/** 0 or 1, mostly `usual`. */
const flag = (column: string, usual: 0 | 1 = 0): Field => ({
  sql: `CASE t.${column} WHEN 1 THEN 'true' ELSE 'false' END`,
  usual: { when: `t.${column} = ${usual}`, text: usual === 1 ? "true" : "false" },
});
const count = (column: string): Field => ({
  sql: `json_quote(t.${column})`,
  usual: { when: `t.${column} = 0`, text: "0" },
});
const NEVER: Field = { literal: "null" };

/** Where each field of a task comes from, in the order of its JSON (`toTask`). */
const FIELDS: { readonly [Name in keyof Task]-?: Field } = {
  id: of("id"),
  title: of("title"),
  body: orNull("body", "x"),
  assignee: orNull("assignee"),
  status: of("status"),
  priority: count("priority"),
  tenant: orNull("tenant"),
  workspace_kind: of("workspace_kind"),
  workspace_path: orNull("workspace_path"),
  branch_name: orNull("branch_name"),
  created_by: of("created_by"),
  created_at: of("created_at"),
  started_at: orNull("started_at"),
  completed_at: orNull("completed_at"),
  result: orNull("result", "x"),
  skills: { beside: "[]" },
  max_retries: orNull("max_retries"),
  session_id: orNull("session_id"),
  workflow_template_id: NEVER,
  current_step_key: NEVER,
  idempotency_key: orNull("idempotency_key"),
  max_runtime_seconds: orNull("max_runtime_seconds"),
  goal_mode: flag("goal_mode"),
  goal_max_turns: orNull("goal_max_turns"),
  model_override: orNull("model_override"),
  consecutive_failures: count("consecutive_failures"),
  last_failure_error: orNull("last_failure_error"),
  last_failure_class: orNull("last_failure_class"),
  not_before: orNull("not_before"),
  scheduled_at: orNull("scheduled_at"),
  block_kind: orNull("block_kind"),
  block_reason: orNull("block_reason", "x"),
  verdict: orNull("verdict"),
  external: flag("external"),
  hold: flag("hold"),
  auto_decompose: flag("auto_decompose", 1),
  decompose_attempts: count("decompose_attempts"),
  decompose_next_at: orNull("decompose_next_at"),
  decomposed_from: orNull("decomposed_from"),
  ignored_parents: { beside: "[]" },
  repo_path: orNull("repo_path"),
  base_name: orNull("base_name"),
  base_commit: orNull("base_commit"),
  current_run_id: orNull("current_run_id"),
  worker_pid: orNull("worker_pid", "r"),
  claim_expires: orNull("claim_expires", "r"),
  last_heartbeat_at: orNull("last_heartbeat_at", "r"),
  archived_at: orNull("archived_at"),
  archived_from: orNull("archived_from"),
  updated_at: of("updated_at"),
  version: of("version"),
  parents: { beside: "[]" },
  children: { beside: "[]" },
  usage: { beside: "null" },
};

/** Numbers of tasks and of texts beside them that a statement is made for: each is prepared once. */
const ROOMS = [1, 8, 64, 200, 500] as const;
const roomFor = (count: number): number => ROOMS.find((room) => count <= room) ?? count;

/** So many tasks, at most, are one page. */
export const TEXT_PAGE = 500;

/**
 * Tasks as they stand in an indented JSON array, each with the `,` and the line end before it.
 *
 * @param made rowids of at most `TEXT_PAGE` tasks @param lead SQL of what stands before each @param beside of those that have more than most
 */
export function taskTexts(
  q: Query,
  { made, order, lead = "''" }: { readonly made: readonly number[]; readonly order: string; readonly lead?: string },
  beside: ReadonlyMap<TaskId, Beside>,
): Promise<Uint8Array> {
  const rows = [...beside].map(([id, more]) => [
    id,
    more.skills,
    more.ignored_parents,
    more.parents,
    more.children,
    more.usage,
  ]);
  const room = rows.length === 0 ? 0 : roomFor(rows.length);
  const marks = Array.from({ length: roomFor(made.length) }, () => "?").join(", ");
  const more = room === 0 ? { with: "", join: "" } : { with: withMore(room), join: " LEFT JOIN more m ON m.id = t.id" };
  const sql = `${more.with}SELECT concat(${lead}, ${room === 0 ? PLAIN : DECORATED}) AS text ${TASK_SOURCE}${more.join} WHERE t.rowid IN (${marks}) ORDER BY ${order}`;
  return q.text(sql, [...filled(rows, room, BLANK).flat(), ...filled(made, roomFor(made.length), null)]);
}

const COLUMNS = ["id", "skills", "ignored_parents", "parents", "children", "usage"] as const;
const BLANK = COLUMNS.map(() => null);

const withMore = (room: number): string =>
  `WITH more (${COLUMNS.join(", ")}) AS (VALUES ${Array.from({ length: room }, () => "(?, ?, ?, ?, ?, ?)").join(", ")}) `;

function filled<T, B>(given: readonly T[], length: number, blank: B): (T | B)[] {
  return Array.from({ length }, (_, at) => given[at] ?? blank);
}

/** Separates the reports of several tasks: it never appears in JSON. */
const MARK = 1;
const MARK_SQL = `char(${MARK})`;

/**
 * The first tasks in one answer of the store. Of one that other tables may say more about only its place is there, for the second look at those.
 *
 * @param besideOf what other tables say of these @returns the texts of all, one behind the other
 */
export async function pageTexts(
  q: Query,
  select: TaskSelect & { readonly limit: number },
  besideOf: (places: readonly TaskPlace[]) => Promise<ReadonlyMap<TaskId, Beside>>,
): Promise<Uint8Array> {
  const page = pageBy(select, select.limit);
  const told = `CASE WHEN t.skills = '[]' AND NOT (${RELATED}) THEN ${PLAIN} ELSE concat(${MARK_SQL}, ${PLACE}, ${MARK_SQL}) END`;
  const within = `t.rowid IN (SELECT made FROM (${page.sql}) AS page)`;
  const found = await q.text(
    `SELECT ${told} AS text ${TASK_SOURCE} WHERE ${within} ORDER BY ${select.order}`,
    page.args,
  );
  const parts = split(found);
  if (parts.length === 1) return found;
  const places = toPlaces(parts.filter((_, at) => at % 2 === 1));
  const made = places.map((place) => place.made);
  const more = split(await taskTexts(q, { made, order: select.order, lead: MARK_SQL }, await besideOf(places))).slice(
    1,
  );
  return Buffer.concat(parts.map((part, at) => (at % 2 === 1 ? (more[(at - 1) / 2] ?? EMPTY) : part)));
}

const EMPTY = Buffer.alloc(0);

/** Bytes before the first mark, between each two, and behind the last. */
function split(bytes: Uint8Array): readonly Uint8Array[] {
  const parts: Uint8Array[] = [];
  let from = 0;
  for (let at = bytes.indexOf(MARK); at >= 0; at = bytes.indexOf(MARK, from)) {
    parts.push(bytes.subarray(from, at));
    from = at + 1;
  }
  return [...parts, bytes.subarray(from)];
}

const PLAIN = taskText(false);
const DECORATED = taskText(true);

/** So many fields, at most, are looked at together: a task that has one of them still gets the others of its row at once. */
const TOGETHER = 8;

function taskText(decorated: boolean): string {
  const parts: string[] = [];
  let block: Piece[] = [];
  const end = () => {
    if (block.length > 0) parts.push(blockText(block));
    block = [];
  };
  for (const [at, [name, field]] of Object.entries(FIELDS).entries()) {
    const piece = { head: `${at === 0 ? ",\n  {" : ","}\n    "${name}": `, ...partOf(name, field, decorated) };
    if (piece.usual === undefined || block.length === TOGETHER) end();
    block.push(piece);
    if (piece.usual === undefined) end();
  }
  end();
  return `concat(${parts.join(", ")}, '\n  }')`;
}

/** A field with what stands before it. `usual.when` is empty where nothing else is possible. */
interface Piece {
  readonly head: string;
  readonly sql: string;
  readonly usual?: { readonly when: string; readonly text: string };
}

function partOf(name: string, field: Field, decorated: boolean): Omit<Piece, "head"> {
  if ("literal" in field) return { sql: `'${field.literal}'`, usual: { when: "", text: field.literal } };
  if ("sql" in field) return field;
  const usual = { when: decorated ? "m.id IS NULL" : "", text: field.beside };
  return { sql: decorated ? `COALESCE(m.${name}, '${field.beside}')` : `'${field.beside}'`, usual };
}

function blockText(block: readonly Piece[]): string {
  const each = block.map(({ head, sql }) => `'${head}', ${sql}`).join(", ");
  const usual = block.flatMap((piece) => piece.usual ?? []);
  if (usual.length < block.length) return each;
  const when = usual.map((one) => one.when).filter((one) => one !== "");
  const text = block.map(({ head, usual: one }) => `${head}${one?.text}`).join("");
  return when.length === 0 ? `'${text}'` : `CASE WHEN ${when.join(" AND ")} THEN '${text}' ELSE concat(${each}) END`;
}
