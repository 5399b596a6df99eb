import * as z from "zod";
import { defineCommand } from "../define.js";
import { runBatch } from "./params/batch.js";

export default defineCommand({
  path: "kanban unblock",
  summary: "Unblock blocked or scheduled tasks.",
  topic: "kanban",
  params: z.object({
    ids: z.array(z.string(), { error: "a task id is required" }).min(1, "a task id is required").describe("tasks"),
    reason: z.string().optional().describe("reason, stored as a comment"),
  }),
  positionals: ["ids..."],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  repeats: true,
  where: "root",
  run: async ({ ids, reason }, ctx) =>
    runBatch(ctx, {
      verb: "unblock",
      ids,
      refusal: (id, error) =>
        error.code === "E_STATE" ? `cannot unblock ${id} (not blocked/scheduled?)` : error.message,
      each: async (board, id, by) => {
        const { task } = await ctx.board.unblock(board, id, { reason, comment: true }, by);
        return { task, line: `Unblocked ${id} -> ${task.status}` };
      },
    }),
});
