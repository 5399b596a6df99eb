import * as z from "zod";
import type { McpToolInfo } from "../../mcp/mcp.js";
import { instant } from "./sessions.js";

/** State of an MCP server. */
export const mcpStatusShape = z
  .object({
    name: z.string(),
    transport: z.enum(["stdio", "http", "sse"]),
    state: z
      .enum(["disabled", "idle", "starting", "ready", "reconnecting", "needs_login", "refused", "failed"])
      .describe("idle: its tools are known and it starts with its first call"),
    tools: z.int(),
    resources: z.int(),
    prompts: z.int(),
    era: z.string().exactOptional().describe("revision of the protocol"),
    pid: z.int().exactOptional(),
    since: instant.exactOptional(),
    last_error: z.string().exactOptional(),
    last_error_at: instant.exactOptional(),
    shared: z.boolean(),
    enabled: z.boolean(),
  })
  .meta({ id: "McpServerStatus" });
export type McpStatusJson = z.output<typeof mcpStatusShape>;

/** Schema of `McpToolInfo`. */
export const mcpToolShape = z
  .object({
    server: z.string(),
    name: z.string().describe("as models see it"),
    remote: z.string().describe("as its server calls it; empty for tools of resources and prompts"),
    description: z.string(),
    readOnly: z.boolean(),
    destructive: z.boolean(),
    enabled: z.boolean(),
  })
  .meta({ id: "McpTool" }) satisfies z.ZodType<McpToolInfo>;

/** What `mcp list` shows of an entry. */
export const mcpListedShape = z
  .object({
    name: z.string(),
    transport: z.enum(["stdio", "http", "sse"]),
    enabled: z.boolean(),
    tools: z.int(),
    runs: z.string().describe("program with its arguments, or address"),
    entry: z.record(z.string(), z.unknown()).describe("as written, secrets masked"),
  })
  .meta({ id: "McpListed" });

/** What became of connecting to a server. */
export const mcpTestShape = z
  .object({
    name: z.string(),
    ok: z.boolean(),
    connect_ms: z.number(),
    tools: z.array(mcpToolShape),
    error: z.string().exactOptional(),
  })
  .meta({ id: "McpTest" });
