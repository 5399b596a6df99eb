import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../fixtures/ports/clock.js";
import { realDisk } from "../../lib/base/fs/disk.js";
import { silentLog } from "../../lib/base/log/log.js";
import { boardMigrations } from "../schema/board.js";
import type { Row } from "../store.js";
import { loadLibrary } from "./library.js";
import { openInline } from "./open.js";

/** The least that an older board has. */
const TASKS = "CREATE TABLE tasks (id TEXT PRIMARY KEY, title TEXT NOT NULL, status TEXT NOT NULL, created_at INTEGER)";
const ONE = "INSERT INTO tasks (id, title, status, created_at) VALUES ('t_00000001', 'one', 'ready', 1000)";
const withColumns = (columns: string) =>
  `CREATE TABLE tasks (id TEXT PRIMARY KEY, title TEXT, status TEXT, created_at INTEGER, ${columns})`;

async function setup(t: TestContext, statements: readonly string[]) {
  const dir = mkdtempSync(join(tmpdir(), "older-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const path = join(dir, "kanban.db");
  const { sql } = await loadLibrary();
  const db = new sql.Database();
  for (const statement of statements) db.run(statement);
  writeFileSync(path, db.export());
  db.close();
  return { dir, path };
}

function open(t: TestContext, path: string, readonly = false) {
  const spec = { name: "board:default", path, kind: "board", migrations: boardMigrations } as const;
  const store = openInline(spec, { disk: realDisk, clock: manualClock(), host: "inline", log: silentLog, readonly });
  t.after(async () => (await store.catch(() => undefined))?.close());
  return store;
}

/** What is found in an older board, and what becomes of it: rows of one statement over the tables of today. */
const RULES: readonly { what: string; found: readonly string[]; ask: string; becomes: readonly Row[] }[] = [
  {
    what: "missing columns have their defaults",
    found: [TASKS, ONE],
    ask: `SELECT title, status, assignee, priority, workspace_kind, created_by, skills, consecutive_failures, goal_mode, auto_decompose, version,
      created_at, updated_at FROM tasks`,
    becomes: [
      {
        title: "one",
        status: "ready",
        assignee: null,
        priority: 0,
        workspace_kind: "scratch",
        created_by: "user",
        skills: "[]",
        consecutive_failures: 0,
        goal_mode: 0,
        auto_decompose: 1,
        version: 1,
        created_at: 1000,
        updated_at: 1000,
      },
    ],
  },
  {
    what: "texts go where texts lie",
    found: [
      withColumns("body TEXT, result TEXT"),
      "INSERT INTO tasks VALUES ('t_00000001', 'one', 'done', 1000, 'the body', 'the result')",
    ],
    ask: "SELECT body, result FROM task_texts",
    becomes: [{ body: "the body", result: "the result" }],
  },
  {
    what: "the old counter of starts that failed is the counter of failures",
    found: [
      withColumns("spawn_failures INTEGER, last_spawn_error TEXT"),
      "INSERT INTO tasks VALUES ('t_00000001', 'one', 'ready', 1, 3, 'no such file')",
    ],
    ask: "SELECT consecutive_failures, last_failure_error FROM tasks",
    becomes: [{ consecutive_failures: 3, last_failure_error: "no such file" }],
  },
  {
    what: "a counter that is there already is not copied over",
    found: [
      withColumns(
        "spawn_failures INTEGER, consecutive_failures INTEGER, last_spawn_error TEXT, last_failure_error TEXT",
      ),
      "INSERT INTO tasks VALUES ('t_00000001', 'one', 'ready', 1, 3, 1, 'old', 'new')",
    ],
    ask: "SELECT consecutive_failures, last_failure_error FROM tasks",
    becomes: [{ consecutive_failures: 1, last_failure_error: "new" }],
  },
  {
    what: "old kinds of events have their names of today",
    found: [
      TASKS,
      ONE,
      "CREATE TABLE task_events (id INTEGER PRIMARY KEY, task_id TEXT, kind TEXT, payload TEXT, created_at INTEGER)",
      ...["ready", "priority", "spawn_auto_blocked", "completed"].map(
        (kind, n) => `INSERT INTO task_events VALUES (${n + 3}, 't_00000001', '${kind}', '{"n": ${n}}', ${2000 + n})`,
      ),
    ],
    ask: "SELECT seq, kind, payload, created_at FROM events ORDER BY seq",
    becomes: [
      { seq: 3, kind: "promoted", payload: '{"n":0}', created_at: 2_000_000 },
      { seq: 4, kind: "reprioritized", payload: '{"n":1}', created_at: 2_001_000 },
      { seq: 5, kind: "gave_up", payload: '{"n":2}', created_at: 2_002_000 },
      { seq: 6, kind: "completed", payload: '{"n":3}', created_at: 2_003_000 },
    ],
  },
  {
    what: "a running task without a run gets an open one that names no process",
    found: [
      withColumns("assignee TEXT, started_at INTEGER, worker_pid INTEGER"),
      "INSERT INTO tasks VALUES ('t_00000001', 'one', 'running', 1000, 'Coder', 1500, 4711)",
    ],
    ask: `SELECT t.status, t.assignee, t.current_run_id, r.profile, r.started_at, r.ended_at, r.worker_pid, e.kind, e.actor, e.run_id
      FROM tasks t JOIN runs r ON r.task_id = t.id JOIN events e ON e.task_id = t.id`,
    becomes: [
      {
        status: "running",
        assignee: "coder",
        current_run_id: 1,
        profile: "coder",
        started_at: 1500,
        ended_at: null,
        worker_pid: null,
        kind: "claimed",
        actor: "system",
        run_id: 1,
      },
    ],
  },
  {
    what: "a run that was done was completed; an open run of a task that does not run was lost",
    found: [
      TASKS,
      ONE.replace("ready", "done"),
      "CREATE TABLE task_runs (id INTEGER PRIMARY KEY, task_id TEXT, profile TEXT, status TEXT, started_at INTEGER, ended_at INTEGER, summary TEXT)",
      "INSERT INTO task_runs VALUES (7, 't_00000001', 'p', 'running', 1000, NULL, NULL)",
      "INSERT INTO task_runs VALUES (9, 't_00000001', 'p', 'done', 1100, 1200, 'did it')",
    ],
    ask: "SELECT r.id, r.outcome, r.end_reason, r.ended_at, x.summary FROM runs r LEFT JOIN run_texts x ON x.run_id = r.id ORDER BY r.id",
    becomes: [
      { id: 7, outcome: "reclaimed", end_reason: "lost_with_owner", ended_at: 1000, summary: null },
      { id: 9, outcome: "completed", end_reason: null, ended_at: 1200, summary: "did it" },
    ],
  },
  {
    what: "what waited for review is blocked by a person",
    found: [TASKS, ONE.replace("ready", "review")],
    ask: "SELECT t.status, t.block_kind, x.block_reason FROM tasks t JOIN task_texts x ON x.task_id = t.id",
    becomes: [{ status: "blocked", block_kind: "human", block_reason: "was waiting for review" }],
  },
  {
    what: "a status that nobody knows is blocked, and says which it was",
    found: [TASKS, ONE.replace("ready", "cooking")],
    ask: "SELECT t.status, t.block_kind, x.block_reason FROM tasks t JOIN task_texts x ON x.task_id = t.id",
    becomes: [{ status: "blocked", block_kind: "human", block_reason: "had the unknown status 'cooking'" }],
  },
  {
    what: "what was blocked after failures is held by the breaker, the rest by a person",
    found: [
      withColumns("consecutive_failures INTEGER"),
      "INSERT INTO tasks VALUES ('t_00000001', 'one', 'blocked', 1, 2)",
      "INSERT INTO tasks VALUES ('t_00000002', 'two', 'blocked', 2, 0)",
    ],
    ask: "SELECT block_kind FROM tasks ORDER BY id",
    becomes: [{ block_kind: "breaker" }, { block_kind: "human" }],
  },
  {
    what: "row ids that are text are given anew in order, and what names them follows",
    found: [
      TASKS,
      ONE.replace("ready", "done"),
      "CREATE TABLE task_runs (id TEXT PRIMARY KEY, task_id TEXT, profile TEXT, outcome TEXT, started_at INTEGER, ended_at INTEGER)",
      "INSERT INTO task_runs VALUES ('zz', 't_00000001', 'p', 'crashed', 1000, 1001)",
      "INSERT INTO task_runs VALUES ('aa', 't_00000001', 'p', 'completed', 2000, 2001)",
      "CREATE TABLE task_events (id TEXT PRIMARY KEY, task_id TEXT, run_id TEXT, kind TEXT, created_at INTEGER)",
      "INSERT INTO task_events VALUES ('y', 't_00000001', 'aa', 'completed', 2001)",
      "INSERT INTO task_events VALUES ('x', 't_00000001', 'zz', 'crashed', 1001)",
    ],
    ask: "SELECT e.seq, e.kind, e.run_id, r.outcome FROM events e JOIN runs r ON r.id = e.run_id ORDER BY e.seq",
    becomes: [
      { seq: 1, kind: "crashed", run_id: 1, outcome: "crashed" },
      { seq: 2, kind: "completed", run_id: 2, outcome: "completed" },
    ],
  },
  {
    what: "subscriptions begin at the newest event",
    found: [
      TASKS,
      ONE,
      "CREATE TABLE task_events (id TEXT PRIMARY KEY, task_id TEXT, kind TEXT, created_at INTEGER)",
      "INSERT INTO task_events VALUES ('x', 't_00000001', 'created', 1000)",
      "CREATE TABLE kanban_notify_subs (task_id TEXT, platform TEXT, chat_id TEXT, thread_id TEXT, last_event_id TEXT)",
      "INSERT INTO kanban_notify_subs VALUES ('t_00000001', 'msgt', '5', NULL, 'gone')",
      "INSERT INTO kanban_notify_subs VALUES ('t_00000001', 'msgt', '5', '', 'gone')",
    ],
    ask: "SELECT task_id, platform, chat_id, thread_id, last_event_id, artifacts FROM subscriptions",
    becomes: [{ task_id: "t_00000001", platform: "msgt", chat_id: "5", thread_id: "", last_event_id: 1, artifacts: 1 }],
  },
  {
    what: "of two tasks with one key the newest keeps it; archived ones keep theirs",
    found: [
      withColumns("idempotency_key TEXT"),
      "INSERT INTO tasks VALUES ('t_00000001', 'one', 'ready', 1, 'k')",
      "INSERT INTO tasks VALUES ('t_00000002', 'two', 'ready', 2, 'k')",
      "INSERT INTO tasks VALUES ('t_00000003', 'old', 'archived', 3, 'k')",
    ],
    ask: "SELECT id, idempotency_key FROM tasks ORDER BY id",
    becomes: [
      { id: "t_00000001", idempotency_key: null },
      { id: "t_00000002", idempotency_key: "k" },
      { id: "t_00000003", idempotency_key: "k" },
    ],
  },
  {
    what: "links and comments come along; links to nowhere do not",
    found: [
      TASKS,
      ONE,
      ONE.replace("00000001", "00000002").replace("ready", "todo"),
      "CREATE TABLE task_links (parent_id TEXT, child_id TEXT)",
      "INSERT INTO task_links VALUES ('t_00000001', 't_00000002'), ('t_00000001', 't_00000002'), ('t_gone', 't_00000002')",
      "CREATE TABLE task_comments (id INTEGER PRIMARY KEY, task_id TEXT, author TEXT, body TEXT, created_at INTEGER)",
      "INSERT INTO task_comments VALUES (4, 't_00000001', 'user', 'hello', 5), (5, 't_00000001', 'coder', 'done', 6)",
    ],
    ask: `SELECT l.parent_id, l.child_id, c.id, c.author_kind, x.text FROM links l JOIN comments c JOIN comment_texts x ON x.comment_id = c.id ORDER BY c.id`,
    becomes: [
      { parent_id: "t_00000001", child_id: "t_00000002", id: 4, author_kind: "human", text: "hello" },
      { parent_id: "t_00000001", child_id: "t_00000002", id: 5, author_kind: "worker", text: "done" },
    ],
  },
  {
    what: "a task that was ready too early waits for its parents",
    found: [
      TASKS,
      ONE,
      ONE.replace("00000001", "00000002"),
      "CREATE TABLE task_links (parent_id TEXT, child_id TEXT)",
      "INSERT INTO task_links VALUES ('t_00000001', 't_00000002')",
    ],
    ask: "SELECT status FROM tasks ORDER BY id",
    becomes: [{ status: "ready" }, { status: "todo" }],
  },
  {
    what: "instants are read as seconds, milliseconds or text; skills as a list or with commas",
    found: [
      "CREATE TABLE tasks (id TEXT PRIMARY KEY, title TEXT, status TEXT, created_at, skills TEXT)",
      "INSERT INTO tasks VALUES ('t_00000001', 'one', 'ready', 1700000000123, '[\"a\",\"b\"]')",
      "INSERT INTO tasks VALUES ('t_00000002', 'two', 'ready', '2023-11-14T22:13:20Z', 'a, b')",
    ],
    ask: "SELECT created_at, skills FROM tasks ORDER BY id",
    becomes: [
      { created_at: 1_700_000_000, skills: '["a","b"]' },
      { created_at: 1_700_000_000, skills: '["a","b"]' },
    ],
  },
];

for (const { what, found, ask, becomes } of RULES) {
  test(`an older board: ${what}`, async (t) => {
    const { path } = await setup(t, found);
    const store = await open(t, path);
    assert.deepEqual(await store.read((q) => q.all(ask)), becomes);
    await store.close();
    const again = await open(t, path);
    assert.deepEqual(await again.read((q) => q.all(ask)), becomes);
  });
}

test("an older board is copied before it changes, and nothing of its tables stays", async (t) => {
  const { dir, path } = await setup(t, [
    TASKS,
    ONE,
    "CREATE INDEX runs_task ON tasks (status)",
    "CREATE VIEW shown AS SELECT * FROM tasks",
  ]);
  const before = readFileSync(path);
  const store = await open(t, path);
  const [copy, ...more] = readdirSync(join(dir, "state-snapshots"));
  assert.deepEqual(more, []);
  assert.match(copy ?? "", /^kanban\.db\.schema-0\.\d+$/);
  assert.deepEqual(readFileSync(join(dir, "state-snapshots", copy ?? "")), before);
  const names = await store.read((q) =>
    q.all<{ name: string }>("SELECT name FROM sqlite_master WHERE name LIKE 'older%' OR name = 'shown'"),
  );
  assert.deepEqual(names, []);
});

test("looking at an older board shows it as it will be and changes no byte", async (t) => {
  const { dir, path } = await setup(t, [TASKS, ONE]);
  const before = readFileSync(path);
  const store = await open(t, path, true);
  assert.deepEqual(await store.read((q) => q.all("SELECT title FROM tasks")), [{ title: "one" }]);
  assert.deepEqual(readFileSync(path), before);
  assert.deepEqual(readdirSync(dir), ["kanban.db"]);
});

test("a database of another program is no older board", async (t) => {
  const { path } = await setup(t, ["CREATE TABLE tasks (name TEXT)"]);
  const before = readFileSync(path);
  await assert.rejects(open(t, path), /of another program/);
  assert.deepEqual(readFileSync(path), before);
});

test("a store of an earlier layout is copied before the next one", async (t) => {
  const { dir, path } = await setup(t, []);
  rmSync(path);
  const first = { name: "board:default", path, kind: "board", migrations: boardMigrations.slice(0, 1) } as const;
  const ports = { disk: realDisk, clock: manualClock(), host: "inline", log: silentLog } as const;
  const old = await openInline(first, ports);
  await old.write("one", async (tx) => {
    await tx.run(
      "INSERT INTO tasks (id, title, status, created_by, created_at, updated_at) VALUES ('t_00000001', 'one', 'ready', 'user', 1, 1)",
    );
  });
  await old.close();
  const store = await open(t, path);
  assert.deepEqual(await store.read((q) => q.all("SELECT id FROM tasks")), [{ id: "t_00000001" }]);
  const [copy] = readdirSync(join(dir, "state-snapshots"));
  assert.match(copy ?? "", /^kanban\.db\.schema-1\.\d+$/);
  const kept = await openInline(
    { ...first, path: join(dir, "state-snapshots", copy ?? "") },
    { ...ports, readonly: true },
  );
  assert.deepEqual(await kept.read((q) => q.all("SELECT id FROM tasks")), [{ id: "t_00000001" }]);
  await kept.close();
});
