import * as z from "zod";
import { mcpListedShape, mcpStatusShape, mcpTestShape, mcpToolShape } from "../shapes/mcp.js";
import type { Results } from "./define.js";

const switched = z.object({ ok: z.boolean(), name: z.string(), enabled: z.boolean() });

/** Answers of the methods about MCP servers. */
export const MCP_RESULTS: Results = {
  "mcp.disable": switched,
  "mcp.enable": switched,
  "mcp.list": z.object({ servers: z.array(mcpListedShape) }),
  "mcp.reconnect": mcpStatusShape,
  "mcp.remove": z.object({ ok: z.boolean(), name: z.string() }),
  "mcp.status": z.object({ servers: z.array(mcpStatusShape) }),
  "mcp.test": mcpTestShape,
  "mcp.tools": z.object({ name: z.string(), tools: z.array(mcpToolShape) }),
};
