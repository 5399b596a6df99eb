import * as z from "zod";
import { toSessionJson } from "../../contracts/wire/shapes/session-json.js";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "sessions fork",
  summary: "Copy a session, up to a message, into a new session.",
  topic: "sessions",
  params: z.object({
    id: z.string().describe("id, unique prefix or title"),
    at: z.number().int().optional().describe("id of the last message to copy, as shown by sessions show --json"),
    title: z.string().optional().describe("title of the copy (default: the next number)"),
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
