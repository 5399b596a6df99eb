import * as z from "zod";
import { PLATFORM_TAGS } from "../../../contracts/board/platform-tag.js";
import { defineCommand } from "../../define.js";
import { outboxLine } from "../text.js";

export default defineCommand({
  path: "gateway outbox list",
  aliases: ["gateway outbox"],
  summary: "List messages to chats that are not sent, the newest first.",
  topic: "gateway",
  params: z.object({
    state: z
      .enum(["pending", "sending", "unknown", "failed", "dropped"])
      .optional()
      .describe("only those in this state"),
    platform: z.enum(PLATFORM_TAGS).optional().describe("only those to this platform"),
  }),
  surfaces: ["cli", "rpc"],
  access: "read",
  run: async (filter, ctx) => {
    const rows = await ctx.gateway.outbox(filter);
    return { text: rows.length === 0 ? "nothing is left to send" : rows.map(outboxLine).join("\n"), data: rows };
  },
});
