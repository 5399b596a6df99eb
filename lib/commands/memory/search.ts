import * as z from "zod";
import { defineCommand } from "../define.js";
import { entryText, requireMaster } from "./memory-text.js";

export default defineCommand({
  path: "memory search",
  summary: "Find entries of this home by their words, best first.",
  topic: "memory",
  params: z.object({ query: z.array(z.string()).min(1).describe("words") }),
  positionals: ["query..."],
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  run: async ({ query }, ctx) => {
    requireMaster(ctx);
    const entries = await ctx.memory.search(query.join(" "), {});
    const text = entries.length === 0 ? "No entry has these words." : entries.map(entryText).join("\n");
    return { text, data: { entries } };
  },
});
