import * as z from "zod";
import { defineCommand } from "../define.js";
import { archivedText } from "./text.js";

export default defineCommand({
  path: "curator list-archived",
  summary: "List archived skills.",
  topic: "curator",
  params: z.object({}),
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  run: async (_params, ctx) => {
    const skills = await (await ctx.skills.curator()).archived();
    return { text: archivedText(skills), data: skills };
  },
});
