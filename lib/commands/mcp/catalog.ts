import * as z from "zod";
import { MCP_CATALOG } from "../../contracts/mcp/catalog.js";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "mcp catalog",
  summary: "List MCP servers that agent mcp install can add.",
  topic: "mcp",
  params: z.object({}),
  surfaces: ["cli", "slash"],
  access: "read",
  run: async () => {
    const lines = MCP_CATALOG.map(
      ({ id, version, summary, needs }) =>
        `${id.padEnd(20)} ${version.padEnd(10)} ${summary}${needs === undefined ? "" : ` Needs ${needs}.`}`,
    );
    return { text: lines.join("\n"), data: { entries: MCP_CATALOG } };
  },
});
