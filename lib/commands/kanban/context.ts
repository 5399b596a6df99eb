import * as z from "zod";
import { defineCommand } from "../define.js";
import { boardFor, taskIdParam } from "../params/board-target.js";

export default defineCommand({
  path: "kanban context",
  summary: "Show the context given to a worker of a task.",
  topic: "kanban",
  params: z.object({ id: taskIdParam }),
  positionals: ["id"],
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  where: "root",
  run: async ({ id }, ctx) => {
    const { board, warnings } = await boardFor(ctx, "read");
    const full = await ctx.board.find(board, id);
    const text = await ctx.board.context(board, full);
    return { text: text.trimEnd(), data: { task_id: full, context: text }, warnings };
  },
});
