import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { sessionOf } from "../conversation/conversation.js";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "background",
  aliases: ["bg", "btw"],
  summary: "Ask in a separate conversation. The answer is posted here, but not given to this conversation's model.",
  topic: "queue",
  params: z.object({ text: z.string().default("").describe("prompt") }),
  positionals: ["text"],
  surfaces: ["slash"],
  access: "write",
  verbatim: true,
  run: async ({ text }, ctx) => {
    if (text.trim() === "") throw new AppError("E_USAGE", "missing prompt: /background TEXT");
    const session = await ctx.chat.background(sessionOf(ctx), text);
    return { text: `Asked in ${session}; the answer will be posted here.`, data: { session_id: session } };
  },
});
