import * as z from "zod";
import { defineCommand } from "./define.js";
import { runBatch } from "./kanban/batch.js";
import { plain } from "./kanban/render.js";
import { keptLines } from "./kanban/workspace.js";

export default defineCommand({
  path: "kanban archive",
  summary: "Put tasks away; their children go on.",
  topic: "kanban",
  params: z.object({ ids: z.array(z.string(), { error: "a task id is required" }).min(1, "a task id is required").describe("tasks") }),
  positionals: ["ids..."],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  where: "root",
  run: async ({ ids }, ctx) =>
    runBatch(ctx, {
      verb: "archive",
      ids,
      each: async (board, id, by) => {
        const { task, released, workspace } = await ctx.board.archive(board, id, by);
        const children = released === 1 ? "1 waiting child" : `${released} waiting children`;
        const line = `Archived ${id}${released === 0 ? "" : ` (${children} released)`}`;
        return { task, line, more: { released, ...(workspace && { workspace }) }, warnings: keptLines(workspace).map(plain) };
      },
    }),
});
