import type { CommandContext, CommandResult } from "../define.js";
import { actorFor, boardFor, mayExtend } from "./target.js";

interface Ends {
  readonly parent: string;
  readonly child: string;
}

/** Change one dependency. `did` begins what is told afterwards. */
export async function changeLink(
  verb: "link" | "unlink",
  { parent, child }: Ends,
  ctx: CommandContext,
  did: string,
): Promise<CommandResult> {
  const { board, warnings } = await boardFor(ctx, "write");
  const by = await actorFor(ctx);
  mayExtend(ctx, by);
  const [from, to] = [await ctx.board.find(board, parent), await ctx.board.find(board, child)];
  const { child: task, parent_id, child_id } = await ctx.board[verb](board, from, to, by);
  return { text: `${did} ${parent_id} -> ${child_id}`, data: { ok: true, task, parent_id, child_id }, warnings };
}
