import * as z from "zod";
import { defineCommand } from "../define.js";
import { parseDuration } from "../render/times.js";
import { outcomeResult, requireMaster } from "./memory-text.js";

export default defineCommand({
  path: "memory edit",
  summary: "Replace the text of an entry.",
  topic: "memory",
  params: z.object({
    id: z.string().describe("id of the entry, or its beginning"),
    text: z.array(z.string()).min(1).describe("new text"),
    expires: z.string().optional().describe("how long it holds: 12h, 30d, or never (default: as before)"),
  }),
  positionals: ["id", "text..."],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  self: "settings",
  run: async ({ id, text, expires }, ctx) => {
    requireMaster(ctx);
    const ttl = expires === undefined ? undefined : expires === "never" ? null : parseDuration(expires) * 1000;
    return outcomeResult(await ctx.memory.edit(id, text.join(" "), ttl));
  },
});
