import * as z from "zod";
import { MEMORY_SCOPES, MEMORY_TARGETS } from "../../contracts/memory/memory.js";
import { defineCommand } from "../define.js";
import { entryText, requireMaster } from "./memory-text.js";

export default defineCommand({
  path: "memory list",
  aliases: ["memory ls"],
  summary: "List everything that is remembered in this home, newest first.",
  topic: "memory",
  params: z.object({
    target: z.enum(MEMORY_TARGETS).optional().describe("memory or user"),
    scope: z.enum(MEMORY_SCOPES).optional().describe("entries of this scope only"),
    expired: z.boolean().default(false).describe("entries whose time is over"),
  }),
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  run: async ({ target, scope, expired }, ctx) => {
    requireMaster(ctx);
    const entries = (await ctx.memory.all({ expired })).filter(
      (entry) => (target === undefined || entry.target === target) && (scope === undefined || entry.scope === scope),
    );
    const none = expired ? "No entry has expired." : "Nothing is remembered.";
    return { text: entries.length === 0 ? none : entries.map(entryText).join("\n"), data: { entries } };
  },
});
