import * as z from "zod";
import { defineCommand } from "../define.js";
import { boardFor } from "../params/board-target.js";
import { nextLine } from "./render/explained.js";

export default defineCommand({
  path: "kanban next",
  summary: "List the ready tasks in the order in which they start, and what keeps each from it.",
  topic: "kanban",
  params: z.object({ limit: z.number().int().min(1).optional().describe("at most so many") }),
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  where: "root",
  run: async ({ limit }, ctx) => {
    const { board, warnings } = await boardFor(ctx, "read");
    const data = await ctx.board.next(board, { limit });
    return { text: data.length === 0 ? "(no ready tasks)" : data.map(nextLine).join("\n"), data, warnings };
  },
});
