import * as z from "zod";
import { defineCommand } from "../define.js";
import { callerOf } from "./text.js";

export default defineCommand({
  path: "lsp which",
  summary: "Print the executable of a language server.",
  topic: "lsp",
  params: z.object({ server: z.string().describe("server id, e.g. pyright") }),
  positionals: ["server"],
  surfaces: ["cli", "rpc"],
  access: "read",
  run: async ({ server }, ctx) => {
    const found = await ctx.languageServers.which(server, callerOf(ctx));
    if (found.program !== undefined) return { text: found.program, data: found };
    return { text: `${server} is not installed; install it with: ${found.install}`, data: found, exit: 1 };
  },
});
