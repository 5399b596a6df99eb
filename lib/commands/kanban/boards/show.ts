import * as z from "zod";
import { defineCommand } from "../../define.js";
import { namedBoard } from "../../params/board-target.js";
import { boardText } from "../render/boards.js";

export default defineCommand({
  path: "kanban boards show",
  aliases: ["kanban boards current"],
  summary: "Show the settings of a board.",
  topic: "kanban",
  params: z.object({ slug: z.string().optional().describe("board (default: the current one)") }),
  positionals: ["slug"],
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  where: "root",
  run: async ({ slug }, ctx) => {
    const named = await namedBoard(ctx, slug, "read");
    const board = await ctx.board.board(named.board);
    return { text: boardText(board), data: board, warnings: named.warnings };
  },
});
