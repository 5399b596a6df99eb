/** Logs by the names of their files, and what is in them. */
export const LOGS = [
  { name: "agent", source: "owner", title: "Everything" },
  { name: "errors", source: "errors", title: "Errors" },
  { name: "board", source: "board", title: "Board" },
  { name: "gateway", source: "gateway", title: "Gateway" },
  { name: "mcp", source: "mcp", title: "MCP servers" },
] as const;

/** From the worst to the least. */
export const LEVELS = ["error", "warning", "info", "debug"] as const;
export type ShownLevel = (typeof LEVELS)[number];
