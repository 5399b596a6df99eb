import { AppError } from "../../../base/errors.js";
import type { BoardSlug, TaskId } from "../../../base/units.js";
import type { CommandContext, CommandResult } from "../../define.js";
import { actorFor, boardFor } from "../../params/board-target.js";

interface Ends {
  readonly parent: string;
  readonly child: string;
}

/** Change one dependency. `did` begins the report afterwards. */
export async function changeLink(
  verb: "link" | "unlink",
  { parent, child }: Ends,
  ctx: CommandContext,
  did: string,
): Promise<CommandResult> {
  const { board, warnings } = await boardFor(ctx, "write");
  const by = await actorFor(ctx);
  const from = await idOrGiven(ctx, board, parent);
  const to = await idOrGiven(ctx, board, child);
  const { child: task, parent_id, child_id } = await ctx.board[verb](board, from, to, by);
  return { text: `${did} ${parent_id} -> ${child_id}`, data: { ok: true, task, parent_id, child_id }, warnings };
}

/** What is unknown is left to the verb, which names all that is wrong at once. */
async function idOrGiven(ctx: CommandContext, board: BoardSlug, given: string): Promise<TaskId> {
  try {
    return await ctx.board.find(board, given);
  } catch (error) {
    if (error instanceof AppError && error.code === "E_NOT_FOUND") return given as TaskId; // looked up by the verb, which refuses it
    throw error;
  }
}
