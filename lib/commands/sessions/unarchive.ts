import * as z from "zod";
import { toSessionJson } from "../../contracts/wire/shapes/session-json.js";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "sessions unarchive",
  summary: "List an archived session with the others again.",
  topic: "sessions",
  params: z.object({ id: z.string().describe("id, unique beginning of one, or title") }),
  positionals: ["id"],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  run: async ({ id }, ctx) => {
    const session = await ctx.chat.archive((await ctx.chat.find(id)).id, false);
    return { text: `${session.id} (${session.title ?? "untitled"}) is listed again`, data: toSessionJson(session) };
  },
});
