import * as z from "zod";
import { defineCommand } from "../../define.js";
import { requirePerson } from "../../params/board-target.js";

export default defineCommand({
  path: "kanban boards switch",
  aliases: ["kanban boards use"],
  summary: "Select the current board.",
  topic: "kanban",
  params: z.object({ slug: z.string().describe("board") }),
  positionals: ["slug"],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  repeats: true,
  where: "root",
  run: async ({ slug }, ctx) => {
    await requirePerson(ctx);
    const current = await ctx.board.switchBoard(slug);
    return { text: `Active board is now '${current}'.`, data: { current } };
  },
});
