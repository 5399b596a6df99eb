import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { defineCommand } from "../define.js";
import { boardFor, taskIdParam } from "../params/board-target.js";
import { plainLines } from "./render/task.js";

/** Longest diff that is put into one JSON value, in UTF-16 units; the text form has no end. */
const MAX_JSON = 8 << 20;

export default defineCommand({
  path: "kanban diff",
  summary: "Show the changes of a worktree task since its base, committed or not.",
  topic: "kanban",
  params: z.object({ id: taskIdParam }),
  positionals: ["id"],
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  where: "root",
  run: async (params, ctx) => {
    const { board, warnings } = await boardFor(ctx, "read");
    const id = await ctx.board.find(board, params.id);
    const stop = AbortSignal.any([ctx.signal, ctx.gone]);
    const pieces = ctx.board.diff(board, id, stop);
    if (!ctx.json && ctx.surface === "cli") {
      // A terminal is spared the control characters of foreign files; a pipe gets every byte.
      for await (const piece of pieces) await ctx.out(ctx.color ? plainLines(piece) : piece);
      return { data: null, streamed: true, warnings };
    }
    let text = "";
    for await (const piece of pieces) {
      text += piece;
      if (text.length > MAX_JSON)
        throw new AppError("E_TOO_LARGE", `the diff of ${id} is too large for JSON output`, {
          hint: "run it without --json",
        });
    }
    const state = await ctx.board.workspace(board, id);
    const { base_commit, head, files_changed, insertions, deletions } = state;
    return {
      text: text.replace(/\n$/, ""),
      data: { task_id: id, base_commit, head, files_changed, insertions, deletions, diff: text },
      warnings,
    };
  },
});
