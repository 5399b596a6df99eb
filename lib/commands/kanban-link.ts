import * as z from "zod";
import { defineCommand } from "./define.js";
import { actorFor, boardFor, mayExtend, taskId } from "./kanban/target.js";

export default defineCommand({
  path: "kanban link",
  summary: "Make one task wait for another.",
  topic: "kanban",
  params: z.object({ parent: taskId, child: taskId }),
  positionals: ["parent", "child"],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  where: "root",
  run: async ({ parent, child }, ctx) => {
    const { board, warnings } = await boardFor(ctx, "write");
    const by = await actorFor(ctx);
    mayExtend(ctx, by);
    const [from, to] = [await ctx.board.find(board, parent), await ctx.board.find(board, child)];
    const done = await ctx.board.link(board, from, to, by);
    const { parent_id, child_id } = done;
    return { text: `Linked ${parent_id} -> ${child_id}`, data: { ok: true, task: done.child, parent_id, child_id }, warnings };
  },
});
