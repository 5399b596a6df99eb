import * as z from "zod";
import { isRecord } from "../../base/json/record.js";
import { type CommandContext, defineCommand } from "../define.js";
import { plain } from "../render/plain.js";

export default defineCommand({
  path: "mcp list",
  aliases: ["mcp ls"],
  summary: "List the configured MCP servers.",
  topic: "mcp",
  params: z.object({}),
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  run: async (_, ctx) => {
    const servers = (await ctx.mcp.status()).map(({ name, transport, enabled, tools }) => {
      const entry = entryOf(name, ctx);
      return { name, transport, enabled, tools, runs: runsOf(entry), entry };
    });
    const lines = servers.map(
      ({ name, transport, enabled, runs }) =>
        `${name.padEnd(20)} ${transport.padEnd(6)} ${(enabled ? "enabled" : "disabled").padEnd(9)} ${plain(runs)}`,
    );
    const text = lines.length === 0 ? "(no MCP servers; agent mcp add or agent mcp catalog)" : lines.join("\n");
    return { text, data: { servers } };
  },
});

/** As it is written, secrets masked. */
function entryOf(name: string, { settings }: CommandContext): Readonly<Record<string, unknown>> {
  const all = settings.get("mcp_servers")?.value;
  const entry = isRecord(all) ? all[name] : undefined;
  return isRecord(entry) ? entry : {};
}

/** Program with its arguments, or address without its query, which may hold a key. */
function runsOf({ url, command, args }: Readonly<Record<string, unknown>>): string {
  if (typeof url === "string") return url.replace(/\?.*$/s, "?…").replace(/\/\/[^/@]*@/, "//…@");
  return [command, ...(Array.isArray(args) ? args : [])].filter((word) => word !== undefined).join(" ");
}
