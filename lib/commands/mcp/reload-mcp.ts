import * as z from "zod";
import { MCP_RELOAD_CONFIRM } from "../../contracts/mcp/keys.js";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "reload-mcp",
  aliases: ["reload_mcp"],
  summary: "Read mcp_servers again, and connect changed servers again.",
  topic: "mcp",
  params: z.object({
    confirm: z.enum(["now", "always"]).optional().describe("now: do it; always: do it and do not ask again"),
  }),
  positionals: ["confirm"],
  surfaces: ["slash"],
  busy: "idle",
  access: "admin",
  self: "settings",
  run: async ({ confirm }, ctx) => {
    if (confirm === "always") await ctx.settings.set(MCP_RELOAD_CONFIRM.key, "false", { asText: false, force: false });
    if (confirm === undefined && ctx.config.get(MCP_RELOAD_CONFIRM)) {
      const text =
        "The tools of open conversations change with the next turn, and cached prompts are built again.\n" +
        "/reload-mcp now continues; /reload-mcp always also stops asking.";
      return { text, data: { ok: false, confirm: true } };
    }
    const { added, removed, changed } = await ctx.mcp.reload();
    const parts = [
      ...(added.length === 0 ? [] : [`added ${added.join(", ")}`]),
      ...(removed.length === 0 ? [] : [`removed ${removed.join(", ")}`]),
      ...(changed.length === 0 ? [] : [`changed ${changed.join(", ")}`]),
    ];
    const text = parts.length === 0 ? "MCP servers: nothing changed" : `MCP servers: ${parts.join("; ")}`;
    return { text, data: { ok: true, added, removed, changed } };
  },
});
