import * as z from "zod";
import { defineCommand } from "../define.js";
import { outcomeText } from "./text.js";

export default defineCommand({
  path: "mcp test",
  summary: "Connect to an MCP server as a turn does; print the time it took and its tools.",
  topic: "mcp",
  params: z.object({ name: z.string().describe("server") }),
  positionals: ["name"],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  run: async ({ name }, ctx) => {
    const outcome = await ctx.mcp.test(name, ctx.signal);
    return { text: outcomeText(name, outcome), data: { name, ...outcome }, exit: outcome.ok ? 0 : 1 };
  },
});
