import * as z from "zod";
import { defineCommand } from "../../define.js";
import { directoryFrom, requirePerson } from "../../params/board-target.js";

export default defineCommand({
  path: "kanban boards create",
  aliases: ["kanban boards new"],
  summary: "Create a board.",
  topic: "kanban",
  params: z.object({
    slug: z.string().describe("lowercase letters, digits, - and _"),
    name: z.string().optional().describe("display name"),
    description: z.string().optional().describe("description"),
    icon: z.string().optional().describe("one character"),
    color: z.string().optional().describe("colour"),
    switch: z.boolean().default(false).describe("make it the current board"),
    default_workdir: z.string().optional().describe("default directory of dir and worktree tasks"),
  }),
  positionals: ["slug"],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  where: "root",
  run: async (params, ctx) => {
    const default_workdir = directoryFrom(ctx, params.default_workdir);
    const { board, created } = await ctx.board.createBoard({ ...params, default_workdir }, await requirePerson(ctx));
    const text = created ? `Board '${board.slug}' created.` : `Board '${board.slug}' already exists.`;
    return { text, data: { board, created } };
  },
});
