import * as z from "zod";
import { defineCommand } from "../define.js";
import { switchServer } from "./switch-server.js";

export default defineCommand({
  path: "mcp enable",
  summary: "Enable an MCP server; its tools are offered from the next turn on.",
  topic: "mcp",
  params: z.object({ name: z.string().describe("server") }),
  positionals: ["name"],
  surfaces: ["cli", "slash", "rpc"],
  busy: "idle",
  access: "admin",
  self: "settings",
  run: ({ name }, ctx) => switchServer(name, true, ctx),
});
