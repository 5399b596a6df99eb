import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { toPlannedJson } from "../../contracts/gateway/cron-json.js";
import { defineCommand } from "../define.js";
import { JOB_FLAGS, toJobChange } from "./flags.js";
import { nextLines } from "./text.js";

export default defineCommand({
  path: "cron edit",
  summary: "Change a scheduled job. Fields without an option are kept.",
  topic: "cron",
  params: z.object({
    job: z.string().describe("id or name"),
    schedule: z.string().optional().describe("new schedule, counted from now"),
    prompt: z.string().optional().describe("new prompt"),
    ...JOB_FLAGS,
    agent: z.boolean().default(false).describe("run the agent after the script again"),
  }),
  positionals: ["job"],
  surfaces: ["cli", "rpc"],
  access: "write",
  run: async ({ job, schedule, prompt, agent, ...flags }, ctx) => {
    if (agent && flags.no_agent) throw new AppError("E_USAGE", "--agent and --no-agent exclude each other");
    const change = {
      ...toJobChange(flags),
      ...(schedule === undefined ? {} : { schedule }),
      ...(prompt === undefined ? {} : { prompt }),
      ...(agent ? { no_agent: false } : {}),
    };
    if (Object.keys(change).length === 0) throw new AppError("E_USAGE", "nothing to change: pass at least one option");
    const edited = await ctx.cron.edit(job, change);
    const text = [
      `Changed ${edited.job.id}: ${edited.job.name} [${edited.job.schedule_display}]`,
      ...nextLines(edited),
    ].join("\n");
    return { text, data: toPlannedJson(edited), warnings: edited.warnings ?? [] };
  },
});
