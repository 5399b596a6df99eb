import * as z from "zod";
import { defineCommand } from "../define.js";
import { requireMaster } from "./memory-text.js";

export default defineCommand({
  path: "memory reject",
  summary: "Drop a change of the memory that waits for you.",
  topic: "memory",
  params: z.object({ id: z.string().describe("id of the change") }),
  positionals: ["id"],
  surfaces: ["cli", "slash", "rpc"],
  access: "admin",
  self: "settings",
  whole: true,
  run: async ({ id }, ctx) => {
    requireMaster(ctx);
    const rejected = await ctx.memory.reject(id);
    return { text: `Dropped ${rejected.id}.`, data: { rejected } };
  },
});
