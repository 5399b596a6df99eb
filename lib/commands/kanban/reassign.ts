import * as z from "zod";
import { defineCommand } from "../define.js";
import { actorFor, boardFor, taskIdParam } from "../params/board-target.js";

export default defineCommand({
  path: "kanban reassign",
  summary: "Reassign a task, even while a worker runs.",
  topic: "kanban",
  params: z.object({
    id: taskIdParam,
    profile: z.string().describe("profile, external name, or none"),
    reclaim: z.boolean().default(false).describe("stop the running worker first"),
    reason: z.string().optional().describe("reason, stored in the event of the stopped run"),
  }),
  positionals: ["id", "profile"],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  where: "root",
  run: async ({ id, profile, reclaim, reason }, ctx) => {
    const { board, warnings } = await boardFor(ctx, "write");
    const by = await actorFor(ctx);
    const done = await ctx.board.reassign(
      board,
      await ctx.board.find(board, id),
      { assignee: profile, reclaim, reason },
      by,
    );
    const { task, reclaimed } = done;
    const text = `Reassigned ${task.id} to ${task.assignee ?? "(unassigned)"}${reclaimed ? " (claim reclaimed)" : ""}`;
    const data = { ok: true, task, reclaimed, warnings: done.warnings };
    return { text, data, warnings: [...warnings, ...(ctx.json ? [] : done.warnings)] };
  },
});
