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
  summary: "Show the tokens and the price of a conversation, of today, of a week, or of everything.",
  topic: "compaction",
  params: z.object({
    what: z
      .string()
      .optional()
      .describe("session, today, week or all; or a session by id or title. Without it this conversation"),
    days: z.number().int().min(1).max(3_650).optional().describe("everything of so many days"),
  }),
  positionals: ["what"],
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  run: async ({ what, days }, ctx) => {
    if (days !== undefined) {
      if (what !== undefined)
        throw new AppError("E_USAGE", `--days counts everything: "${what}" cannot be given with it`);
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
