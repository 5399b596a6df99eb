import * as z from "zod";
import { AppError } from "../base/errors.js";
import { defineCommand } from "./define.js";
import { boardFor, taskId } from "./kanban/target.js";

export default defineCommand({
  path: "kanban log",
  aliases: ["kanban logs"],
  summary: "Show the log of a task's workers.",
  topic: "kanban",
  params: z.object({
    id: taskId,
    tail: z.number().int().min(1).max(2_000_000).optional().describe("only the last so many bytes"),
    run: z.number().int().min(1).optional().describe("only what this run wrote"),
    follow: z.boolean().default(false).describe("go on until the run ends"),
  }),
  positionals: ["id"],
  short: { follow: "f" },
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  where: "root",
  follow: true,
  run: async (params, ctx) => {
    const { board, warnings } = await boardFor(ctx, "read");
    const id = await ctx.board.find(board, params.id);
    const part = params.tail === undefined ? {} : { tailBytes: params.tail };
    const found = await ctx.board.log(board, id, { ...part, ...(params.run === undefined ? {} : { run: params.run }) });
    if (!found.exists && !params.follow) throw new AppError("E_NOT_FOUND", `(no log for ${id})`, { task: id });
    if (!params.follow || ctx.json) return { text: found.content.replace(/\n$/, ""), data: { task_id: id, ...found }, warnings };
    for await (const text of ctx.board.followLog(board, id, part, ctx.signal)) await ctx.out(text);
    return { data: null, streamed: true, warnings };
  },
});
