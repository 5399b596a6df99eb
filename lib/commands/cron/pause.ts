import * as z from "zod";
import { toJobJson } from "../../contracts/gateway/cron-json.js";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "cron pause",
  summary: "Pause a scheduled job. A run in progress continues.",
  topic: "cron",
  params: z.object({
    job: z.string().describe("id or name"),
    reason: z.string().optional().describe("reason, shown with the job"),
  }),
  positionals: ["job"],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  run: async ({ job, reason }, ctx) => {
    const paused = await ctx.cron.pause(job, reason ?? null);
    return { text: `Paused ${paused.id}: ${paused.name}`, data: toJobJson(paused) };
  },
});
