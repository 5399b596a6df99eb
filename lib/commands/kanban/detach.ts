import * as z from "zod";
import { defineCommand } from "../define.js";
import { actorFor, boardFor, taskIdParam } from "../params/board-target.js";

export default defineCommand({
  path: "kanban detach",
  summary: "Remove an attached file.",
  topic: "kanban",
  params: z.object({
    id: taskIdParam,
    attachment: z.number().int().min(1).describe("number of the attachment, as shown by attachments"),
  }),
  positionals: ["id", "attachment"],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  where: "root",
  run: async ({ id, attachment }, ctx) => {
    const { board, warnings } = await boardFor(ctx, "write");
    const by = await actorFor(ctx);
    const done = await ctx.board.detach(board, attachment, by, await ctx.board.find(board, id));
    const text = `Detached ${done.attachment.filename} from ${done.task.id}`;
    return { text, data: { ok: true, task: done.task, attachment: done.attachment }, warnings };
  },
});
