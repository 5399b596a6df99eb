import * as z from "zod";
import { sessionOf } from "../conversation/conversation.js";
import { openedSessionResult } from "../conversation/start-turn.js";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "branch",
  aliases: ["fork"],
  summary: "Continue in a copy of this conversation. The original stays open.",
  topic: "sessions",
  params: z.object({
    name: z.array(z.string()).default([]).describe("title of the copy (default: the next number)"),
    at: z.number().int().optional().describe("id of the last message to copy"),
  }),
  positionals: ["name..."],
  surfaces: ["slash"],
  access: "write",
  run: async ({ name, at }, ctx) => {
    const title = name.join(" ");
    const session = await ctx.chat.fork(sessionOf(ctx), {
      ...(title === "" ? {} : { title }),
      ...(at === undefined ? {} : { at }),
    });
    return openedSessionResult(
      session,
      `Created branch ${session.title === null ? session.id : `“${session.title}” (${session.id})`} with ${session.message_count} messages.`,
    );
  },
});
