import * as z from "zod";
import { defineCommand } from "../define.js";
import { boardFor } from "../params/board-target.js";
import { nextLine } from "./render/explained.js";

export default defineCommand({
  path: "kanban next",
  summary: "List ready tasks in start order, and what delays each.",
  topic: "kanban",
  params: z.object({ limit: z.number().int().min(1).optional().describe("maximum number of rows") }),
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  where: "root",
  run: async ({ limit }, ctx) => {
    const { board, warnings } = await boardFor(ctx, "read");
    const data = await ctx.board.next(board, { limit });
    return { text: data.length === 0 ? "(no ready tasks)" : data.map(nextLine).join("\n"), data, warnings };
  },
});
