import * as z from "zod";
import type { JobChange } from "../../contracts/gateway/cron.js";
import { parseDuration } from "../render/times.js";

/** What may be said of a job, for `create` and `edit`. */
export const JOB_FLAGS = {
  name: z.string().optional().describe("default: the beginning of the prompt"),
  tz: z
    .string()
    .optional()
    .describe("time zone, e.g. Europe/Berlin; default: the setting timezone, else that of the system"),
  deliver: z.string().optional().describe("local, origin, all, <platform>, <platform>:<chat>[:<thread>]; comma list"),
  skill: z.array(z.string()).default([]).describe("skill to load; repeatable"),
  script: z.string().optional().describe("script below scripts/ of the home, run before the model"),
  no_agent: z.boolean().default(false).describe("only the script runs, and what it prints is delivered"),
  context_from: z
    .array(z.string())
    .default([])
    .describe("job whose newest output is put before the prompt; repeatable"),
  workdir: z.string().optional().describe("absolute path that the run works in"),
  model: z.string().optional().describe("model of its runs"),
  provider: z.string().optional().describe("provider of its runs"),
  repeat: z.number().int().min(1).optional().describe("number of runs, then it is completed"),
  catch_up: z.enum(["skip", "once"]).optional().describe("what becomes of missed runs: left out, or made up for once"),
  max_runtime: z.string().optional().describe("longest run: seconds or a duration (90, 15m, 1.5h)"),
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
