import * as z from "zod";
import { defineCommand } from "../define.js";
import { actorFor, boardFor, claimParams, taskIdParam } from "../params/board-target.js";

export default defineCommand({
  path: "kanban heartbeat",
  summary: "Extend the lease of a running task.",
  topic: "kanban",
  params: z.object({
    id: taskIdParam,
    note: z.string().optional().describe("progress note, stored as an event"),
    ...claimParams,
  }),
  positionals: ["id"],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  where: "root",
  run: async (params, ctx) => {
    const { board, warnings } = await boardFor(ctx, "write");
    const id = await ctx.board.find(board, params.id);
    const by = await actorFor(ctx, { run: params.run, token: params.token, task: id });
    const beat = await ctx.board.heartbeat(board, id, params.note, by);
    return {
      text: `Heartbeat recorded for ${id}`,
      data: { ok: true, task: beat.task, claim_expires: beat.claim_expires },
      warnings,
    };
  },
});
