import * as z from "zod";
import { defineCommand } from "../define.js";
import { outcomeResult, requireMaster } from "./memory-text.js";

export default defineCommand({
  path: "memory forget",
  aliases: ["memory rm"],
  summary: "Remove an entry.",
  topic: "memory",
  params: z.object({ id: z.string().describe("id of the entry, or its beginning") }),
  positionals: ["id"],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  self: "settings",
  whole: true,
  run: async ({ id }, ctx) => {
    requireMaster(ctx);
    return outcomeResult(await ctx.memory.forget(id));
  },
});
