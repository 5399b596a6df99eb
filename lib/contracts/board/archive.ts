import * as z from "zod";
import { STATUSES } from "./board.js";

/** Format that this program writes, and the newest one that it reads. */
export const ARCHIVE_FORMAT = 1;

const id = z.string().regex(/^t_[0-9a-f]{8}$/);
const number = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
const key = number.min(1);
const flag = z.union([z.literal(0), z.literal(1)]);
/** Text of at most so many characters, which may be two code units each. What is shown of it is cleaned where it is shown. */
const text = (most: number) => z.string().max(2 * most);
const KIB = 1024;
const word = text(200);
const path = text(4 * KIB);
const maybe = <T extends z.ZodType>(type: T) => type.nullable().default(null);

export const archiveManifest = z.object({
  format: z.number().int().min(1),
  slug: word,
  exported_at: number,
  schema: number,
});
export type ArchiveManifest = z.output<typeof archiveManifest>;

export const archivedSettings = z.object({
  name: text(100).min(1),
  description: text(2000).default(""),
  icon: text(16).default(""),
  color: text(32).default(""),
  default_workdir: path.default(""),
  created_at: maybe(number),
  orchestration: maybe(z.enum(["auto", "manual"])),
  max_in_progress: maybe(key),
});

/** Stored as JSON text of at most so many characters. */
const stored = <T extends z.ZodType>(type: T, most: number) =>
  type.transform((value) => JSON.stringify(value)).pipe(text(most));
const object = z.record(z.string(), z.unknown());

const task = z.object({
  id,
  title: text(300).min(1),
  body: maybe(text(256 * KIB)),
  assignee: maybe(text(64)),
  status: z.enum(STATUSES),
  priority: z.number().int().default(0),
  tenant: maybe(word),
  workspace_kind: z.enum(["scratch", "dir", "worktree"]).default("scratch"),
  workspace_path: maybe(path),
  branch_name: maybe(path),
  repo_path: maybe(path),
  base_name: maybe(path),
  base_commit: maybe(word),
  created_by: word,
  created_at: number,
  started_at: maybe(number),
  completed_at: maybe(number),
  archived_at: maybe(number),
  updated_at: number,
  result: maybe(text(256 * KIB)),
  skills: stored(z.array(word), 64 * KIB).default("[]"),
  max_retries: maybe(key),
  max_runtime_seconds: maybe(key),
  goal_max_turns: maybe(key),
  session_id: maybe(word),
  idempotency_key: maybe(text(1000)),
  model_override: maybe(word),
  goal_mode: flag.default(0),
  external: flag.default(0),
  hold: flag.default(0),
  auto_decompose: flag.default(1),
  branch_made: flag.default(0),
  consecutive_failures: number.default(0),
  last_failure_error: maybe(text(500)),
  last_failure_class: maybe(word),
  not_before: maybe(number),
  scheduled_at: maybe(number),
  block_kind: maybe(z.enum(["human", "worker", "breaker", "protocol", "budget"])),
  block_reason: maybe(text(4 * KIB)),
  verdict: maybe(z.enum(["accepted", "rejected"])),
  decompose_attempts: number.default(0),
  decompose_next_at: maybe(number),
  decomposed_from: maybe(id),
  archived_from: maybe(z.enum(STATUSES)),
  created_run_id: maybe(number),
  version: key.default(1),
});

const OUTCOMES = [
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
] as const;

const run = z.object({
  id: key,
  task_id: id,
  profile: word,
  outcome: maybe(z.enum(OUTCOMES as unknown as [string, ...string[]])), // a tuple, as the list is not empty
  end_reason: maybe(word),
  last_heartbeat_at: number,
  max_runtime_seconds: maybe(key),
  started_at: number,
  ended_at: maybe(number),
  verdict: maybe(z.enum(["accepted", "rejected"])),
  error: maybe(text(500)),
  error_class: maybe(word),
  exit_code: maybe(z.number().int()),
  exit_signal: maybe(word),
  session_id: maybe(word),
  input_tokens: maybe(number),
  output_tokens: maybe(number),
  cached_tokens: maybe(number),
  api_calls: maybe(number),
  cost_usd: maybe(z.number().min(0)),
  summary: maybe(text(32 * KIB)),
  metadata: maybe(stored(object, 256 * KIB)),
});

/** Rows of an archive by the name of their member. Keys that are not known are dropped, missing ones have their default. */
export const archiveRows = {
  tasks: task,
  links: z.object({ parent_id: id, child_id: id, ignored: flag.default(0) }),
  comments: z.object({
    id: key,
    task_id: id,
    author: word,
    author_kind: z.enum(["human", "worker", "agent", "system"]),
    text: text(64 * KIB),
    created_at: number,
  }),
  events: z.object({
    seq: key,
    kind: text(64).min(1),
    task_id: maybe(word),
    run_id: maybe(number),
    actor: maybe(word),
    payload: stored(object, 1024 * KIB),
    created_at: number,
  }),
  runs: run,
  attachments: z.object({
    id: key,
    task_id: id,
    filename: text(200).min(1),
    content_type: word,
    size: number,
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
    uploaded_by: word,
    run_id: maybe(number),
    created_at: number,
  }),
} as const;
