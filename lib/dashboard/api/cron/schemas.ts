import * as z from "zod";

/** What may be said of a job. */
export const change = z.object({
  schedule: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe("30m, every 2h, a cron expression, @daily, or 2026-07-01T09:00"),
  prompt: z.string().max(100_000).optional().describe("prompt of each run"),
  name: z.string().min(1).max(200).optional(),
  timezone: z.string().max(100).optional().describe("IANA name; default: that of the settings"),
  deliver: z.string().max(1_000).optional().describe("local, all, a platform, or <platform>:<chat>; comma-separated"),
  skills: z.array(z.string().max(200)).max(20).optional(),
  script: z.string().max(500).nullable().optional().describe("script below scripts/ of the home, run first"),
  no_agent: z.boolean().optional().describe("run the script only"),
  context_from: z
    .array(z.string().max(200))
    .max(10)
    .optional()
    .describe("jobs whose latest output is prepended to the prompt"),
  enabled_toolsets: z.array(z.string().max(100)).max(50).nullable().optional(),
  workdir: z.string().max(2_000).nullable().optional(),
  model: z.string().max(200).nullable().optional(),
  provider: z.string().max(200).nullable().optional(),
  repeat: z.int().min(1).nullable().optional().describe("runs before it is completed; null: unlimited"),
  catch_up: z.enum(["skip", "once"]).optional(),
  max_runtime_seconds: z.number().positive().nullable().optional(),
});
