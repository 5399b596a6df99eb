import * as z from "zod";
import { defineCommand } from "../define.js";
import { projectHere } from "./here.js";
import { rowLine } from "./text.js";

export default defineCommand({
  path: "checkpoints list",
  summary: "List checkpoints of one or all directories, newest first.",
  topic: "checkpoints",
  params: z.object({
    directory: z.string().optional().describe("project directory, or a path in it (default: all)"),
    limit: z.number().int().min(1).max(1_000).default(20).describe("maximum number of rows"),
  }),
  positionals: ["directory"],
  surfaces: ["cli", "rpc"],
  access: "read",
  run: async ({ directory, limit }, ctx) => {
    const place = directory === undefined ? undefined : await projectHere(ctx, directory);
    const rows = await ctx.checkpoints.list({ limit, ...(place === undefined ? {} : { directory: place }) });
    const groups = [...new Set(rows.map((row) => row.directory))];
    const lines = groups.flatMap((group) => [
      `${group}`,
      ...rows.filter((row) => row.directory === group).map((row) => `  ${rowLine(row)}`),
    ]);
    const none = place === undefined ? "No checkpoints." : `No checkpoints of ${place}.`;
    return { text: lines.length === 0 ? none : lines.join("\n"), data: rows };
  },
});
