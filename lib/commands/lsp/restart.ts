import * as z from "zod";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "lsp restart",
  summary: "Stop the language servers and try the broken ones again.",
  topic: "lsp",
  params: z.object({}),
  surfaces: ["cli", "rpc"],
  access: "admin",
  run: async (_params, ctx) => {
    const { stopped, mended } = await ctx.languageServers.restart();
    const text = `stopped ${stopped}, marks removed ${mended}; they start again when a file is written`;
    return { text, data: { stopped, mended } };
  },
});
