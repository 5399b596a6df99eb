import * as z from "zod";
import { defineCommand } from "../define.js";
import { pendingText, requireMaster } from "./memory-text.js";

export default defineCommand({
  path: "memory pending",
  summary: "List changes of the memory that wait for you.",
  topic: "memory",
  params: z.object({}),
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  run: async (_params, ctx) => {
    requireMaster(ctx);
    const pending = await ctx.memory.pending();
    return { text: pending.length === 0 ? "Nothing waits." : pending.map(pendingText).join("\n"), data: { pending } };
  },
});
