import * as z from "zod";
import { AppError } from "../../base/errors.js";
import type { Posted } from "../../contracts/chat/queue.js";
import { sessionOf } from "../conversation/conversation.js";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "steer",
  summary: "Say something to the running turn; it is read with the next tool result.",
  topic: "queue",
  params: z.object({ text: z.string().default("").describe("what the model should know now") }),
  positionals: ["text"],
  surfaces: ["slash"],
  access: "write",
  verbatim: true,
  run: async ({ text }, ctx) => {
    if (text.trim() === "") throw new AppError("E_USAGE", "say what the model should know: /steer TEXT");
    const posted = await ctx.chat.steer(sessionOf(ctx), text);
    return { text: toldOf(posted), data: posted };
  },
});

function toldOf(posted: Posted): string {
  if (posted.did === "steered")
    return "The running turn gets this with its next tool result; without one it comes first in the queue.";
  return posted.did === "queued"
    ? "No turn takes this now: it comes first in the queue."
    : "No turn was running: this began one.";
}
