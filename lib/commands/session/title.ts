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
    text: z.string().default("").describe("the new title, at most 100 characters; without it the title is shown"),
  }),
  positionals: ["text"],
  surfaces: ["slash"],
  access: "write",
  verbatim: true,
  run: async ({ text }, ctx) => {
    const id = sessionOf(ctx);
    if (text !== "") {
      const renamed = await ctx.chat.rename(id, text);
      return { text: `This conversation is now "${renamed.title ?? ""}"`, data: toSessionJson(renamed) };
    }
    const session = await ctx.chat.get(id);
    if (!session) throw new AppError("E_NOT_FOUND", `there is no session ${id}`, { session: id });
    return { text: session.title ?? "(untitled; /title TEXT names it)", data: toSessionJson(session) };
  },
});
