import * as z from "zod";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "version",
  aliases: ["v"],
  summary: "Print the version.",
  topic: "start",
  params: z.object({}),
  surfaces: ["slash"],
  access: "read",
  run: async (_params, ctx) => {
    const { version } = await ctx.owner.status();
    return { text: `agent ${version}`, data: { version } };
  },
});
