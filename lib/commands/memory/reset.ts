import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { MEMORY_TARGETS } from "../../contracts/memory/memory.js";
import { defineCommand } from "../define.js";
import { entryCount, requireMaster } from "./memory-text.js";

export default defineCommand({
  path: "memory reset",
  summary: "Remove all entries of a target: notes of every project and board, or the user profile.",
  topic: "memory",
  params: z.object({
    target: z.enum(MEMORY_TARGETS).describe("memory or user"),
    yes: z.boolean().default(false).describe("confirm it; it cannot be undone"),
  }),
  short: { yes: "y" },
  surfaces: ["cli", "rpc"],
  access: "admin",
  self: "settings",
  run: async ({ target, yes }, ctx) => {
    requireMaster(ctx);
    if (!yes) {
      const count = (await ctx.memory.all()).filter((entry) => entry.target === target).length;
      throw new AppError("E_USAGE", `removing ${entryCount(count)} of ${target} cannot be undone; confirm with -y`, {
        hint: `agent memory reset --target ${target} -y removes them; agent memory export keeps them`,
      });
    }
    const removed = await ctx.memory.reset(target);
    return { text: `Removed ${entryCount(removed)} of ${target}.`, data: { target, removed } };
  },
});
