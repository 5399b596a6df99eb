import * as z from "zod";
import { defineCommand } from "./define.js";
import { runBatch } from "./kanban/batch.js";
import { taskId, wordsOf } from "./kanban/target.js";

export default defineCommand({
  path: "kanban promote",
  summary: "Make waiting tasks ready.",
  topic: "kanban",
  params: z.object({
    id: taskId,
    reason: z.array(z.string()).default([]).describe("why, kept in the event"),
    ids: z.array(z.string()).default([]).describe("more tasks; repeatable"),
    force: z.boolean().default(false).describe("pass over unsettled parents"),
    dry_run: z.boolean().default(false).describe("only say what would happen"),
  }),
  positionals: ["id", "reason..."],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  where: "root",
  run: async (params, ctx) => {
    const reason = wordsOf(params.reason);
    const { force, dry_run: dryRun } = params;
    return runBatch(ctx, {
      verb: "promote",
      ids: [params.id, ...params.ids],
      each: async (board, id, by) => {
        const { task, promoted, forced } = await ctx.board.promote(board, id, { reason, force, dryRun }, by);
        const line = dryRun ? `Would promote ${id} -> ready (dry)` : `Promoted ${id} -> ready${reason === undefined ? "" : `: ${reason}`}`;
        return { task, line, more: { promoted, dry_run: dryRun, forced, reason: reason ?? null } };
      },
    });
  },
});
