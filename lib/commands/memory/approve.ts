import * as z from "zod";
import { defineCommand } from "../define.js";
import { outcomeResult, requireMaster } from "./memory-text.js";

export default defineCommand({
  path: "memory approve",
  summary: "Let a change of the memory happen that waits for you.",
  topic: "memory",
  params: z.object({ id: z.string().describe("id of the change") }),
  positionals: ["id"],
  surfaces: ["cli", "slash", "rpc"],
  access: "admin",
  self: "settings",
  whole: true,
  run: async ({ id }, ctx) => {
    requireMaster(ctx);
    return outcomeResult(await ctx.memory.approve(id));
  },
});
