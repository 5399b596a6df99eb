import * as z from "zod";
import { CONFIRM_RESET } from "../command-keys.js";
import { freshSession, openedSessionResult } from "../conversation/start-turn.js";
import { type CommandContext, type CommandResult, defineCommand } from "../define.js";

export default defineCommand({
  path: "new",
  aliases: ["reset", "clear"],
  summary: "Start a new conversation. This one is kept.",
  topic: "sessions",
  params: z.object({
    title: z.array(z.string()).default([]).describe("title of the new conversation"),
    ephemeral: z.boolean().default(false).describe("keep it in memory only"),
    yes: z.boolean().default(false).describe("also while a turn or goal is running"),
  }),
  positionals: ["title..."],
  short: { yes: "y" },
  surfaces: ["slash"],
  access: "write",
  whole: true,
  run: async ({ title, ephemeral, yes }, ctx) => {
    const question = yes || !ctx.config.get(CONFIRM_RESET) ? undefined : await underWay(ctx);
    if (question !== undefined) return question;
    const name = title.join(" ");
    const session = await freshSession(ctx, {
      ...(name === "" ? {} : { title: name }),
      ...(ephemeral ? { ephemeral: true } : {}),
    });
    if (ctx.session !== undefined) {
      await ctx.chat.interrupt(ctx.session);
      await ctx.chat.leave(ctx.session, "new_session");
    }
    const kept = ephemeral ? " It is kept in memory only." : "";
    return openedSessionResult(
      session,
      `New conversation ${session.id}${session.title === null ? "" : ` "${session.title}"`}.${kept}`,
    );
  },
});

/** What would be left behind unfinished; the user is asked, and nothing is changed yet. */
async function underWay(ctx: CommandContext): Promise<CommandResult | undefined> {
  if (ctx.session === undefined) return undefined;
  const turn = await ctx.chat.isBusy(ctx.session);
  const goal = (await ctx.chat.goal(ctx.session))?.status === "active";
  if (!turn && !goal) return undefined;
  const what = turn ? "A turn is running and would be interrupted." : "A goal is active and would be paused.";
  const text = `${what} To start a new conversation anyway: /new --yes`;
  return { text, data: { ask: ["yes"], reason: turn ? "turn" : "goal" }, exit: 1, next: { compose: "/new --yes" } };
}
