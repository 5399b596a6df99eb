import * as z from "zod";
import { defineCommand } from "../define.js";
import { mcpToolLine } from "./text.js";

export default defineCommand({
  path: "mcp tools",
  summary: "List the tools of an MCP server as the model sees them.",
  topic: "mcp",
  params: z.object({ name: z.string().describe("server") }),
  positionals: ["name"],
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  run: async ({ name }, ctx) => {
    const tools = await ctx.mcp.tools(name);
    const none = `no tools of ${name} are known yet; agent mcp test ${name} connects to it`;
    return { text: tools.length === 0 ? none : tools.map(mcpToolLine).join("\n"), data: { name, tools } };
  },
});
