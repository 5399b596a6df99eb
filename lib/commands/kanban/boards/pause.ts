import * as z from "zod";
import { defineCommand } from "../../define.js";
import { namedBoard, requirePerson } from "../../params/board-target.js";

export default defineCommand({
  path: "kanban boards pause",
  summary: "Pause a board: no new workers start. Running workers continue.",
  topic: "kanban",
  params: z.object({
    slug: z.string().optional().describe("board (default: the current one)"),
    reason: z.string().optional().describe("reason, shown with the board"),
    now: z.boolean().default(false).describe("also stop the running workers"),
  }),
  positionals: ["slug"],
  surfaces: ["cli", "slash", "rpc"],
  access: "admin",
  repeats: true,
  where: "root",
  run: async ({ slug, reason, now }, ctx) => {
    const by = await requirePerson(ctx);
    const named = await namedBoard(ctx, slug, "write");
    const board = await ctx.board.pause(named.board, { reason, now }, by);
    return { text: `Board '${board.slug}' is paused.`, data: { board }, warnings: named.warnings };
  },
});
