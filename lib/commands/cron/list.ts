import * as z from "zod";
import { toJobJson } from "../../contracts/gateway/cron-json.js";
import { defineCommand } from "../define.js";
import { jobLine } from "./text.js";

export default defineCommand({
  path: "cron list",
  aliases: ["cron"],
  summary: "List scheduled jobs by next run.",
  topic: "cron",
  params: z.object({ all: z.boolean().default(false).describe("include completed jobs") }),
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  run: async ({ all }, ctx) => {
    const jobs = await ctx.cron.list(all);
    const text =
      jobs.length === 0
        ? 'No scheduled jobs. agent cron create "every 2h" "PROMPT" creates one.'
        : jobs.map(jobLine).join("\n");
    return { text, data: jobs.map(toJobJson) };
  },
});
