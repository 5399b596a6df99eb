import * as z from "zod";
import { toSessionJson } from "../../contracts/wire/shapes/session-json.js";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "sessions unarchive",
  summary: "Return an archived session to the list.",
  topic: "sessions",
  params: z.object({ id: z.string().describe("id, unique prefix or title") }),
  positionals: ["id"],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  run: async ({ id }, ctx) => {
    const session = await ctx.chat.archive((await ctx.chat.find(id)).id, false);
    return { text: `Unarchived ${session.id} (${session.title ?? "untitled"})`, data: toSessionJson(session) };
  },
});
