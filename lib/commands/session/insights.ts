import * as z from "zod";
import { defineCommand } from "../define.js";
import { insightsText } from "../render/usage.js";

const DAYS = 30;

export default defineCommand({
  path: "insights",
  summary: "Show usage over time by day, model, auxiliary work and tool.",
  topic: "compaction",
  params: z.object({
    period: z.number().int().min(1).max(3_650).optional().describe("days to look back"),
    days: z.number().int().min(1).max(3_650).optional().describe("days to look back (default 30)"),
  }),
  positionals: ["period"],
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  run: async ({ period, days }, ctx) => {
    const report = await ctx.chat.insights(period ?? days ?? DAYS);
    return { text: insightsText(report), data: report };
  },
});
