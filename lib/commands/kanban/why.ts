import * as z from "zod";
import { defineCommand } from "../define.js";
import { boardFor, taskIdParam } from "../params/board-target.js";
import { reasonLines } from "./render/explained.js";

export default defineCommand({
  path: "kanban why",
  summary: "Explain why a task is not progressing and how to fix it.",
  topic: "kanban",
  params: z.object({ id: taskIdParam }),
  positionals: ["id"],
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  where: "root",
  run: async ({ id }, ctx) => {
    const { board, warnings } = await boardFor(ctx, "read");
    const data = await ctx.board.why(board, await ctx.board.find(board, id));
    const lines = [
      `${data.task_id} is ${data.status}.`,
      ...data.reasons.flatMap(reasonLines).map((line) => `  ${line}`),
    ];
    return { text: lines.join("\n"), data, warnings };
  },
});
