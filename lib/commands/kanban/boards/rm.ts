import * as z from "zod";
import { defineCommand } from "../../define.js";
import { requirePerson } from "../../params/board-target.js";

export default defineCommand({
  path: "kanban boards rm",
  aliases: ["kanban boards remove", "kanban boards delete"],
  summary: "Archive a board; boards restore undoes it.",
  topic: "kanban",
  params: z.object({
    slug: z.string().describe("board"),
    delete: z.boolean().default(false).describe("delete it permanently"),
    force: z.boolean().default(false).describe("stop its workers first"),
  }),
  positionals: ["slug"],
  surfaces: ["cli", "slash", "rpc"],
  access: "admin",
  where: "root",
  run: async ({ slug, delete: forGood, force }, ctx) => {
    const result = await ctx.board.removeBoard(slug, { delete: forGood, force }, await requirePerson(ctx));
    const { new_path, current, ...rest } = result;
    const text =
      new_path === null
        ? `Board '${result.slug}' deleted.`
        : `Board '${result.slug}' archived to ${new_path}\nagent kanban boards restore ${result.slug} brings it back.`;
    return { text, data: { result: { ...rest, new_path }, current } };
  },
});
