import * as z from "zod";
import { toPlannedJson } from "../../contracts/gateway/cron-json.js";
import { defineCommand } from "../define.js";
import { nextLines } from "./text.js";

export default defineCommand({
  path: "cron resume",
  summary: "Resume a paused job, counted from now.",
  topic: "cron",
  params: z.object({ job: z.string().describe("id or name") }),
  positionals: ["job"],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  run: async ({ job }, ctx) => {
    const resumed = await ctx.cron.resume(job);
    return {
      text: [`Resumed ${resumed.job.id}: ${resumed.job.name}`, ...nextLines(resumed)].join("\n"),
      data: toPlannedJson(resumed),
    };
  },
});
