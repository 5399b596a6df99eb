import * as z from "zod";
import { defineCommand } from "../define.js";
import { boardFor, taskIdParam } from "../params/board-target.js";
import { attachmentLine } from "./render/attachments.js";

export default defineCommand({
  path: "kanban attachments",
  summary: "List the files attached to a task.",
  topic: "kanban",
  params: z.object({ id: taskIdParam }),
  positionals: ["id"],
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  where: "root",
  run: async ({ id }, ctx) => {
    const { board, warnings } = await boardFor(ctx, "read");
    const full = await ctx.board.find(board, id);
    const data = await ctx.board.attachments(board, full);
    const text = data.length === 0 ? `(no attachments on ${full})` : data.map(attachmentLine).join("\n");
    return { text, data, warnings };
  },
});
