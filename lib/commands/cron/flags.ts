import * as z from "zod";
import type { JobChange } from "../../contracts/gateway/cron.js";
import { parseDuration } from "../render/times.js";

/** What may be said of a job, for `create` and `edit`. */
export const JOB_FLAGS = {
  name: z.string().optional().describe("name of the job (default: the beginning of the prompt)"),
  tz: z
    .string()
    .optional()
    .describe("time zone, e.g. Europe/Berlin (default: the timezone setting, else the system's)"),
  deliver: z
    .string()
    .optional()
    .describe("delivery target: local, origin, all, <platform>, <platform>:<chat>[:<thread>]; comma-separated"),
  skill: z.array(z.string()).default([]).describe("skill to load; repeatable"),
  script: z.string().optional().describe("script below scripts/ of the home, run before the model"),
  no_agent: z.boolean().default(false).describe("run the script only and deliver its output"),
  context_from: z
    .array(z.string())
    .default([])
    .describe("job whose latest output is prepended to the prompt; repeatable"),
  workdir: z.string().optional().describe("working directory of the run (absolute path)"),
  model: z.string().optional().describe("model of the runs"),
  provider: z.string().optional().describe("provider of the runs"),
  repeat: z.number().int().min(1).optional().describe("number of runs before the job is completed"),
  catch_up: z.enum(["skip", "once"]).optional().describe("missed runs: skip them, or run once"),
  max_runtime: z.string().optional().describe("maximum duration of a run: seconds or a duration (90, 15m, 1.5h)"),
};

type Flags = z.output<z.ZodObject<typeof JOB_FLAGS>>;

/** What the flags say; what is not said stays as it is. */
export function toJobChange(flags: Flags): JobChange {
  const { name, tz: timezone, deliver, script, workdir, model, provider, repeat, catch_up } = flags;
  const given = { name, timezone, deliver, script, workdir, model, provider, repeat, catch_up };
  const said: JobChange = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return {
    ...said,
    ...(script === undefined ? {} : { by: "person" }),
    ...(flags.no_agent ? { no_agent: true } : {}),
    ...(flags.skill.length > 0 ? { skills: flags.skill } : {}),
    ...(flags.context_from.length > 0 ? { context_from: flags.context_from } : {}),
    ...(flags.max_runtime === undefined ? {} : { max_runtime_seconds: parseDuration(flags.max_runtime) }),
  };
}
