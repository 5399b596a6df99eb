import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { toSessionJson } from "../../contracts/wire/shapes/session-json.js";
import { sessionOf } from "../conversation/conversation.js";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "title",
  aliases: ["rename"],
  summary: "Show or set the title of this conversation.",
  topic: "sessions",
  params: z.object({
    text: z.string().default("").describe("new title, at most 100 characters (default: show it)"),
  }),
  positionals: ["text"],
  surfaces: ["slash"],
  access: "write",
  verbatim: true,
  run: async ({ text }, ctx) => {
    const id = sessionOf(ctx);
    if (text !== "") {
      const renamed = await ctx.chat.rename(id, text);
      return { text: `Title: "${renamed.title ?? ""}"`, data: toSessionJson(renamed) };
    }
    const session = await ctx.chat.get(id);
    if (!session) throw new AppError("E_NOT_FOUND", `no such session: ${id}`, { session: id });
    return { text: session.title ?? "(untitled; /title TEXT sets a title)", data: toSessionJson(session) };
  },
});
