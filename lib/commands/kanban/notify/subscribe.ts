import * as z from "zod";
import { defineCommand } from "../../define.js";
import { actorFor, boardFor } from "../../params/board-target.js";
import { knownPlatform, placeFrom, placeParams, subjectOf } from "../params/notify-place.js";

export default defineCommand({
  path: "kanban notify subscribe",
  aliases: ["kanban notify-subscribe"],
  summary: "Notify a chat about a task, or about all tasks.",
  topic: "kanban",
  params: z.object({
    ...placeParams,
    user_id: z.string().optional().describe("user who subscribes"),
    notifier_profile: z
      .string()
      .optional()
      .describe("profile whose gateway sends (default: the owner of the platform)"),
    kinds: z.string().optional().describe("comma-separated event kinds (default: ends, blocks and failures)"),
    no_artifacts: z.boolean().default(false).describe("do not send artifacts"),
  }),
  positionals: ["id"],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  where: "root",
  run: async (params, ctx) => {
    knownPlatform(params.platform);
    const { board, warnings } = await boardFor(ctx, "write");
    const by = await actorFor(ctx);
    const place = await placeFrom(ctx, board, params);
    const { user_id = ctx.origin?.user_id, notifier_profile, kinds } = params;
    const wish = { user_id, notifier_profile, kinds: kinds?.split(","), artifacts: !params.no_artifacts };
    const made = await ctx.board.subscribe(board, { ...place, ...wish }, by);
    const { subscription, created } = made;
    return {
      text: `Subscribed ${subscription.platform}:${subscription.chat_id} to ${subjectOf(subscription)}`,
      data: { ok: true, subscription, created },
      warnings: [...warnings, ...made.warnings],
    };
  },
});
