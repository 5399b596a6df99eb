import * as z from "zod";
import { defineCommand } from "../define.js";
import { offerTable } from "./hub-text.js";

export default defineCommand({
  path: "skills browse",
  summary: "List every skill that the sources offer.",
  topic: "skills",
  params: z.object({
    trust: z.enum(["builtin", "trusted", "community"]).optional().describe("only sources of this trust"),
  }),
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  run: async ({ trust }, ctx) => {
    const { rows, failed } = await (await ctx.skills.hub()).search("", ctx.signal);
    const chosen = rows.filter((row) => trust === undefined || row.trust === trust);
    const text = chosen.length === 0 ? "No source offers a skill." : offerTable(chosen);
    return { text, data: { skills: chosen, failed }, warnings: failed };
  },
});
