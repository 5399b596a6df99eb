import * as z from "zod";
import type { CronJobJson, CronRunJson } from "../../gateway/cron-json.js";

const text = z.string().nullable();
const instant = z.iso.datetime();
const at = instant.nullable();
const origin = z.record(z.string(), z.unknown()).nullable().describe("chat it was created in");

const STATUSES = ["ok", "error", "silent", "skipped", "interrupted"] as const;
const DELIVERIES = ["sent", "pending", "unknown", "failed", "none"] as const;

const said = {
  prompt: z.string(),
  skills: z.array(z.string()),
  model: text,
  provider: text,
  base_url: text,
  enabled_toolsets: z.array(z.string()).nullable(),
  workdir: text,
  script: text,
  no_agent: z.boolean(),
  context_from: z.array(z.string()),
  max_runtime_seconds: z.number().nullable(),
  deliver: z.string(),
  origin,
};

/** A scheduled job. */
export const jobShape = z
  .object({
    id: z.string(),
    name: z.string(),
    ...said,
    schedule: z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("once"), run_at: instant }),
      z.object({ kind: z.literal("interval"), minutes: z.number() }),
      z.object({ kind: z.literal("cron"), expr: z.string() }),
    ]),
    schedule_display: z.string(),
    timezone: z.string(),
    catch_up: z.enum(["skip", "once"]),
    repeat: z.object({ times: z.number().nullable(), completed: z.number() }),
    enabled: z.boolean(),
    state: z.enum(["scheduled", "running", "paused", "completed", "error"]),
    paused_at: at,
    paused_reason: text,
    created_at: instant,
    next_run_at: at,
    last_run_at: at,
    last_status: z.enum(STATUSES).nullable(),
    last_error: text,
    last_missed: z.int(),
    last_delivery_status: z.enum(DELIVERIES).nullable(),
    last_delivery_error: text,
  })
  .meta({ id: "CronJob" }) satisfies z.ZodType<unknown>;

/** A job with its next runs. */
export const plannedRunShape = jobShape
  .extend({ next_runs: z.array(z.iso.datetime()).describe("at most three") })
  .meta({ id: "PlannedCronJob" });

/** A run of a job. */
export const cronRunShape = z
  .object({
    id: z.string(),
    job_id: z.string(),
    cause: z.enum(["schedule", "manual"]),
    scheduled_for: instant,
    missed: z.int(),
    made_at: instant,
    started_at: at,
    ended_at: at,
    status: z.enum([...STATUSES, "queued", "running"]),
    error: text,
    session_id: text,
    output_path: text,
    delivery_ids: z.array(z.string()),
  })
  .meta({ id: "CronRun" }) satisfies z.ZodType<unknown>;

/** Keeps the forms to the types that the commands answer with. */
export type CronShapesMatch = [
  z.output<typeof jobShape> extends CronJobJson ? true : never,
  CronRunJson extends z.input<typeof cronRunShape> ? true : never,
];
