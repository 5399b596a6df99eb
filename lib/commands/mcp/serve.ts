import * as z from "zod";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "mcp serve",
  summary: "Serve the agent's conversations as an MCP server on standard input and output.",
  topic: "mcp",
  params: z.object({
    verbose: z.boolean().default(false).describe("log to standard error"),
  }),
  short: { verbose: "v" },
  surfaces: ["cli"],
  access: "admin",
  outside: true,
  run: async ({ verbose }, ctx) => ({ data: null, streamed: true, exit: await ctx.mcpControl.serve({ verbose }) }),
});
