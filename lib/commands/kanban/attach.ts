import * as z from "zod";
import { defineCommand } from "../define.js";
import { actorFor, boardFor, taskIdParam } from "../params/board-target.js";
import { fileAt } from "./render/attachments.js";

export default defineCommand({
  path: "kanban attach",
  summary: "Attach copies of files to a task.",
  topic: "kanban",
  params: z.object({
    id: taskIdParam,
    files: z
      .array(z.string(), { error: "a file is required" })
      .min(1, "a file is required")
      .describe("files to copy; all or none"),
  }),
  positionals: ["id", "files..."],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  repeats: true,
  where: "root",
  run: async ({ id, files }, ctx) => {
    const { board, warnings } = await boardFor(ctx, "write");
    const by = await actorFor(ctx);
    const given = files.map((file) => fileAt(ctx, file));
    const { task, attachments } = await ctx.board.attach(board, await ctx.board.find(board, id), given, by);
    const lines = attachments.map((one) => `Attached ${one.filename} to ${task.id}`);
    return { text: lines.join("\n"), data: { ok: true, task, attachments }, warnings };
  },
});
