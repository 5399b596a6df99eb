import * as z from "zod";
import { defineCommand } from "../define.js";
import { offerTable } from "./hub-text.js";

export default defineCommand({
  path: "skills search",
  summary: "Search official skills, taps and marketplaces.",
  topic: "skills",
  params: z.object({
    query: z.array(z.string()).default([]).describe("words; each is in name, description or identifier"),
  }),
  positionals: ["query..."],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  run: async ({ query }, ctx) => {
    const { rows, failed } = await (await ctx.skills.hub()).search(query.join(" "), ctx.signal);
    const text =
      rows.length === 0 ? "No skill matches. agent skills tap add OWNER/REPO searches more." : offerTable(rows);
    return { text, data: { skills: rows, failed }, warnings: failed };
  },
});
