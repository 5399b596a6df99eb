import * as z from "zod";
import { lookedAt } from "../conversation/looked-at.js";
import { defineCommand } from "../define.js";
import { contextText } from "../render/usage.js";

export default defineCommand({
  path: "context",
  summary: "Show what fills the context window, and when compaction starts.",
  topic: "compaction",
  params: z.object({
    session: z.string().optional().describe("id, unique prefix or title (default: this conversation)"),
  }),
  positionals: ["session"],
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  run: async ({ session }, ctx) => {
    const report = await ctx.chat.context(await lookedAt(session, ctx));
    return { text: contextText(report), data: report };
  },
});
