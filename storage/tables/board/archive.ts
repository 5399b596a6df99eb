import type { Query, Row, Tx, Value } from "../../store.js";

/** A kind of rows that a board is made of, as an archive holds it. */
export interface ArchiveTable {
  /** Name of the member without `.jsonl`. */
  readonly name: "tasks" | "links" | "comments" | "events" | "runs" | "attachments";
  /** A page of rows above the key of the last one, in order of the key. */
  readonly page: string;
  readonly key: readonly string[];
  /** Where the columns go: table, its columns, and which of them names the row of a side table. */
  readonly into: readonly {
    readonly table: string;
    readonly columns: readonly string[];
    readonly as?: Readonly<Record<string, string>>;
  }[];
}

const TASK = [
  "id",
  "title",
  "assignee",
  "status",
  "priority",
  "tenant",
  "workspace_kind",
  "workspace_path",
  "branch_name",
  "created_by",
  "created_at",
  "started_at",
  "completed_at",
  "skills",
  "max_retries",
  "session_id",
  "idempotency_key",
  "max_runtime_seconds",
  "goal_mode",
  "goal_max_turns",
  "model_override",
  "consecutive_failures",
  "last_failure_error",
  "last_failure_class",
  "not_before",
  "scheduled_at",
  "block_kind",
  "verdict",
  "external",
  "hold",
  "auto_decompose",
  "decompose_attempts",
  "decompose_next_at",
  "decomposed_from",
  "repo_path",
  "base_name",
  "base_commit",
  "branch_made",
  "archived_at",
  "archived_from",
  "created_run_id",
  "updated_at",
  "version",
];
/** Without claim, token, fence and worker: those are of one host and one moment. */
const RUN = [
  "id",
  "task_id",
  "profile",
  "outcome",
  "end_reason",
  "last_heartbeat_at",
  "max_runtime_seconds",
  "started_at",
  "ended_at",
  "verdict",
  "error",
  "error_class",
  "exit_code",
  "exit_signal",
  "session_id",
  "input_tokens",
  "output_tokens",
  "cached_tokens",
  "api_calls",
  "cost_usd",
];
const COMMENT = ["id", "task_id", "author", "author_kind", "created_at"];
const EVENT = ["seq", "kind", "task_id", "run_id", "actor", "payload", "created_at"];
const ATTACHMENT = [
  "id",
  "task_id",
  "filename",
  "stored_path",
  "content_type",
  "size",
  "sha256",
  "uploaded_by",
  "run_id",
  "created_at",
];

const of = (alias: string, columns: readonly string[]): string => columns.map((name) => `${alias}.${name}`).join(", ");

/** In the order in which they are written and read: rows before those that name them. */
export const ARCHIVE_TABLES: readonly ArchiveTable[] = [
  {
    name: "tasks",
    page: `SELECT ${of("t", TASK)}, x.body, x.result, x.block_reason FROM tasks t LEFT JOIN task_texts x ON x.task_id = t.id
      WHERE t.id > ? ORDER BY t.id LIMIT ?`,
    key: ["id"],
    into: [
      { table: "tasks", columns: TASK },
      { table: "task_texts", columns: ["task_id", "body", "result", "block_reason"], as: { task_id: "id" } },
    ],
  },
  {
    name: "links",
    page: `SELECT parent_id, child_id, ignored FROM links WHERE parent_id > ? OR (parent_id = ? AND child_id > ?)
      ORDER BY parent_id, child_id LIMIT ?`,
    key: ["parent_id", "child_id"],
    into: [{ table: "links", columns: ["parent_id", "child_id", "ignored"] }],
  },
  {
    name: "comments",
    page: `SELECT ${of("c", COMMENT)}, x.text FROM comments c JOIN comment_texts x ON x.comment_id = c.id WHERE c.id > ? ORDER BY c.id LIMIT ?`,
    key: ["id"],
    into: [
      { table: "comments", columns: COMMENT },
      { table: "comment_texts", columns: ["comment_id", "text"], as: { comment_id: "id" } },
    ],
  },
  {
    name: "events",
    page: `SELECT ${of("e", EVENT)} FROM events e WHERE e.seq > ? ORDER BY e.seq LIMIT ?`,
    key: ["seq"],
    into: [{ table: "events", columns: EVENT }],
  },
  {
    name: "runs",
    page: `SELECT ${of("r", RUN)}, x.summary, x.metadata FROM runs r LEFT JOIN run_texts x ON x.run_id = r.id WHERE r.id > ? ORDER BY r.id LIMIT ?`,
    key: ["id"],
    into: [
      { table: "runs", columns: RUN },
      { table: "run_texts", columns: ["run_id", "summary", "metadata"], as: { run_id: "id" } },
    ],
  },
  {
    name: "attachments",
    page: `SELECT ${of("a", ATTACHMENT)} FROM attachments a WHERE a.id > ? ORDER BY a.id LIMIT ?`,
    key: ["id"],
    into: [{ table: "attachments", columns: ATTACHMENT }],
  },
];

/** Rows behind `last`, at most `limit`; all from the beginning without one. */
export async function archivePage(q: Query, table: ArchiveTable, last: Row | undefined, limit: number): Promise<Row[]> {
  const [first = "", second] = table.key;
  const from = (name: string): Value =>
    last?.[name] ?? (name === "id" || name === "seq" ? (table.name === "tasks" ? "" : 0) : "");
  const args = second === undefined ? [from(first), limit] : [from(first), from(first), from(second), limit];
  return q.all(table.page, args);
}

/** Put one row into its tables. Columns that are not ours are left out, those that are missing have their default. */
export async function insertArchived(tx: Tx, table: ArchiveTable, row: Row): Promise<void> {
  for (const { table: into, columns, as = {} } of table.into) {
    const given = columns.flatMap((name): [string, Value][] => {
      const value = row[as[name] ?? name];
      return value === undefined ? [] : [[name, value]];
    });
    if (given.length <= Object.keys(as).length) continue;
    const names = given.map(([name]) => name);
    await tx.run(
      `INSERT INTO ${into} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
      given.map(([, value]) => value),
    );
  }
}

/** An imported task that was running names its run again, which is closed next. */
export async function nameOpenRuns(tx: Tx): Promise<void> {
  await tx.run(
    `UPDATE tasks SET current_run_id = (SELECT r.id FROM runs r WHERE r.task_id = tasks.id AND r.ended_at IS NULL) WHERE status = 'running'`,
  );
}

/** Tasks that stand where their parents do not let them stand; the first few. */
export async function earlyTasks(q: Query): Promise<string[]> {
  const rows = await q.all<{ id: string }>(
    `SELECT DISTINCT t.id FROM tasks t JOIN links l ON l.child_id = t.id JOIN tasks p ON p.id = l.parent_id
     WHERE t.status IN ('ready', 'running') AND l.ignored = 0 AND p.status <> 'archived'
       AND NOT (p.status = 'done' AND COALESCE(p.verdict, 'accepted') <> 'rejected') ORDER BY t.id LIMIT 5`,
  );
  return rows.map((row) => row.id);
}
