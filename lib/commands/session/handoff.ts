import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { sessionOf } from "../conversation/conversation.js";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "handoff",
  summary: "Let this conversation go on in the home channel of a messaging platform.",
  topic: "gateway",
  params: z.object({ platform: z.string().default("").describe("its tag: msgt, msgd, ...") }),
  positionals: ["platform"],
  surfaces: ["slash"],
  access: "write",
  busy: "idle",
  run: async ({ platform }, ctx) => {
    if (platform.trim() === "") throw new AppError("E_USAGE", "say where: /handoff PLATFORM, e.g. /handoff msgt");
    const done = await ctx.gateway.handoff(sessionOf(ctx), platform.trim().toLowerCase());
    const place = `${done.platform} (${done.name}${done.threadId === null ? "" : ", a thread of its own"})`;
    if (done.state === "completed")
      return { text: `Handed over to ${place}: the conversation goes on there.`, data: done };
    const text =
      done.state === "failed"
        ? `It was not handed over to ${place}: ${done.error ?? "nobody knows why"}`
        : `${place} has not answered yet; the conversation goes on there when it does. agent gateway status tells how it is.`;
    return { text, data: done, exit: 1 };
  },
});
