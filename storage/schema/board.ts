import { EVENTS_DDL, type Migration } from "../store.js";
import { NOTIFY_DDL } from "./board-notify.js";
import { fillFromOlder } from "./board-older.js";

/**
 * Tables of one board. Long texts stand in side tables, so that a list never reads them. Instants are unix seconds; events alone hold
 * milliseconds. Truth values are 0 and 1.
 */
const TASKS = `CREATE TABLE tasks (
  id TEXT PRIMARY KEY NOT NULL,
  title TEXT NOT NULL,
  assignee TEXT,
  status TEXT NOT NULL,
  priority INTEGER NOT NULL DEFAULT 0,
  tenant TEXT,
  workspace_kind TEXT NOT NULL DEFAULT 'scratch',
  workspace_path TEXT,
  branch_name TEXT,
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  started_at INTEGER,
  completed_at INTEGER,
  skills TEXT NOT NULL DEFAULT '[]',
  max_retries INTEGER,
  session_id TEXT,
  idempotency_key TEXT,
  max_runtime_seconds INTEGER,
  goal_mode INTEGER NOT NULL DEFAULT 0,
  goal_max_turns INTEGER,
  model_override TEXT,
  consecutive_failures INTEGER NOT NULL DEFAULT 0,
  last_failure_error TEXT,
  last_failure_class TEXT,
  not_before INTEGER,
  scheduled_at INTEGER,
  block_kind TEXT,
  verdict TEXT,
  external INTEGER NOT NULL DEFAULT 0,
  hold INTEGER NOT NULL DEFAULT 0,
  auto_decompose INTEGER NOT NULL DEFAULT 1,
  decompose_attempts INTEGER NOT NULL DEFAULT 0,
  decompose_next_at INTEGER,
  decomposed_from TEXT,
  repo_path TEXT,
  base_name TEXT,
  base_commit TEXT,
  current_run_id INTEGER,
  archived_at INTEGER,
  archived_from TEXT,
  created_run_id INTEGER,
  guard_reason TEXT,
  guard_until INTEGER,
  updated_at INTEGER NOT NULL,
  version INTEGER NOT NULL DEFAULT 1
)`;

const RUNS = `CREATE TABLE runs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  task_id TEXT NOT NULL,
  profile TEXT NOT NULL,
  outcome TEXT,
  end_reason TEXT,
  claim_lock TEXT,
  claim_expires INTEGER,
  token_sha256 TEXT,
  fenced_by TEXT,
  stuck INTEGER NOT NULL DEFAULT 0,
  worker_pid INTEGER,
  host_id TEXT,
  boot_id TEXT,
  worker_start TEXT,
  last_heartbeat_at INTEGER NOT NULL,
  max_runtime_seconds INTEGER,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  verdict TEXT,
  error TEXT,
  error_class TEXT,
  exit_code INTEGER,
  exit_signal TEXT,
  session_id TEXT,
  input_tokens INTEGER,
  output_tokens INTEGER,
  cached_tokens INTEGER,
  api_calls INTEGER,
  cost_usd REAL
)`;

const SETTINGS = `CREATE TABLE board (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  description TEXT NOT NULL DEFAULT '',
  icon TEXT NOT NULL DEFAULT '',
  color TEXT NOT NULL DEFAULT '',
  default_workdir TEXT NOT NULL DEFAULT '',
  created_at INTEGER,
  orchestration TEXT,
  max_in_progress INTEGER,
  paused_at INTEGER,
  paused_by TEXT,
  paused_reason TEXT
)`;

/** Steps of the schema of a board's store. */
export const boardMigrations: readonly Migration[] = [
  {
    to: 1,
    statements: [
      TASKS,
      "CREATE INDEX tasks_order ON tasks (status, priority DESC, created_at, id)",
      "CREATE UNIQUE INDEX tasks_key ON tasks (idempotency_key) WHERE idempotency_key IS NOT NULL AND status <> 'archived'",
      "CREATE TABLE task_texts (task_id TEXT PRIMARY KEY NOT NULL, body TEXT, result TEXT, block_reason TEXT)",
      `CREATE TABLE links (
        parent_id TEXT NOT NULL,
        child_id TEXT NOT NULL,
        ignored INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (parent_id, child_id)
      )`,
      "CREATE INDEX links_child ON links (child_id, parent_id)",
      `CREATE TABLE comments (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        task_id TEXT NOT NULL,
        author TEXT NOT NULL,
        author_kind TEXT NOT NULL,
        created_at INTEGER NOT NULL
      )`,
      "CREATE INDEX comments_task ON comments (task_id, id)",
      "CREATE TABLE comment_texts (comment_id INTEGER PRIMARY KEY NOT NULL, text TEXT NOT NULL)",
      RUNS,
      "CREATE INDEX runs_task ON runs (task_id, id)",
      // The second lock on the door: even a defect of ours cannot open a second run of a task.
      "CREATE UNIQUE INDEX runs_open ON runs (task_id) WHERE ended_at IS NULL",
      "CREATE TABLE run_texts (run_id INTEGER PRIMARY KEY NOT NULL, summary TEXT, metadata TEXT, report TEXT)",
      `CREATE TABLE attachments (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        task_id TEXT NOT NULL,
        filename TEXT NOT NULL,
        stored_path TEXT NOT NULL,
        content_type TEXT NOT NULL,
        size INTEGER NOT NULL,
        sha256 TEXT NOT NULL,
        uploaded_by TEXT NOT NULL,
        run_id INTEGER,
        created_at INTEGER NOT NULL
      )`,
      "CREATE INDEX attachments_task ON attachments (task_id, id)",
      SETTINGS,
      ...EVENTS_DDL,
    ],
  },
  {
    to: 2,
    statements: [
      ...NOTIFY_DDL,
      // Lists break ties by the order of creation, which the rows of an index have of themselves.
      "DROP INDEX IF EXISTS tasks_order",
      "CREATE INDEX tasks_order ON tasks (status, priority DESC, created_at)",
      // At every change the dispatcher looks for what it may start, and for its next deadline: neither may cost more the more tasks wait.
      "CREATE INDEX tasks_startable ON tasks (assignee, priority DESC, created_at, id) WHERE status = 'ready' AND external = 0",
      "CREATE INDEX tasks_deferred ON tasks (status, not_before) WHERE not_before IS NOT NULL",
      "CREATE INDEX tasks_due ON tasks (status, scheduled_at) WHERE scheduled_at IS NOT NULL",
      "ALTER TABLE tasks ADD COLUMN branch_made INTEGER NOT NULL DEFAULT 0",
    ],
    apply: fillFromOlder,
  },
  {
    to: 3,
    statements: [
      // What a board and its doctor show must not cost more the more finished tasks stand behind it.
      "CREATE INDEX tasks_assignee ON tasks (assignee, status, external) WHERE assignee IS NOT NULL",
      "CREATE INDEX tasks_tenant ON tasks (tenant, status) WHERE tenant IS NOT NULL",
      "CREATE INDEX tasks_children ON tasks (decomposed_from, status) WHERE decomposed_from IS NOT NULL",
      "CREATE INDEX tasks_current_run ON tasks (current_run_id) WHERE current_run_id IS NOT NULL",
      "CREATE INDEX tasks_completed ON tasks (status, completed_at)",
    ],
  },
];
