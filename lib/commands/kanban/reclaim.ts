import * as z from "zod";
import { defineCommand } from "../define.js";
import { actorFor, boardFor, taskIdParam } from "../params/board-target.js";

export default defineCommand({
  path: "kanban reclaim",
  summary: "Stop the worker of a task and return the task to ready.",
  topic: "kanban",
  params: z.object({ id: taskIdParam, reason: z.string().optional().describe("reason, stored in the event") }),
  positionals: ["id"],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  repeats: true,
  where: "root",
  run: async ({ id, reason }, ctx) => {
    const { board, warnings } = await boardFor(ctx, "write");
    const by = await actorFor(ctx);
    const { task } = await ctx.board.reclaim(board, await ctx.board.find(board, id), reason, by);
    return { text: `Reclaimed ${task.id}`, data: { ok: true, task }, warnings };
  },
});
