import { sha256 } from "../../base/text/hash.js";

/** Characters of a name that every provider takes. */
export const NAME_CHARS = 64;
const KEPT_CHARS = 55;

const plain = (text: string): string => text.replace(/[^A-Za-z0-9_]/g, "_");

/** Name of a tool of an MCP server as models and rules know it (extensions part, 2.2). */
export function toolName(server: string, tool: string): string {
  const full = `mcp_${plain(server)}_${plain(tool)}`;
  return full.length <= NAME_CHARS ? full : `${full.slice(0, KEPT_CHARS)}_${sha256(full).slice(0, 8)}`;
}
