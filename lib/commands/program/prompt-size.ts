import * as z from "zod";
import { sessionOptions } from "../conversation/conversation.js";
import { defineCommand } from "../define.js";
import { promptSizeText } from "../render/prompt-size.js";

export default defineCommand({
  path: "prompt-size",
  summary: "Show the size of each block of the system prompt and of each tool schema.",
  topic: "prompt",
  params: z.object({}),
  surfaces: ["cli"],
  access: "read",
  run: async (_params, ctx) => {
    const size = await ctx.chat.promptSize(sessionOptions(ctx));
    return { text: promptSizeText(size), data: size, warnings: size.notices };
  },
});
