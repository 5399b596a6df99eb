import * as z from "zod";
import { systemClock } from "../../base/time/clock.js";
import { defineCommand } from "../define.js";
import { needsAttention, statusLine, toStatusJson } from "./text.js";

export default defineCommand({
  path: "mcp reconnect",
  summary: "Connect to an MCP server again at once.",
  topic: "mcp",
  params: z.object({ name: z.string().describe("server") }),
  positionals: ["name"],
  surfaces: ["cli", "slash", "rpc"],
  busy: "idle",
  access: "admin",
  run: async ({ name }, ctx) => {
    const status = await ctx.mcp.reconnect(name, ctx.signal);
    const exit = needsAttention(status) ? 1 : 0;
    return { text: statusLine(status, systemClock.now()), data: toStatusJson(status), exit };
  },
});
