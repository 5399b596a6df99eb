import * as z from "zod";
import { toSessionJson } from "../../contracts/wire/shapes/session-json.js";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "sessions rename",
  summary: "Change the title of a session.",
  topic: "sessions",
  params: z.object({
    id: z.string().describe("id, unique prefix or title"),
    title: z.array(z.string()).min(1).describe("the new title, at most 100 characters"),
  }),
  positionals: ["id", "title..."],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  run: async ({ id, title }, ctx) => {
    const session = await ctx.chat.find(id);
    const renamed = await ctx.chat.rename(session.id, title.join(" "));
    return { text: `${renamed.id} is now "${renamed.title ?? ""}"`, data: toSessionJson(renamed) };
  },
});
