import * as z from "zod";
import { defineCommand } from "../define.js";
import { claimParams, reasonFrom, refuseEmpty, taskIdParam } from "../params/board-target.js";
import { runBatch } from "./params/batch.js";

export default defineCommand({
  path: "kanban block",
  summary: "Block a task until it is unblocked.",
  topic: "kanban",
  params: z.object({
    id: taskIdParam,
    reason: z.array(z.string()).default([]).describe("reason, stored as a comment"),
    ids: z.array(z.string()).default([]).describe("further task ids"),
    ...claimParams,
  }),
  positionals: ["id", "reason..."],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  repeats: true,
  where: "root",
  run: async (params, ctx) => {
    const reason = reasonFrom(params.reason);
    refuseEmpty("ids", params.ids);
    return runBatch(ctx, {
      verb: "block",
      ids: [params.id, ...params.ids],
      caller: { run: params.run, token: params.token },
      each: async (board, id, by) => {
        const done = await ctx.board.block(board, id, { reason, comment: true }, by);
        return {
          task: done.task,
          line: `Blocked ${id}${reason === undefined ? "" : `: ${reason}`}`,
          more: { run_id: done.run_id },
        };
      },
    });
  },
});
