import * as z from "zod";
import type { CronJobJson, CronRunJson } from "../../../proto/cron-json.js";

const text = z.string().nullable();
const instant = z.iso.datetime();
const at = instant.nullable();
const origin = z.record(z.string(), z.unknown()).nullable().describe("chat that it was made in");

const STATUSES = ["ok", "error", "silent", "skipped", "interrupted"] as const;
const DELIVERIES = ["sent", "pending", "unknown", "failed", "none"] as const;

const said = {
  ...{ prompt: z.string(), skills: z.array(z.string()), model: text, provider: text, base_url: text },
  ...{ enabled_toolsets: z.array(z.string()).nullable(), workdir: text, script: text, no_agent: z.boolean() },
  ...{ context_from: z.array(z.string()), max_runtime_seconds: z.number().nullable(), deliver: z.string(), origin },
};

/** A scheduled job. */
export const job = z.object({
  ...{ id: z.string(), name: z.string(), ...said },
  schedule: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("once"), run_at: instant }),
    z.object({ kind: z.literal("interval"), minutes: z.number() }),
    z.object({ kind: z.literal("cron"), expr: z.string() }),
  ]),
  ...{ schedule_display: z.string(), timezone: z.string(), catch_up: z.enum(["skip", "once"]) },
  repeat: z.object({ times: z.number().nullable(), completed: z.number() }),
  ...{ enabled: z.boolean(), state: z.enum(["scheduled", "running", "paused", "completed", "error"]) },
  ...{ paused_at: at, paused_reason: text, created_at: instant, next_run_at: at, last_run_at: at },
  ...{ last_status: z.enum(STATUSES).nullable(), last_error: text, last_missed: z.int() },
  ...{ last_delivery_status: z.enum(DELIVERIES).nullable(), last_delivery_error: text },
}) satisfies z.ZodType<unknown>;

/** A job with its next runs. */
export const planned = job.extend({ next_runs: z.array(z.iso.datetime()).describe("at most three") });

/** A run of a job. */
export const run = z.object({
  ...{ id: z.string(), job_id: z.string(), cause: z.enum(["schedule", "manual"]), scheduled_for: instant, missed: z.int() },
  ...{ made_at: instant, started_at: at, ended_at: at, status: z.enum([...STATUSES, "queued", "running"]), error: text },
  ...{ session_id: text, output_path: text, delivery_ids: z.array(z.string()) },
}) satisfies z.ZodType<unknown>;

/** What may be said of a job. */
export const change = z.object({
  schedule: z.string().min(1).max(200).optional().describe("30m, every 2h, a cron expression, @daily, or 2026-07-01T09:00"),
  prompt: z.string().max(100_000).optional().describe("what the agent is asked each time"),
  name: z.string().min(1).max(200).optional(),
  timezone: z.string().max(100).optional().describe("IANA name; default: that of the settings"),
  deliver: z.string().max(1_000).optional().describe("local, all, a platform, or <platform>:<chat>; comma list"),
  skills: z.array(z.string().max(200)).max(20).optional(),
  script: z.string().max(500).nullable().optional().describe("script below scripts/ of the home that runs first"),
  no_agent: z.boolean().optional().describe("only the script runs"),
  context_from: z.array(z.string().max(200)).max(10).optional().describe("jobs whose newest output goes before the prompt"),
  enabled_toolsets: z.array(z.string().max(100)).max(50).nullable().optional(),
  workdir: z.string().max(2_000).nullable().optional(),
  model: z.string().max(200).nullable().optional(),
  provider: z.string().max(200).nullable().optional(),
  repeat: z.int().min(1).nullable().optional().describe("runs until it is completed; null: for ever"),
  catch_up: z.enum(["skip", "once"]).optional(),
  max_runtime_seconds: z.number().positive().nullable().optional(),
});

/** Keeps the forms to the types that the commands answer with. */
export type Held = [z.output<typeof job> extends CronJobJson ? true : never, CronRunJson extends z.input<typeof run> ? true : never];
