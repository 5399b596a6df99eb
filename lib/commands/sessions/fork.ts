import * as z from "zod";
import { toSessionJson } from "../../contracts/wire/shapes/session-json.js";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "sessions fork",
  summary: "Copy a session, up to a message, into a new one.",
  topic: "sessions",
  params: z.object({
    id: z.string().describe("id, unique beginning of one, or title"),
    at: z.number().int().optional().describe("id of the last message that goes along; sessions show --json has them"),
    title: z.string().optional().describe("title of the copy; without it the next number"),
  }),
  positionals: ["id"],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  run: async ({ id, at, title }, ctx) => {
    const from = await ctx.chat.find(id);
    const session = await ctx.chat.fork(from.id, {
      ...(at === undefined ? {} : { at }),
      ...(title === undefined ? {} : { title }),
    });
    const text = `${session.id} (${session.title ?? "untitled"}) begins with ${session.message_count} messages of ${from.id}`;
    return { text, data: toSessionJson(session) };
  },
});
