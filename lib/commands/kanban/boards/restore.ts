import * as z from "zod";
import { defineCommand } from "../../define.js";
import { requirePerson } from "../../params/board-target.js";

export default defineCommand({
  path: "kanban boards restore",
  summary: "Restore an archived board.",
  topic: "kanban",
  params: z.object({
    archived: z.string().describe("archived name, or slug for the newest copy"),
    as: z.string().optional().describe("use another slug"),
  }),
  positionals: ["archived"],
  surfaces: ["cli", "slash", "rpc"],
  access: "admin",
  where: "root",
  run: async ({ archived, as }, ctx) => {
    const { board, warnings } = await ctx.board.restoreBoard(archived, { as }, await requirePerson(ctx));
    return { text: `Board '${board.slug}' restored: ${board.total} task(s).`, data: { board }, warnings };
  },
});
