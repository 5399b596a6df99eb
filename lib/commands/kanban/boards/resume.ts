import * as z from "zod";
import { defineCommand } from "../../define.js";
import { namedBoard, requirePerson } from "../../params/board-target.js";

export default defineCommand({
  path: "kanban boards resume",
  summary: "Resume a paused board.",
  topic: "kanban",
  params: z.object({ slug: z.string().optional().describe("board (default: the current one)") }),
  positionals: ["slug"],
  surfaces: ["cli", "slash", "rpc"],
  access: "admin",
  repeats: true,
  where: "root",
  run: async ({ slug }, ctx) => {
    const by = await requirePerson(ctx);
    const named = await namedBoard(ctx, slug, "write");
    const board = await ctx.board.resume(named.board, by);
    return { text: `Board '${board.slug}' is resumed.`, data: { board }, warnings: named.warnings };
  },
});
