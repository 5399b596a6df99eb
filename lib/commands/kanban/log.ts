import * as z from "zod";
import { AppError } from "../../base/errors.js";
import type { BoardSlug, TaskId } from "../../base/units.js";
import type { LogQuestion } from "../../contracts/board/api.js";
import { type CommandContext, defineCommand } from "../define.js";
import { boardFor, taskIdParam } from "../params/board-target.js";

export default defineCommand({
  path: "kanban log",
  aliases: ["kanban logs"],
  summary: "Show the worker log of a task.",
  topic: "kanban",
  params: z.object({
    id: taskIdParam,
    tail: z.number().int().min(1).max(2_000_000).optional().describe("only the last N bytes"),
    run: z.number().int().min(1).optional().describe("only this run"),
    follow: z.boolean().default(false).describe("follow until the run ends"),
  }),
  positionals: ["id"],
  short: { follow: "f" },
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  where: "root",
  followsWith: ["-f", "--follow"],
  run: async (params, ctx) => {
    const { board, warnings } = await boardFor(ctx, "read");
    const id = await ctx.board.find(board, params.id);
    const part = { tailBytes: params.tail, run: params.run };
    if (params.follow && !ctx.json)
      return { data: null, streamed: true, warnings: await follow(ctx, { board, id, part }, warnings) };
    const found = await ctx.board.log(board, id, part);
    if (!found.exists) throw noLog(id, params.run);
    const cut = found.truncated && params.tail === undefined;
    const note = cut ? [`showing the end of ${found.size_bytes} bytes: ${found.path}`] : [];
    return {
      text: found.content.replace(/\n$/, ""),
      data: { task_id: id, ...found },
      warnings: [...warnings, ...note],
    };
  },
});

interface Followed {
  readonly board: BoardSlug;
  readonly id: TaskId;
  readonly part: LogQuestion;
}

/** Warnings go out first: the rest may take hours. */
async function follow(
  ctx: CommandContext,
  { board, id, part }: Followed,
  warnings: readonly string[],
): Promise<readonly string[]> {
  for (const warning of warnings) await ctx.err(`kanban: ${warning}\n`);
  let silent = true;
  for await (const text of ctx.board.followLog(board, id, part, ctx.signal)) {
    silent = false;
    await ctx.out(text);
  }
  if (silent && !ctx.signal.aborted && !(await ctx.board.log(board, id, part)).exists) throw noLog(id, part.run);
  return [];
}

const noLog = (id: TaskId, run: number | undefined) =>
  new AppError("E_NOT_FOUND", run === undefined ? `(no log for ${id})` : `(no log of run ${run} for ${id})`, {
    task: id,
    hint: "a log is created by the first worker of a task",
  });
