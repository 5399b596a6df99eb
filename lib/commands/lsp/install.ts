import * as z from "zod";
import { defineCommand } from "../define.js";
import { callerOf, outcomes } from "./text.js";

export default defineCommand({
  path: "lsp install",
  summary: "Install a language server into the home.",
  topic: "lsp",
  params: z.object({ server: z.string().describe("server id, e.g. pyright") }),
  positionals: ["server"],
  surfaces: ["cli", "rpc"],
  access: "admin",
  run: async ({ server }, ctx) => {
    const outcome = await ctx.languageServers.install(server, callerOf(ctx));
    return { ...outcomes([outcome]), data: outcome };
  },
});
