import * as z from "zod";
import { defineCommand } from "../define.js";
import { shownChain } from "./text.js";

export default defineCommand({
  path: "fallback",
  summary: "Show the fallback models; at a terminal, edit them in a menu.",
  topic: "models",
  params: z.object({}),
  surfaces: ["cli", "slash"],
  access: "write",
  self: "settings",
  outside: true,
  run: async (_params, ctx) => {
    if (ctx.surface === "cli" && ctx.tty === true && !ctx.json) await ctx.setup.fallback();
    const chain = await ctx.models.chain();
    return { text: shownChain(chain), data: chain };
  },
});
