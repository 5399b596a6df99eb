import * as z from "zod";
import { defineCommand } from "../define.js";
import { currentProfile, namedProfile, profileText } from "./current.js";

export default defineCommand({
  path: "profile show",
  summary: "Show one profile.",
  topic: "profiles",
  params: z.object({ name: z.string().optional().describe("profile (default: the current one)") }),
  positionals: ["name"],
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  where: "root",
  run: async ({ name }, ctx) => {
    const profile = await ctx.profiles.show(namedProfile(ctx, name), currentProfile(ctx));
    return { text: profileText(profile), data: profile };
  },
});
