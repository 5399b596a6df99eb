import * as z from "zod";
import { toMessageJson } from "../../contracts/wire/shapes/session-json.js";
import { sessionOf } from "../conversation/conversation.js";
import { defineCommand } from "../define.js";
import { messageText } from "../render/sessions.js";

export default defineCommand({
  path: "history",
  summary: "Print the conversation.",
  topic: "sessions",
  params: z.object({
    messages: z.number().int().min(1).max(1_000).default(40).describe("number of recent messages"),
  }),
  positionals: ["messages"],
  surfaces: ["slash"],
  access: "read",
  run: async ({ messages }, ctx) => {
    const shown = await ctx.chat.messages(sessionOf(ctx), { limit: messages });
    const text = shown.length === 0 ? "No messages yet." : shown.map(messageText).join("\n\n");
    return { text, data: shown.map(toMessageJson) };
  },
});
