import * as z from "zod";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "topic",
  summary: "Manage topics of a direct chat (MSGT): turn them on or off, or continue a conversation in one.",
  topic: "gateway",
  params: z.object({ words: z.array(z.string()).optional().describe("off, help, or a conversation id") }),
  positionals: ["words..."],
  surfaces: ["slash"],
  access: "write",
  run: async ({ words = [] }, ctx) => {
    const text = await ctx.gateway.topic(ctx.origin, words, ctx.signal);
    return { text, data: { text } };
  },
});
