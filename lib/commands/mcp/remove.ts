import * as z from "zod";
import { removeFile } from "../../base/fs/files.js";
import { mcpLoginFile } from "../../contracts/mcp/logins.js";
import { defineCommand } from "../define.js";
import { withOutdated } from "./outdated.js";
import { requireEntry } from "./text.js";

export default defineCommand({
  path: "mcp remove",
  aliases: ["mcp rm"],
  summary: "Remove an MCP server with its stored login, and stop it.",
  topic: "mcp",
  params: z.object({ name: z.string().describe("server") }),
  positionals: ["name"],
  surfaces: ["cli", "rpc"],
  access: "admin",
  self: "settings",
  run: async ({ name }, ctx) => {
    await ctx.settings.unset(requireEntry(name, ctx));
    await ctx.mcp.reload();
    await removeFile(mcpLoginFile(ctx.home, name));
    return withOutdated({ text: `${name} removed`, data: { ok: true, name } }, ctx);
  },
});
