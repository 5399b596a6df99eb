import * as z from "zod";
import { sessionOptions } from "../conversation/conversation.js";
import { recap } from "../conversation/recap.js";
import { listedInChat, listedNearFirst, numberedInChat } from "../conversation/session-rows.js";
import { openedSessionResult, toSessionFront } from "../conversation/start-turn.js";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "resume",
  summary: "Open another conversation. A turn running in this one continues.",
  topic: "sessions",
  params: z.object({
    text: z.string().default("").describe("id, unique prefix or title (default: list the newest)"),
  }),
  positionals: ["text"],
  surfaces: ["slash"],
  access: "write",
  verbatim: true,
  run: async ({ text }, ctx) => {
    if (text === "") return ctx.origin === undefined ? listedNearFirst(ctx, LISTED) : listedInChat(ctx, LISTED);
    const found =
      (NUMBER.test(text) && ctx.origin !== undefined ? await numberedInChat(Number(text), ctx, LISTED) : undefined) ??
      (await ctx.chat.find(text));
    const before = ctx.session === undefined ? undefined : await ctx.chat.get(ctx.session);
    const session = await ctx.chat.resume(found.id, {
      ...sessionOptions(ctx),
      ...toSessionFront(before, ctx),
      cwd: before?.cwd ?? ctx.cwd,
    });
    if (ctx.session !== undefined && ctx.session !== session.id && !(await ctx.chat.isBusy(ctx.session)))
      await ctx.chat.leave(ctx.session, "resumed_other");
    return openedSessionResult(session, await recap(session, found, ctx));
  },
});

const LISTED = 20;
/** In a chat a place of the list. */
const NUMBER = /^\d{1,2}$/;
