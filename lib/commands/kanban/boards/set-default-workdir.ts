import * as z from "zod";
import { defineCommand } from "../../define.js";
import { directoryFrom, namedBoard, requirePerson } from "../../params/board-target.js";
import { workdirWarnings } from "../render/boards.js";
import { plain } from "../render/task.js";

export default defineCommand({
  path: "kanban boards set-default-workdir",
  summary: "Set or clear the default directory of dir and worktree tasks.",
  topic: "kanban",
  params: z.object({
    slug: z.string().describe("board"),
    path: z.string().optional().describe("directory (default: clear it)"),
  }),
  positionals: ["slug", "path"],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  repeats: true,
  where: "root",
  run: async ({ slug, path }, ctx) => {
    const by = await requirePerson(ctx);
    const default_workdir = directoryFrom(ctx, path) ?? "";
    const named = await namedBoard(ctx, slug, "write");
    const { board } = await ctx.board.setBoard(named.board, { default_workdir }, by);
    const text =
      default_workdir === ""
        ? `Board '${board.slug}' has no default directory.`
        : `Default directory of '${board.slug}': ${plain(default_workdir)}`;
    return { text, data: { board }, warnings: await workdirWarnings(default_workdir) };
  },
});
