import * as z from "zod";
import { AppError } from "../../base/errors.js";
import type { TaskId } from "../../base/units.js";
import { defineCommand } from "../define.js";
import { actorFor, boardFor, claimParams, taskIdParam } from "../params/board-target.js";

export default defineCommand({
  path: "kanban comment",
  summary: "Comment on a task.",
  topic: "kanban",
  params: z.object({
    id: taskIdParam,
    text: z.array(z.string()).default([]).describe("text of the comment"),
    author: z.string().optional().describe("author (default user)"),
    max_len: z.number().int().min(1).optional().describe("maximum length; longer text is truncated"),
    ...claimParams,
  }),
  positionals: ["id", "text..."],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  repeats: true,
  where: "root",
  run: async (params, ctx) => {
    const { board, warnings } = await boardFor(ctx, "write");
    const id = await ctx.board.find(board, params.id).catch((error: unknown) => {
      if (error instanceof AppError && error.code === "E_NOT_FOUND")
        throw new AppError("E_NOT_FOUND", `unknown task ${params.id}`);
      throw error;
    });
    const by = await actorFor(ctx, {
      run: params.run,
      token: params.token,
      author: params.author,
      task: ownTask(ctx.env, id),
    });
    const text = trimTo(params.text.join(" "), params.max_len);
    const { task, comment } = await ctx.board.comment(board, id, text, by);
    return { text: `Comment added to ${id}`, data: { ok: true, task, comment }, warnings };
  },
});

/** A claim given by flags is for the task that the worker works on, which need not be the one it comments on. */
function ownTask(env: Readonly<Record<string, string>>, id: TaskId): TaskId {
  return (env["AGENT_KANBAN_TASK"] ?? id) as TaskId; // compared with the stored claim before it counts
}

/** Text and its note together fit `max` characters. */
function trimTo(text: string, max: number | undefined): string {
  const characters = [...text];
  if (max === undefined || characters.length <= max) return text;
  const note = `… [trimmed to ${max} chars]`;
  const room = max - [...note].length;
  return room <= 0 ? characters.slice(0, max).join("") : `${characters.slice(0, room).join("")}${note}`;
}
