import * as z from "zod";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "lsp restart",
  summary: "Stop the language servers and retry the disabled ones.",
  topic: "lsp",
  params: z.object({}),
  surfaces: ["cli", "rpc"],
  access: "admin",
  run: async (_params, ctx) => {
    const { stopped, mended } = await ctx.languageServers.restart();
    const text = `stopped ${stopped}, re-enabled ${mended}; servers start again with the next file write`;
    return { text, data: { stopped, mended } };
  },
});
