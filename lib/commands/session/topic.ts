import * as z from "zod";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "topic",
  summary: "Topics of a direct chat (MSGT): switch them on or off, or go on in one with an earlier conversation.",
  topic: "gateway",
  params: z.object({ words: z.array(z.string()).optional().describe("off, help, or the id of a conversation") }),
  positionals: ["words..."],
  surfaces: ["slash"],
  access: "write",
  run: async ({ words = [] }, ctx) => {
    const text = await ctx.gateway.topic(ctx.origin, words, ctx.signal);
    return { text, data: { text } };
  },
});
