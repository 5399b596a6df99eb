import * as z from "zod";
import { SEVERITIES } from "../../contracts/board/explain.js";
import { defineCommand } from "../define.js";
import { boardFor } from "../params/board-target.js";
import { diagnosticsText } from "./render/explained.js";

export default defineCommand({
  path: "kanban diagnostics",
  aliases: ["kanban diag"],
  summary: "List problems that need attention, worst first.",
  topic: "kanban",
  params: z.object({
    severity: z.enum(SEVERITIES).optional().describe("minimum severity"),
    task: z.string().optional().describe("limit to this task (id or unique prefix)"),
  }),
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  where: "root",
  run: async ({ severity, task }, ctx) => {
    const { board, warnings } = await boardFor(ctx, "read");
    const id = task === undefined ? undefined : await ctx.board.find(board, task);
    const data = await ctx.board.diagnostics(board, { severity, task: id });
    return { text: diagnosticsText(data), data, warnings };
  },
});
