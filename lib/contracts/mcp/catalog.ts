/** MCP servers that ship as ready entries (extensions part, 3). Packages are pinned by version. */
export interface McpCatalogEntry {
  readonly id: string;
  readonly summary: string;
  /** Version of the package; of a service the word `service`. */
  readonly version: string;
  /** As `mcp_servers.<name>` has it. */
  readonly entry: {
    readonly command?: string;
    readonly args?: readonly string[];
    readonly url?: string;
  };
  /** What has to be given besides, in words. */
  readonly needs?: string;
  /** Arguments that have to be given, in words; the server is of no use without. */
  readonly asksArgs?: string;
  /** Header with a secret that has to be given. */
  readonly header?: string;
}

const npx = (name: string, version: string): McpCatalogEntry["entry"] => ({
  command: "npx",
  args: ["-y", `${name}@${version}`],
});

export const MCP_CATALOG: readonly McpCatalogEntry[] = [
  {
    id: "filesystem",
    summary: "Read, write and search files below given directories.",
    version: "2026.8.31",
    entry: npx("@modelcontextprotocol/server-filesystem", "2026.8.31"),
    needs: "directories: agent mcp install filesystem --args DIR ...",
    asksArgs: "Directories that it may use, separated by spaces",
  },
  {
    id: "everything",
    summary: "Every feature of the protocol, to try a client with.",
    version: "2026.8.31",
    entry: npx("@modelcontextprotocol/server-everything", "2026.8.31"),
  },
  {
    id: "memory",
    summary: "A knowledge graph of entities and relations that persists.",
    version: "2026.8.31",
    entry: npx("@modelcontextprotocol/server-memory", "2026.8.31"),
  },
  {
    id: "sequential-thinking",
    summary: "A tool to reason in numbered steps that may be revised.",
    version: "2026.8.31",
    entry: npx("@modelcontextprotocol/server-sequential-thinking", "2026.8.31"),
  },
  {
    id: "playwright",
    summary: "Drive a browser: open pages, click, type, read.",
    version: "0.0.83",
    entry: npx("@playwright/mcp", "0.0.83"),
    needs: "an installed Chrome",
  },
  {
    id: "github",
    summary: "Repositories, issues and pull requests on GitHub.",
    version: "service",
    entry: { url: "https://api.githubcopilot.com/mcp/" },
    needs: "a personal access token",
    header: "Authorization",
  },
];
