import * as z from "zod";
import { cronRunShape, jobShape, plannedRunShape } from "../shapes/cron.js";
import type { Results } from "./define.js";

/** Answers of `cron.*`. */
export const CRON_RESULTS: Results = {
  "cron.create": plannedRunShape,
  "cron.edit": plannedRunShape,
  "cron.list": z.array(jobShape),
  "cron.pause": jobShape,
  "cron.remove": jobShape,
  "cron.resume": plannedRunShape,
  "cron.run": cronRunShape,
  "cron.runs": z.array(cronRunShape),
  "cron.show": plannedRunShape,
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
