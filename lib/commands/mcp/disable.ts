import * as z from "zod";
import { defineCommand } from "../define.js";
import { switchServer } from "./switch-server.js";

export default defineCommand({
  path: "mcp disable",
  summary: "Disable an MCP server and stop it; its entry is kept.",
  topic: "mcp",
  params: z.object({ name: z.string().describe("server") }),
  positionals: ["name"],
  surfaces: ["cli", "slash", "rpc"],
  busy: "idle",
  access: "admin",
  self: "settings",
  run: ({ name }, ctx) => switchServer(name, false, ctx),
});
