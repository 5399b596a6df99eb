import * as z from "zod";
import { defineCommand } from "../define.js";
import { runBatch } from "./params/batch.js";

export default defineCommand({
  path: "kanban reopen",
  summary: "Reopen done tasks.",
  topic: "kanban",
  params: z.object({
    ids: z.array(z.string(), { error: "a task id is required" }).min(1, "a task id is required").describe("tasks"),
    to: z
      .enum(["triage", "todo"])
      .default("todo")
      .describe("target status; todo becomes ready once its parents are done"),
    reason: z.string().optional().describe("reason, stored as a comment for the next worker"),
    force: z.boolean().default(false).describe("stop the workers of running children"),
  }),
  positionals: ["ids..."],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  repeats: true,
  where: "root",
  run: async ({ ids, to, reason, force }, ctx) =>
    runBatch(ctx, {
      verb: "reopen",
      ids,
      each: async (board, id, by) => {
        const { task, demoted, still_done } = await ctx.board.reopen(board, id, { to, reason, force }, by);
        const lines = [
          `Reopened ${id} -> ${task.status}`,
          ...(demoted.length > 0 ? [`  waiting again: ${demoted.join(", ")}`] : []),
          ...(still_done.length > 0 ? [`  still done: ${still_done.join(", ")}`] : []),
        ];
        return { task, line: lines.join("\n"), more: { demoted, still_done } };
      },
    }),
});
