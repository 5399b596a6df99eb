import * as z from "zod";
import { systemClock } from "../../base/time/clock.js";
import { defineCommand } from "../define.js";
import { needsAttention, statusLine, toStatusJson } from "./text.js";

export default defineCommand({
  path: "mcp status",
  aliases: ["mcp"],
  summary: "Show the state of the MCP servers: tools, process, last error.",
  topic: "mcp",
  params: z.object({ name: z.string().optional().describe("show this server only") }),
  positionals: ["name"],
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  run: async ({ name }, ctx) => {
    const servers = await ctx.mcp.status(name);
    const now = systemClock.now();
    const text = servers.map((status) => statusLine(status, now)).join("\n");
    return {
      text: text === "" ? "(no MCP servers; agent mcp add or agent mcp catalog)" : text,
      data: { servers: servers.map(toStatusJson) },
      exit: servers.some(needsAttention) ? 1 : 0,
    };
  },
});
