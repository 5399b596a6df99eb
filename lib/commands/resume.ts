import * as z from "zod";
import { sessionOptions } from "./chat/session.js";
import { defineCommand } from "./define.js";
import { listedNearFirst } from "./session/list.js";
import { recap } from "./session/recap.js";
import { opened } from "./session/turn.js";

export default defineCommand({
  path: "resume",
  summary: "Go on with another conversation; a turn that runs in this one goes on.",
  topic: "sessions",
  params: z.object({ text: z.string().default("").describe("id, unique beginning of one, or title; without it the newest are listed") }),
  positionals: ["text"],
  surfaces: ["slash"],
  access: "write",
  verbatim: true,
  run: async ({ text }, ctx) => {
    if (text === "") return listedNearFirst(ctx, 20);
    const found = await ctx.chat.find(text);
    const before = ctx.session === undefined ? undefined : await ctx.chat.get(ctx.session);
    const source = before?.source === "workspace" || before?.source === "inline" ? before.source : "cli";
    const session = await ctx.chat.resume(found.id, { ...sessionOptions(ctx), source, cwd: before?.cwd ?? ctx.cwd });
    if (ctx.session !== undefined && ctx.session !== session.id && !(await ctx.chat.isBusy(ctx.session)))
      await ctx.chat.leave(ctx.session, "resumed_other");
    return opened(session, await recap(session, found, ctx));
  },
});
