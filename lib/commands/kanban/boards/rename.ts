import * as z from "zod";
import { AppError } from "../../../base/errors.js";
import { defineCommand } from "../../define.js";
import { namedBoard, requirePerson } from "../../params/board-target.js";
import { plain } from "../render/task.js";

export default defineCommand({
  path: "kanban boards rename",
  summary: "Change the display name of a board. Its slug never changes.",
  topic: "kanban",
  params: z.object({
    slug: z.string().describe("board"),
    name: z.string().describe("display name"),
  }),
  positionals: ["slug", "name"],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  repeats: true,
  where: "root",
  run: async ({ slug, name }, ctx) => {
    const by = await requirePerson(ctx);
    if (name.trim() === "") throw new AppError("E_INVALID", "name is required");
    const named = await namedBoard(ctx, slug, "write");
    const { board } = await ctx.board.setBoard(named.board, { name: name.trim() }, by);
    return { text: `Board '${board.slug}' is now called '${plain(board.name)}'.`, data: { board } };
  },
});
