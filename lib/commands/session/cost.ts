import * as z from "zod";
import { AppError } from "../../base/errors.js";
import type { CostScope } from "../../contracts/chat/usage.js";
import { lookedAt } from "../conversation/looked-at.js";
import { defineCommand } from "../define.js";
import { costText, insightsText } from "../render/usage.js";

const SCOPES: readonly CostScope[] = ["session", "today", "week", "all"];

export default defineCommand({
  path: "cost",
  aliases: ["usage"],
  summary: "Show tokens and cost of a conversation, a period, or everything.",
  topic: "compaction",
  params: z.object({
    what: z
      .string()
      .optional()
      .describe("session, today, week or all; or a session id or title (default: this conversation)"),
    days: z.number().int().min(1).max(3_650).optional().describe("everything within this many days"),
  }),
  positionals: ["what"],
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  run: async ({ what, days }, ctx) => {
    if (days !== undefined) {
      if (what !== undefined) throw new AppError("E_USAGE", `--days cannot be combined with "${what}"`);
      const report = await ctx.chat.insights(days);
      return { text: insightsText(report), data: report };
    }
    const scope = SCOPES.find((one) => one === what);
    const wide = scope !== undefined && scope !== "session";
    const report = wide
      ? await ctx.chat.cost(scope)
      : await ctx.chat.cost("session", await lookedAt(scope === undefined ? what : undefined, ctx));
    return { text: costText(report), data: report };
  },
});
