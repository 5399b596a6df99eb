import { ownEntry } from "../../lib/base/json/record.js";
import type { Row, Tx, Value } from "../store.js";
import {
  archived,
  assigneeOf,
  authorKind,
  flag,
  instant,
  integer,
  jsonObject,
  positive,
  skillsOf,
  text,
} from "./older-values.js";

/** Names that the tables of an older board have while it is taken over. */
export const OLDER_PREFIX = "older_";

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Statements by which an older board is found and named. */
export const OLDER_BOARD = {
  columns: "SELECT name FROM pragma_table_info(?)",
  recognised: ["id", "title", "status"],
  things: "SELECT type, name FROM sqlite_master WHERE name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY type DESC, name",
  rename: (table: string) => `ALTER TABLE ${quoted(table)} RENAME TO ${quoted(`${OLDER_PREFIX}${table}`)}`,
  drop: (type: string, name: string) => `DROP ${type.toUpperCase()} IF EXISTS ${quoted(name)}`,
  born: "INSERT INTO _store (id, kind, schema, seq, segment_version) VALUES (?, ?, 0, 0, 1)",
} as const;

const STATUSES = new Set(["triage", "todo", "ready", "running", "blocked", "scheduled", "done", "archived"]);
const KINDS: Readonly<Record<string, string>> = {
  ready: "promoted",
  priority: "reprioritized",
  spawn_auto_blocked: "gave_up",
};
const BLOCK_KINDS = new Set(["human", "worker", "breaker", "protocol", "budget"]);
const OUTCOMES = new Set([
  "completed",
  "blocked",
  "scheduled",
  "crashed",
  "timed_out",
  "spawn_failed",
  "protocol_violation",
  "rate_limited",
  "reclaimed",
  "stale",
]);

/** Fill the tables of today from those of an older board, where there are any (board part, 2.9). It draws no time: the file's own count. */
export async function fillFromOlder(tx: Tx): Promise<void> {
  const tables = new Set(
    (await tx.all<{ name: string }>("SELECT name FROM sqlite_master WHERE name LIKE 'older!_%' ESCAPE '!'")).map(
      (row) => row.name,
    ),
  );
  if (!tables.has(`${OLDER_PREFIX}tasks`)) return;
  const source = (names: readonly string[]) =>
    names.map((name) => `${OLDER_PREFIX}${name}`).find((name) => tables.has(name));
  const tasks = await rowsOf(tx, source(["tasks"]));
  const now = Math.max(1, ...tasks.map(newest));
  const known = new Map<string, string>();
  const keys = keptKeys(tasks);
  for (const row of tasks) {
    const status = await putTask(tx, row, { now, keys });
    known.set(String(row["id"]), status);
  }
  await putLinks(tx, await rowsOf(tx, source(["links", "task_links"])), known);
  await putComments(tx, await rowsOf(tx, source(["comments", "task_comments"])), known);
  const runs = await putRuns(tx, await rowsOf(tx, source(["runs", "task_runs"])), tasks, now);
  const last = await putEvents(tx, await rowsOf(tx, source(["events", "task_events"])), runs, now);
  await putAttachments(tx, await rowsOf(tx, source(["attachments", "task_attachments"])), { known, runs, now });
  await putSubscriptions(
    tx,
    await rowsOf(tx, source(["subscriptions", "notify_subs", "kanban_notify_subs", "task_notify_subs"])),
    known,
    last,
  );
  await tx.run(
    `UPDATE tasks SET status = 'todo' WHERE status = 'ready' AND EXISTS (
       SELECT 1 FROM links l JOIN tasks p ON p.id = l.parent_id WHERE l.child_id = tasks.id AND p.status <> 'archived'
         AND NOT (p.status = 'done' AND COALESCE(p.verdict, 'accepted') <> 'rejected'))`,
  );
}

/** Rows in the order in which they were made. */
async function rowsOf(tx: Tx, table: string | undefined): Promise<Row[]> {
  if (table === undefined) return [];
  const rows = await tx.all<Row>(`SELECT * FROM ${table}`);
  const at = (row: Row) => instant(row["created_at"] ?? row["started_at"]) ?? 0;
  const numbered = rows.every((row) => positive(row["id"]) !== null);
  return rows.sort((a, b) => (numbered ? Number(a["id"]) - Number(b["id"]) : at(a) - at(b)));
}

const newest = (row: Row): number =>
  Math.max(
    0,
    ...["created_at", "started_at", "completed_at", "archived_at", "updated_at"].map((name) => instant(row[name]) ?? 0),
  );

/** Of several unarchived tasks with one key the newest keeps it. */
function keptKeys(tasks: readonly Row[]): ReadonlyMap<string, string> {
  const kept = new Map<string, { id: string; at: number }>();
  for (const row of tasks) {
    const key = text(row["idempotency_key"]);
    const at = instant(row["created_at"]) ?? 0;
    if (key === null || row["status"] === "archived" || (kept.get(key)?.at ?? -1) > at) continue;
    kept.set(key, { id: String(row["id"]), at });
  }
  return new Map([...kept].map(([key, { id }]) => [key, id]));
}

async function put(tx: Tx, table: string, row: Readonly<Record<string, Value>>): Promise<void> {
  const names = Object.keys(row);
  await tx.run(
    `INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
    Object.values(row),
  );
}

/** @returns its status */
async function putTask(
  tx: Tx,
  row: Row,
  { now, keys }: { now: number; keys: ReadonlyMap<string, string> },
): Promise<string> {
  const id = String(row["id"]);
  const given = String(row["status"]);
  const status = STATUSES.has(given) ? given : "blocked";
  const failures = integer(row["consecutive_failures"] ?? row["spawn_failures"]) ?? 0;
  const created = instant(row["created_at"]) ?? now;
  const key = text(row["idempotency_key"]);
  const kind = text(row["block_kind"]);
  const workspace = String(row["workspace_kind"] ?? "scratch");
  await put(tx, "tasks", {
    id,
    title: text(row["title"])?.trim().slice(0, 300) || "(untitled)",
    assignee: assigneeOf(row["assignee"]),
    status,
    priority: integer(row["priority"]) ?? 0,
    tenant: text(row["tenant"]),
    workspace_kind: ["scratch", "dir", "worktree"].includes(workspace) ? workspace : "scratch",
    workspace_path: text(row["workspace_path"]),
    branch_name: text(row["branch_name"]),
    repo_path: text(row["repo_path"]),
    base_name: text(row["base_name"]),
    base_commit: text(row["base_commit"]),
    created_by: text(row["created_by"]) ?? "user",
    created_at: created,
    started_at: instant(row["started_at"]),
    completed_at: instant(row["completed_at"]) ?? (status === "done" ? newest(row) || now : null),
    skills: skillsOf(row["skills"]),
    max_retries: positive(row["max_retries"]),
    max_runtime_seconds: positive(row["max_runtime_seconds"]),
    session_id: text(row["session_id"]),
    model_override: text(row["model_override"]),
    idempotency_key: key !== null && (status === "archived" || keys.get(key) === id) ? key : null,
    goal_mode: flag(row["goal_mode"], 0),
    goal_max_turns: positive(row["goal_max_turns"]),
    consecutive_failures: failures,
    last_failure_error: text(row["last_failure_error"] ?? row["last_spawn_error"])?.slice(0, 500) ?? null,
    not_before: instant(row["not_before"]),
    scheduled_at: instant(row["scheduled_at"]),
    block_kind: status === "blocked" ? blockKind(given, kind, failures) : null,
    verdict: ["accepted", "rejected"].includes(String(row["verdict"])) ? text(row["verdict"]) : null,
    external: flag(row["external"], 0),
    hold: flag(row["hold"], 0),
    auto_decompose: flag(row["auto_decompose"], 1),
    decomposed_from: text(row["decomposed_from"]),
    ...archived(row, status, newest(row) || now),
    updated_at: newest(row) || now,
  });
  const texts = {
    body: text(row["body"]),
    result: text(row["result"]),
    block_reason: blockReason(given, text(row["block_reason"])),
  };
  if (Object.values(texts).some((value) => value !== null)) await put(tx, "task_texts", { task_id: id, ...texts });
  return status;
}

function blockKind(given: string, kind: string | null, failures: number): string {
  if (given !== "blocked") return "human";
  if (kind !== null && BLOCK_KINDS.has(kind)) return kind;
  return failures > 0 ? "breaker" : "human";
}

function blockReason(given: string, reason: string | null): string | null {
  if (given === "review") return "was waiting for review";
  return STATUSES.has(given) ? reason : `had the unknown status '${given.slice(0, 40)}'`;
}

async function putLinks(tx: Tx, rows: readonly Row[], known: ReadonlyMap<string, string>): Promise<void> {
  const seen = new Set<string>();
  for (const row of rows) {
    const parent = String(row["parent_id"]);
    const child = String(row["child_id"]);
    if (parent === child || !known.has(parent) || !known.has(child) || seen.has(`${parent} ${child}`)) continue;
    seen.add(`${parent} ${child}`);
    await put(tx, "links", { parent_id: parent, child_id: child });
  }
}

/** Ids that are not numbers are given again, in the order of the rows. */
function numbering(rows: readonly Row[]): (row: Row, place: number) => number {
  const numbers = rows.map((row) => positive(row["id"]));
  const usable = new Set(numbers).size === rows.length && numbers.every((number) => number !== null);
  return (row, place) => (usable ? Number(row["id"]) : place + 1);
}

async function putComments(tx: Tx, rows: readonly Row[], known: ReadonlyMap<string, string>): Promise<void> {
  const idOf = numbering(rows);
  for (const [place, row] of rows.entries()) {
    const said = text(row["text"] ?? row["body"] ?? row["content"]);
    if (said === null || !known.has(String(row["task_id"]))) continue;
    const id = idOf(row, place);
    const author = text(row["author"]) ?? "user";
    const kind = authorKind(row["author_kind"], author);
    await put(tx, "comments", {
      id,
      task_id: String(row["task_id"]),
      author,
      author_kind: kind,
      created_at: instant(row["created_at"]) ?? 0,
    });
    await put(tx, "comment_texts", { comment_id: id, text: said.slice(0, 64 * 1024) });
  }
}

/** Old ids of runs, and the new ones. Open runs by the number of their claim. */
interface Runs {
  readonly numbers: ReadonlyMap<string, number>;
  readonly open: ReadonlyMap<number, { readonly task: string; readonly at: number }>;
}

async function putRuns(tx: Tx, rows: readonly Row[], tasks: readonly Row[], now: number): Promise<Runs> {
  const numbers = new Map<string, number>();
  const open = new Map<number, { task: string; at: number }>();
  const idOf = numbering(rows);
  const running = new Map(tasks.filter((row) => row["status"] === "running").map((row) => [String(row["id"]), row]));
  const newestOpen = new Map(
    rows.filter((row) => instant(row["ended_at"]) === null).map((row) => [String(row["task_id"]), row]),
  );
  const all = new Set(tasks.map((row) => String(row["id"])));
  for (const [place, row] of rows.entries()) {
    const task = String(row["task_id"]);
    if (!all.has(task)) continue;
    const id = idOf(row, place);
    numbers.set(String(row["id"]), id);
    const isOpen = running.has(task) && newestOpen.get(task) === row;
    await putRun(tx, row, { id, isOpen, now });
    if (isOpen) open.set(id, { task, at: instant(row["started_at"]) ?? now });
  }
  let next = Math.max(0, ...numbers.values());
  for (const [task, row] of running) {
    if ([...open.values()].some((run) => run.task === task)) continue;
    next += 1;
    const at = instant(row["started_at"]) ?? now;
    await putRun(
      tx,
      { task_id: task, profile: assigneeOf(row["assignee"]), started_at: at },
      { id: next, isOpen: true, now },
    );
    open.set(next, { task, at });
  }
  for (const [id, { task }] of open) await tx.run("UPDATE tasks SET current_run_id = ? WHERE id = ?", [id, task]);
  return { numbers, open };
}

/** Nothing of an older run proves who its worker is: no process is named by it. */
async function putRun(
  tx: Tx,
  row: Row,
  how: { readonly id: number; readonly isOpen: boolean; readonly now: number },
): Promise<void> {
  const { id, isOpen, now } = how;
  const started = instant(row["started_at"]) ?? now;
  const given = text(row["outcome"]) ?? text(row["status"]) ?? "";
  const outcome = given === "done" ? "completed" : OUTCOMES.has(given) ? given : "reclaimed";
  await put(tx, "runs", {
    id,
    task_id: String(row["task_id"]),
    profile: text(row["profile"]) ?? "default",
    outcome: isOpen ? null : outcome,
    end_reason: !isOpen && outcome === "reclaimed" ? (text(row["end_reason"]) ?? "lost_with_owner") : null,
    claim_expires: isOpen ? started : null,
    last_heartbeat_at: instant(row["last_heartbeat_at"]) ?? started,
    max_runtime_seconds: positive(row["max_runtime_seconds"]),
    started_at: started,
    ended_at: isOpen ? null : (instant(row["ended_at"]) ?? started),
    error: text(row["error"])?.slice(0, 500) ?? null,
    session_id: text(row["session_id"]),
  });
  const summary = text(row["summary"]);
  const metadata = jsonObject(row["metadata"]);
  if (summary !== null || metadata !== null) await put(tx, "run_texts", { run_id: id, summary, metadata });
}

/** @returns the newest event */
async function putEvents(tx: Tx, rows: readonly Row[], runs: Runs, now: number): Promise<number> {
  const idOf = numbering(rows);
  let last = 0;
  const claimed = new Set<number>();
  for (const [place, row] of rows.entries()) {
    last = idOf(row, place);
    const given = text(row["kind"]) ?? "status";
    const run = runs.numbers.get(String(row["run_id"])) ?? null;
    if (given === "claimed" && run !== null) claimed.add(run);
    await put(tx, "events", {
      seq: last,
      kind: ownEntry(KINDS, given) ?? given,
      task_id: text(row["task_id"]),
      run_id: run,
      actor: text(row["actor"]) ?? (given === "claimed" ? "system" : null),
      payload: jsonObject(row["payload"]) ?? "{}",
      created_at: (instant(row["created_at"]) ?? now) * 1000,
    });
  }
  // An owner settles a run without a worker only when its events say that a dispatcher had claimed it.
  for (const [id, { task, at }] of runs.open) {
    if (claimed.has(id)) continue;
    last += 1;
    const payload = JSON.stringify({ lock: null, expires: at, run_id: id, from: "ready", to: "running" });
    await put(tx, "events", {
      seq: last,
      kind: "claimed",
      task_id: task,
      run_id: id,
      actor: "system",
      payload,
      created_at: at * 1000,
    });
  }
  return last;
}

async function putAttachments(
  tx: Tx,
  rows: readonly Row[],
  { known, runs, now }: { readonly known: ReadonlyMap<string, string>; readonly runs: Runs; readonly now: number },
): Promise<void> {
  const idOf = numbering(rows);
  for (const [place, row] of rows.entries()) {
    const task = String(row["task_id"]);
    const filename = text(row["filename"] ?? row["name"]);
    if (filename === null || !known.has(task)) continue;
    const path = text(row["stored_path"] ?? row["path"]) ?? `${task}/${filename}`;
    const below = path.endsWith(`/${task}/${path.split("/").at(-1) ?? ""}`)
      ? path.split("/").slice(-2).join("/")
      : path;
    await put(tx, "attachments", {
      id: idOf(row, place),
      task_id: task,
      filename,
      stored_path: below,
      content_type: text(row["content_type"]) ?? "application/octet-stream",
      size: integer(row["size"]) ?? 0,
      sha256: text(row["sha256"]) ?? "",
      uploaded_by: text(row["uploaded_by"]) ?? "user",
      run_id: runs.numbers.get(String(row["run_id"])) ?? null,
      created_at: instant(row["created_at"]) ?? now,
    });
  }
}

/** What happened before is delivered already, or never will be: they begin at the newest event. */
async function putSubscriptions(
  tx: Tx,
  rows: readonly Row[],
  known: ReadonlyMap<string, string>,
  last: number,
): Promise<void> {
  const seen = new Set<string>();
  for (const row of rows) {
    const task = text(row["task_id"]);
    const place = [text(row["platform"]), text(row["chat_id"]), text(row["thread_id"]) ?? ""];
    const key = JSON.stringify([task, ...place]);
    if (place[0] === null || place[1] === null || (task !== null && !known.has(task)) || seen.has(key)) continue;
    seen.add(key);
    await put(tx, "subscriptions", {
      task_id: task,
      platform: place[0] ?? "",
      chat_id: place[1] ?? "",
      thread_id: place[2] ?? "",
      user_id: text(row["user_id"]),
      notifier_profile: text(row["notifier_profile"]),
      created_at: instant(row["created_at"]) ?? 0,
      last_event_id: last,
    });
  }
}
