import * as z from "zod";
import { defineCommand } from "../define.js";
import { optionalTime, reasonFrom, refuseEmpty, taskIdParam } from "../params/board-target.js";
import { stamp } from "../render/times.js";
import { runBatch } from "./params/batch.js";

export default defineCommand({
  path: "kanban schedule",
  summary: "Postpone a task until a time, or until it is unblocked.",
  topic: "kanban",
  params: z.object({
    id: taskIdParam,
    reason: z.array(z.string()).default([]).describe("reason, stored as a comment"),
    at: z.string().optional().describe("time to resume: ISO time, +2h, 09:00"),
    ids: z.array(z.string()).default([]).describe("further task ids"),
  }),
  positionals: ["id", "reason..."],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  repeats: true,
  where: "root",
  run: async (params, ctx) => {
    const reason = reasonFrom(params.reason);
    refuseEmpty("ids", params.ids);
    const at = optionalTime(ctx, params.at);
    const when = at === undefined ? "" : ` for ${stamp(at)} UTC`;
    return runBatch(ctx, {
      verb: "schedule",
      ids: [params.id, ...params.ids],
      each: async (board, id, by) => {
        const { task } = await ctx.board.schedule(board, id, { reason, at, comment: true }, by);
        return { task, line: `Scheduled ${id}${when}${reason === undefined ? "" : `: ${reason}`}` };
      },
    });
  },
});
