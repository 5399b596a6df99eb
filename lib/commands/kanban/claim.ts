import * as z from "zod";
import { defineCommand } from "../define.js";
import { actorFor, boardFor, taskIdParam } from "../params/board-target.js";

export default defineCommand({
  path: "kanban claim",
  summary: "Claim a ready task for an external worker.",
  topic: "kanban",
  params: z.object({
    id: taskIdParam,
    ttl: z
      .number()
      .int()
      .min(1)
      .optional()
      .describe("seconds until the claim expires without a heartbeat (default 900)"),
    pid: z.number().int().min(1).optional().describe("process that works; monitored like a worker"),
  }),
  positionals: ["id"],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  where: "root",
  run: async ({ id, ttl, pid }, ctx) => {
    const { board, warnings } = await boardFor(ctx, "write");
    const by = await actorFor(ctx);
    const data = await ctx.board.claimOutside(board, await ctx.board.find(board, id), { ttl, pid }, by);
    return { text: `Claimed ${data.task.id}\nWorkspace: ${data.workspace}`, data, warnings };
  },
});
