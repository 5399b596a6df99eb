import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { sessionOf } from "../conversation/conversation.js";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "background",
  aliases: ["bg", "btw"],
  summary: "Ask in a conversation of its own; the answer is posted here, the model of this one does not read it.",
  topic: "queue",
  params: z.object({ text: z.string().default("").describe("what to ask") }),
  positionals: ["text"],
  surfaces: ["slash"],
  access: "write",
  verbatim: true,
  run: async ({ text }, ctx) => {
    if (text.trim() === "") throw new AppError("E_USAGE", "say what to ask: /background TEXT");
    const session = await ctx.chat.background(sessionOf(ctx), text);
    return { text: `Asked in ${session}; its answer will be posted here.`, data: { session_id: session } };
  },
});
