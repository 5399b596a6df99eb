import * as z from "zod";
import { defineCommand } from "../define.js";
import { requireMaster } from "./memory-text.js";

export default defineCommand({
  path: "memory accept",
  summary: "Take memory files that were edited into another form; copies of them are kept.",
  topic: "memory",
  params: z.object({}),
  surfaces: ["cli", "slash", "rpc"],
  access: "admin",
  self: "settings",
  run: async (_params, ctx) => {
    requireMaster(ctx);
    const accepted = await ctx.memory.accept();
    const lines = accepted.map(({ path, backup }) => `${path} is taken as it is; it was copied to ${backup ?? "-"}`);
    return {
      text: lines.length === 0 ? "All memory files have their usual form." : lines.join("\n"),
      data: { accepted },
    };
  },
});
