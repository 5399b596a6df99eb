import * as z from "zod";
import { defineCommand } from "../define.js";
import { requireMaster } from "./memory-text.js";

export default defineCommand({
  path: "memory export",
  summary: "Print all entries with their source, dates and scope as JSON.",
  topic: "memory",
  params: z.object({}),
  surfaces: ["cli", "rpc"],
  access: "read",
  run: async (_params, ctx) => {
    requireMaster(ctx);
    const data = {
      entries: await ctx.memory.all(),
      expired: await ctx.memory.all({ expired: true }),
      pending: await ctx.memory.pending(),
    };
    return { text: JSON.stringify(data, null, 2), data };
  },
});
