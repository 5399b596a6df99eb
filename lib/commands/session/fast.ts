import * as z from "zod";
import { sessionOf } from "../conversation/conversation.js";
import { type CommandContext, defineCommand } from "../define.js";

export default defineCommand({
  path: "fast",
  summary: "Use the provider's faster tier in this conversation, if available.",
  topic: "models",
  params: z.object({
    what: z.enum(["normal", "fast", "status"]).default("status").describe("normal, fast, or status"),
  }),
  positionals: ["what"],
  surfaces: ["slash"],
  access: "write",
  run: async ({ what }, ctx) => {
    const id = sessionOf(ctx);
    if (what !== "status") await ctx.chat.setModel(id, { fast: what === "fast" ? true : null });
    const { fast = false } = await ctx.chat.modelOf(id);
    const offered = await offers(ctx);
    const note = offered ? "" : " The provider does not have a faster tier; nothing changes.";
    return {
      text: fast ? `Faster tier requested.${note}` : `Ordinary tier in use.${what === "fast" ? note : ""}`,
      data: { fast, offered },
    };
  },
});

/** Whether the provider of this conversation has such a tier. What cannot be reached does not. */
async function offers(ctx: CommandContext): Promise<boolean> {
  const { primary } = await ctx.models.chain();
  const own = ctx.session === undefined ? {} : await ctx.chat.modelOf(ctx.session);
  const name =
    own.model === undefined || own.provider === undefined ? primary : { provider: own.provider, model: own.model };
  try {
    return (await ctx.models.check(name)).fast;
  } catch {
    return false; // ok to lose: the next turn tells what is wrong with the model
  }
}
