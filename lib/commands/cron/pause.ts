import * as z from "zod";
import { toJobJson } from "../../contracts/gateway/cron-json.js";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "cron pause",
  summary: "Let a scheduled job rest; a run that goes on is not ended.",
  topic: "cron",
  params: z.object({
    job: z.string().describe("id or name"),
    reason: z.string().optional().describe("shown with the job"),
  }),
  positionals: ["job"],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  run: async ({ job, reason }, ctx) => {
    const paused = await ctx.cron.pause(job, reason ?? null);
    return { text: `Paused ${paused.id}: ${paused.name}`, data: toJobJson(paused) };
  },
});
