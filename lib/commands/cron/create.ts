import * as z from "zod";
import { toPlannedJson } from "../../contracts/gateway/cron-json.js";
import { defineCommand } from "../define.js";
import { JOB_FLAGS, toJobChange } from "./flags.js";
import { nextLines } from "./text.js";

export default defineCommand({
  path: "cron create",
  summary: "Create a scheduled job.",
  topic: "cron",
  params: z.object({
    schedule: z.string().describe('schedule: 30m, "every 2h", "0 9 * * MON-FRI", @daily, 2026-07-01T09:00'),
    prompt: z.string().optional().describe("prompt of each run"),
    ...JOB_FLAGS,
  }),
  positionals: ["schedule", "prompt"],
  surfaces: ["cli", "rpc"],
  access: "write",
  run: async ({ schedule, prompt, ...flags }, ctx) => {
    const origin = ctx.origin === undefined ? {} : { origin: ctx.origin };
    const made = await ctx.cron.create({
      ...toJobChange(flags),
      ...origin,
      schedule,
      ...(prompt === undefined ? {} : { prompt }),
    });
    const { running } = await ctx.cron.status();
    const idle = running
      ? []
      : ["no long-lived owner is running: agent --headless starts one, agent cron tick runs due jobs once"];
    const text = [`Created ${made.job.id}: ${made.job.name} [${made.job.schedule_display}]`, ...nextLines(made)].join(
      "\n",
    );
    return { text, data: toPlannedJson(made), warnings: [...(made.warnings ?? []), ...idle] };
  },
});
