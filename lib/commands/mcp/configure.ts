import * as z from "zod";
import { defineCommand } from "../define.js";
import { addedResult } from "./added.js";

export default defineCommand({
  path: "mcp configure",
  aliases: ["mcp config"],
  summary: "Choose which tools of an MCP server are enabled, and how it is used.",
  topic: "mcp",
  params: z.object({
    name: z.string().describe("server"),
    tools: z.string().optional().describe("comma-separated tools to enable (default: ask)"),
    all: z.boolean().default(false).describe("enable every tool, also future ones"),
    approve: z.enum(["none", "destructive", "all"]).optional().describe("tools that need approval"),
    parallel: z.enum(["on", "off"]).optional().describe("whether its tools may run at the same time"),
    timeout: z.number().min(1).max(86_400).optional().describe("seconds per call"),
  }),
  positionals: ["name"],
  surfaces: ["cli"],
  access: "admin",
  self: "settings",
  outside: true,
  stdin: true,
  run: async ({ name, tools, parallel, ...options }, ctx) => {
    const names = tools
      ?.split(",")
      .map((one) => one.trim())
      .filter((one) => one !== "");
    const on = parallel === undefined ? undefined : parallel === "on";
    return addedResult(await ctx.mcpControl.configure(name, { ...options, tools: names, parallel: on }), ctx);
  },
});
