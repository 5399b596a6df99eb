import * as z from "zod";
import { toRunJson } from "../../contracts/gateway/cron-json.js";
import { defineCommand } from "../define.js";
import { runLine } from "./text.js";

export default defineCommand({
  path: "cron runs",
  summary: "List the runs of a job, newest first.",
  topic: "cron",
  params: z.object({
    job: z.string().describe("maximum number of rows"),
    limit: z.number().int().min(1).max(1000).default(20).describe("maximum number of rows"),
  }),
  positionals: ["job"],
  surfaces: ["cli", "rpc"],
  access: "read",
  run: async ({ job, limit }, ctx) => {
    const shown = await ctx.cron.show(job);
    const runs = await ctx.cron.runs(shown.job.id, limit);
    const text =
      runs.length === 0
        ? `${shown.job.name} has not run.`
        : runs.map((run) => runLine(run, shown.job.timezone)).join("\n");
    return { text, data: runs.map(toRunJson) };
  },
});
