import * as z from "zod";
import { defineCommand } from "../define.js";
import { hookList } from "../hooks/text.js";

export default defineCommand({
  path: "reload",
  summary: "Read settings, hooks and plugins again.",
  topic: "hooks",
  params: z.object({}),
  surfaces: ["slash"],
  access: "admin",
  run: async (_params, ctx) => {
    await ctx.settings.reload();
    const rows = await ctx.hooks.list();
    const { problems } = await ctx.owner.status();
    const lines = ["settings read again", hookList(rows), ...problems.map((problem) => `problem: ${problem}`)];
    return { text: lines.join("\n"), data: { hooks: rows, problems } };
  },
});
