import * as z from "zod";

/** A shell hook of the settings with its approval and last run. */
export const hookShape = z.object({
  event: z.string(),
  command: z.string(),
  matcher: z.string().nullable(),
  timeout_seconds: z.number(),
  fail_open: z.boolean(),
  consent: z.enum(["approved", "new", "changed", "missing"]),
  last_run: z.object({ at: z.number(), ms: z.number(), outcome: z.string() }).nullable(),
});
