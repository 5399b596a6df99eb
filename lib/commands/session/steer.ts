import * as z from "zod";
import { AppError } from "../../base/errors.js";
import type { Posted } from "../../contracts/chat/queue.js";
import { sessionOf } from "../conversation/conversation.js";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "steer",
  summary: "Send a message to the running turn; the model reads it with the next tool result.",
  topic: "queue",
  params: z.object({ text: z.string().default("").describe("message for the model") }),
  positionals: ["text"],
  surfaces: ["slash"],
  access: "write",
  verbatim: true,
  run: async ({ text }, ctx) => {
    if (text.trim() === "") throw new AppError("E_USAGE", "missing message: /steer TEXT");
    const posted = await ctx.chat.steer(sessionOf(ctx), text);
    return { text: toldOf(posted), data: posted };
  },
});

function toldOf(posted: Posted): string {
  if (posted.did === "steered")
    return "The running turn receives this with its next tool result, otherwise it is next in the queue.";
  return posted.did === "queued"
    ? "The turn cannot be steered now; the message is next in the queue."
    : "No turn was running; a new one has started.";
}
