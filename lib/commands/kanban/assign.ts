import * as z from "zod";
import { defineCommand } from "../define.js";
import { actorFor, boardFor, taskIdParam } from "../params/board-target.js";

export default defineCommand({
  path: "kanban assign",
  summary: "Assign a task; none unassigns it.",
  topic: "kanban",
  params: z.object({ id: taskIdParam, profile: z.string().describe("profile, external name, or none") }),
  positionals: ["id", "profile"],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  repeats: true,
  where: "root",
  run: async ({ id, profile }, ctx) => {
    const { board, warnings } = await boardFor(ctx, "write");
    const by = await actorFor(ctx);
    const changed = await ctx.board.assign(board, await ctx.board.find(board, id), profile, by);
    const { task } = changed;
    const text = `Assigned ${task.id} to ${task.assignee ?? "(unassigned)"}`;
    return {
      text,
      data: { ok: true, task, warnings: changed.warnings },
      warnings: [...warnings, ...(ctx.json ? [] : changed.warnings)],
    };
  },
});
