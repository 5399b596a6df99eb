import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { sessionOf } from "../conversation/conversation.js";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "handoff",
  summary: "Move this conversation to the home channel of a messaging platform.",
  topic: "gateway",
  params: z.object({ platform: z.string().default("").describe("platform tag: msgt, msgd, ...") }),
  positionals: ["platform"],
  surfaces: ["slash"],
  access: "write",
  busy: "idle",
  run: async ({ platform }, ctx) => {
    if (platform.trim() === "")
      throw new AppError("E_USAGE", "missing platform: /handoff PLATFORM, e.g. /handoff msgt");
    const done = await ctx.gateway.handoff(sessionOf(ctx), platform.trim().toLowerCase());
    const place = `${done.platform} (${done.name}${done.threadId === null ? "" : ", in its own thread"})`;
    if (done.state === "completed")
      return { text: `Handed off to ${place}; the conversation continues there.`, data: done };
    const text =
      done.state === "failed"
        ? `Handoff to ${place} failed: ${done.error ?? "unknown reason"}`
        : `${place} has not responded yet; the conversation continues there when it does. agent gateway status shows its state.`;
    return { text, data: done, exit: 1 };
  },
});
