import * as z from "zod";
import { defineCommand } from "../define.js";
import { addedResult } from "./added.js";

export default defineCommand({
  path: "mcp picker",
  summary: "Choose an MCP server of the catalogue at a terminal and add it.",
  topic: "mcp",
  params: z.object({}),
  surfaces: ["cli"],
  access: "admin",
  self: "settings",
  outside: true,
  stdin: true,
  run: async (_, ctx) => addedResult(await ctx.mcpControl.pick(), ctx),
});
