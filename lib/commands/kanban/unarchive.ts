import * as z from "zod";
import { defineCommand } from "../define.js";
import { runBatch } from "./params/batch.js";

export default defineCommand({
  path: "kanban unarchive",
  summary: "Restore archived tasks.",
  topic: "kanban",
  params: z.object({
    ids: z.array(z.string(), { error: "a task id is required" }).min(1, "a task id is required").describe("tasks"),
    force: z.boolean().default(false).describe("stop the workers of running children"),
  }),
  positionals: ["ids..."],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  repeats: true,
  where: "root",
  run: async ({ ids, force }, ctx) =>
    runBatch(ctx, {
      verb: "unarchive",
      ids,
      each: async (board, id, by) => {
        const { task, demoted, warnings } = await ctx.board.unarchive(board, id, { force }, by);
        const waiting = demoted.length > 0 ? `\n  waiting again: ${demoted.join(", ")}` : "";
        return { task, line: `Unarchived ${id} -> ${task.status}${waiting}`, more: { demoted }, warnings };
      },
    }),
});
