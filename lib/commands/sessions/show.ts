import * as z from "zod";
import { toMessageJson, toSessionJson } from "../../contracts/wire/shapes/session-json.js";
import { defineCommand } from "../define.js";
import { messageText, sessionHead } from "../render/sessions.js";

export default defineCommand({
  path: "sessions show",
  summary: "Show a session and its latest messages.",
  topic: "sessions",
  params: z.object({
    id: z.string().describe("id, unique prefix or title"),
    last: z.number().int().min(1).max(1_000).default(20).describe("number of messages"),
  }),
  positionals: ["id"],
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  run: async ({ id, last }, ctx) => {
    const session = await ctx.chat.find(id);
    const messages = await ctx.chat.messages(session.id, { limit: last });
    const left = session.message_count - messages.length;
    const earlier = left > 0 ? [`… ${left} earlier messages; --last shows more`] : [];
    return {
      text: [sessionHead(session), ...earlier, ...messages.map(messageText)].join("\n\n"),
      data: { session: toSessionJson(session), messages: messages.map(toMessageJson) },
    };
  },
});
