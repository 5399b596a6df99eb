import * as z from "zod";
import { defineCommand } from "../define.js";
import { currentProfile, profileLine } from "./current.js";

export default defineCommand({
  path: "profile list",
  aliases: ["profile"],
  summary: "List the profiles.",
  topic: "profiles",
  params: z.object({}),
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  where: "root",
  run: async (_params, ctx) => {
    const profiles = await ctx.profiles.list(currentProfile(ctx));
    return { text: profiles.map(profileLine).join("\n"), data: profiles };
  },
});
