import * as z from "zod";
import { sessionOf } from "../conversation/conversation.js";
import { defineCommand } from "../define.js";
import { count, filesText } from "../render/change-summary.js";

export default defineCommand({
  path: "redo",
  summary: "Redo the last undo, until a new message is sent.",
  topic: "sessions",
  params: z.object({}),
  surfaces: ["slash"],
  access: "write",
  busy: "idle",
  run: async (_params, ctx) => {
    const redone = await ctx.chat.redo(sessionOf(ctx));
    const messages = redone.messages > 0 ? [`Restored ${count(redone.messages, "message")}.`] : [];
    return { text: [...messages, ...filesText(redone.files)].join("\n"), data: redone };
  },
});
