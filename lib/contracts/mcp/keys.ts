import { configKey } from "../config/config.js";

export const MCP_SERVERS = configKey<unknown>({
  key: "mcp_servers",
  kind: { type: "any" },
  default: {},
  help: "Servers of the Model Context Protocol by name: command, args, env, cwd, or url and headers; agent help mcp lists the rest.",
});

export const MCP_INITIAL_WAIT = configKey<number>({
  key: "mcp.initial_wait_seconds",
  kind: { type: "number", min: 0, max: 60 },
  default: 5,
  help: "Seconds that the first turn of a session waits for MCP servers whose tools are not known yet; later ones appear in the next turn.",
});

export const MCP_RELOAD_CONFIRM = configKey<boolean>({
  key: "approvals.mcp_reload_confirm",
  kind: { type: "boolean" },
  default: true,
  help: "Ask before /reload-mcp connects servers again.",
});

/** Kind of the tickets of questions that servers ask. */
export const MCP_TICKET = "mcp";

export const MCP_KEYS = [MCP_SERVERS, MCP_INITIAL_WAIT, MCP_RELOAD_CONFIRM] as const;
