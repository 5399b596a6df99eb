import * as z from "zod";
import { defineCommand } from "../define.js";
import { boardFor, requirePerson } from "../params/board-target.js";

export default defineCommand({
  path: "kanban init",
  summary: "Create the board store.",
  topic: "kanban",
  params: z.object({}),
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  repeats: true,
  where: "root",
  run: async (_params, ctx) => {
    const { board, warnings } = await boardFor(ctx, "write");
    const by = await requirePerson(ctx);
    const { store, profiles } = await ctx.board.init(board, by);
    const text = [
      `Kanban DB initialized at ${store}`,
      `Profiles: ${profiles.join(", ")}`,
      "The dispatcher runs while an owner does: agent --headless, or the workspace (agent).",
    ].join("\n");
    return { text, data: { ok: true, board, store, profiles }, warnings };
  },
});
