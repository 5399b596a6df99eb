import { isRecord } from "../base/json/record.js";
import type { EpochMs } from "../base/units.js";
import { type McpEntry, readMcpEntry } from "../contracts/mcp/entry.js";
import { MCP_SERVERS } from "../contracts/mcp/keys.js";
import type { McpServerStatus } from "../contracts/mcp/mcp.js";
import type { McpPoolParts } from "./parts.js";

/** Different warnings about entries that one process writes to the log. */
const WARNINGS = 1_000;

/** The entries of `mcp_servers`. */
export interface ServerEntries {
  /** Read those that can be used, by name. Each problem is warned of once. */
  read(): ReadonlyMap<string, McpEntry>;
  /** Those that the last reading could not use. */
  unusable(): readonly McpServerStatus[];
}

/** Nothing is read yet. */
export function createServerEntries({
  config,
  env,
  clock,
  log,
}: Pick<McpPoolParts, "config" | "env" | "clock" | "log">): ServerEntries {
  let unusable: readonly McpServerStatus[] = [];
  const warned = new Set<string>();
  const warnOnce = (text: string): void => {
    if (warned.has(text) || warned.size > WARNINGS) return;
    warned.add(text);
    log.warning(text);
  };
  return {
    read: () => {
      const given = config.get(MCP_SERVERS);
      const usable = new Map<string, McpEntry>();
      const wrong: McpServerStatus[] = [];
      for (const [name, written] of Object.entries(isRecord(given) ? given : {})) {
        const entry = readMcpEntry(name, written, env);
        if (entry.ok) {
          usable.set(name, entry.entry);
          for (const variable of entry.unset) warnOnce(`mcp_servers.${name}: the variable ${variable} is not set`);
        } else {
          wrong.push(unusableStatus(name, entry.error, clock.now()));
          warnOnce(`mcp_servers.${name}: ${entry.error}`);
        }
      }
      unusable = wrong;
      return usable;
    },
    unusable: () => unusable,
  };
}

const unusableStatus = (name: string, error: string, at: EpochMs): McpServerStatus => ({
  name,
  transport: "stdio",
  state: "failed",
  tools: 0,
  resources: 0,
  prompts: 0,
  since: at,
  last_error: error,
  last_error_at: at,
  shared: true,
  enabled: true,
});
