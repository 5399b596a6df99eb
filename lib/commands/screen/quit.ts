import * as z from "zod";
import { sessionOf } from "../conversation/conversation.js";
import { type CommandContext, type CommandResult, defineCommand } from "../define.js";

export default defineCommand({
  path: "quit",
  aliases: ["exit"],
  summary: "Quit. --delete also deletes the conversation and those it delegated.",
  topic: "sessions",
  params: z.object({ text: z.string().default("").describe("--delete or -d") }),
  positionals: ["text"],
  surfaces: ["slash"],
  access: "write",
  whole: true,
  verbatim: true,
  run: async ({ text }, ctx) => {
    if (text === "--delete" || text === "-d") return deleting(ctx);
    if (text !== "")
      return {
        text: `Unknown argument for /exit: ${text} (use /exit or /exit --delete)`,
        data: { unknown: text },
        exit: 2,
      };
    const kept =
      ctx.session !== undefined && !(await ctx.chat.isBusy(ctx.session))
        ? await ctx.chat.leave(ctx.session, "closed")
        : undefined;
    return {
      text: "Bye.",
      data: { session: ctx.session ?? null, removed: kept === false },
      next: { quit: true, ...(kept === false ? { gone: true } : {}) },
    };
  },
});

async function deleting(ctx: CommandContext): Promise<CommandResult> {
  const id = sessionOf(ctx);
  await ctx.chat.interrupt(id);
  await ctx.chat.idle(id);
  const deleted = await ctx.chat.delete(id);
  return {
    text: `Deleted ${id}: ${deleted.messages} messages.`,
    data: { deleted: id, ...deleted },
    warnings: deleted.backups.map((path) => `an earlier backup may still contain its text: ${path}`),
    next: { quit: true, gone: true },
  };
}
