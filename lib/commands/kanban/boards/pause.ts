import * as z from "zod";
import { defineCommand } from "../../define.js";
import { namedBoard, personFor } from "../../params/board-target.js";

export default defineCommand({
  path: "kanban boards pause",
  summary: "Start no more workers on a board; those that run go on.",
  topic: "kanban",
  params: z.object({
    slug: z.string().optional().describe("board; default: the current one"),
    reason: z.string().optional().describe("shown wherever the board is listed"),
    now: z.boolean().default(false).describe("stop the running workers too"),
  }),
  positionals: ["slug"],
  surfaces: ["cli", "slash", "rpc"],
  access: "admin",
  where: "root",
  run: async ({ slug, reason, now }, ctx) => {
    const by = await personFor(ctx);
    const named = await namedBoard(ctx, slug, "write");
    const board = await ctx.board.pause(named.board, { reason, now }, by);
    return { text: `Board '${board.slug}' is paused.`, data: { board }, warnings: named.warnings };
  },
});
