import * as z from "zod";
import { defineCommand } from "../define.js";
import { hookList } from "./text.js";

export default defineCommand({
  path: "hooks",
  summary: "List the configured hooks with their approval and last run.",
  topic: "hooks",
  params: z.object({}),
  surfaces: ["cli", "slash"],
  access: "read",
  run: async (_params, ctx) => {
    const rows = await ctx.hooks.list();
    return { text: hookList(rows), data: { hooks: rows } };
  },
});
