import * as z from "zod";
import { defineCommand } from "../../define.js";
import { platformParam } from "../../params/platform.js";
import { outboxLine } from "../text.js";

export default defineCommand({
  path: "gateway outbox list",
  aliases: ["gateway outbox"],
  summary: "List unsent messages, newest first.",
  topic: "gateway",
  params: z.object({
    state: z.enum(["pending", "sending", "unknown", "failed", "dropped"]).optional().describe("limit to this state"),
    platform: platformParam("limit to this platform").optional(),
  }),
  surfaces: ["cli", "rpc"],
  access: "read",
  run: async (filter, ctx) => {
    const rows = await ctx.gateway.outbox(filter);
    return { text: rows.length === 0 ? "no unsent messages" : rows.map(outboxLine).join("\n"), data: rows };
  },
});
