import * as z from "zod";
import { defineCommand } from "../define.js";
import { platformLine } from "../gateway/text.js";

export default defineCommand({
  path: "platform list",
  aliases: ["platform"],
  summary: "List messaging platforms and their connections.",
  topic: "gateway",
  params: z.object({}),
  surfaces: ["slash"],
  access: "read",
  run: async (_params, ctx) => {
    const { platforms } = await ctx.gateway.status();
    const lines = Object.entries(platforms).map(([tag, one]) => platformLine(tag, one));
    return {
      text: lines.length === 0 ? "No platform configured, or no gateway running." : lines.join("\n"),
      data: platforms,
    };
  },
});
