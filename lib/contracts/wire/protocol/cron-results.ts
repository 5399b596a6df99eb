import * as z from "zod";
import { job, planned, run } from "../shapes/cron.js";
import type { Results } from "./define.js";

/** Answers of `cron.*`. */
export const CRON_RESULTS: Results = {
  "cron.create": planned,
  "cron.edit": planned,
  "cron.list": z.array(job),
  "cron.pause": job,
  "cron.remove": job,
  "cron.resume": planned,
  "cron.run": run,
  "cron.runs": z.array(run),
  "cron.show": planned,
  "cron.status": z.object({
    running: z.boolean(),
    next_run_at: z.string().nullable(),
    enabled: z.number(),
    stalled: z.boolean(),
    age_seconds: z.number().nullable(),
    jobs: z.number(),
    working: z.number(),
    last: z.object({ skipped: z.number(), due: z.number(), started: z.number(), last_tick_at: z.string() }).nullable(),
  }),
  "cron.tick": z.object({ skipped: z.number(), due: z.number(), started: z.number(), last_tick_at: z.string() }),
};
