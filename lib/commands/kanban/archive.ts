import * as z from "zod";
import { keptWarnings } from "../../contracts/board/workspace.js";
import { type CommandContext, type CommandResult, defineCommand } from "../define.js";
import { runBatch } from "./params/batch.js";
import { plain } from "./render/task.js";

export default defineCommand({
  path: "kanban archive",
  summary: "Archive tasks. Their child tasks are released.",
  topic: "kanban",
  params: z.object({
    ids: z.array(z.string(), { error: "a task id is required" }).min(1, "a task id is required").describe("tasks"),
    rm: z
      .boolean()
      .default(false)
      .describe("delete tasks that are already archived, with all their data; full ids only"),
  }),
  positionals: ["ids..."],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  repeats: true,
  where: "root",
  run: async ({ ids, rm }, ctx) => {
    if (rm) return removeAll(ids, ctx);
    return runBatch(ctx, {
      verb: "archive",
      ids,
      each: async (board, id, by) => {
        const { task, released, workspace } = await ctx.board.archive(board, id, by);
        const children = released === 1 ? "1 waiting child" : `${released} waiting children`;
        const line = `Archived ${id}${released === 0 ? "" : ` (${children} released)`}`;
        return {
          task,
          line,
          more: { released, ...(workspace && { workspace }) },
          warnings: keptWarnings(workspace).map(plain),
        };
      },
    });
  },
});

function removeAll(ids: readonly string[], ctx: CommandContext): Promise<CommandResult> {
  return runBatch(ctx, {
    verb: "delete",
    ids,
    whole: true,
    each: async (board, id, by) => {
      const { title, released, kept } = await ctx.board.remove(board, id, {}, by);
      const warnings = kept.map((path) => `kept ${path}: not created by the board, or not empty`);
      return { task: null, line: `Deleted ${id}`, more: { deleted: true, title, released, kept }, warnings };
    },
  });
}
