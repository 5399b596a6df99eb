import * as z from "zod";
import { toRunJson } from "../../contracts/gateway/cron-json.js";
import { defineCommand } from "../define.js";
import { runLine } from "./text.js";

export default defineCommand({
  path: "cron run",
  summary: "Run a job now. Its schedule is unchanged.",
  topic: "cron",
  params: z.object({ job: z.string().describe("id or name") }),
  positionals: ["job"],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  run: async ({ job }, ctx) => {
    const run = await ctx.cron.run(job);
    const shown = await ctx.cron.show(run.job_id);
    if (run.status === "queued")
      return {
        text: `Queued ${run.id} of ${shown.job.name}; agent cron runs ${run.job_id} shows it.`,
        data: toRunJson(run),
      };
    const { last_delivery_status: delivery, last_delivery_error: error, timezone } = shown.job;
    const lines = [runLine(run, timezone)];
    if (delivery !== null && delivery !== "none")
      lines.push(`    delivery ${delivery}${error === null ? "" : `: ${error}`}`);
    return {
      text: lines.join("\n"),
      data: toRunJson(run),
      exit: run.status === "ok" || run.status === "silent" ? 0 : 1,
    };
  },
});
