import * as z from "zod";
import { defineCommand } from "../../define.js";
import { actorFor, boardFor } from "../../params/board-target.js";
import { placeFrom, placeParams, subjectOf } from "../params/notify-place.js";

export default defineCommand({
  path: "kanban notify unsubscribe",
  aliases: ["kanban notify-unsubscribe"],
  summary: "Unsubscribe a chat.",
  topic: "kanban",
  params: z.object(placeParams),
  positionals: ["id"],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  where: "root",
  run: async (params, ctx) => {
    const { board, warnings } = await boardFor(ctx, "write");
    const by = await actorFor(ctx);
    const place = await placeFrom(ctx, board, params);
    const subject = subjectOf({ task_id: place.task ?? null, tenant: place.tenant?.trim() || null });
    const removed = await ctx.board.unsubscribe(board, place, by);
    if (removed) return { text: `Unsubscribed from ${subject}`, data: { ok: true, removed }, warnings };
    return { text: "(no such subscription)", data: { ok: false, removed }, exit: 1, warnings };
  },
});
