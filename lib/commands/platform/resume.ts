import * as z from "zod";
import { PLATFORM_TAGS } from "../../contracts/board/platform-tag.js";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "platform resume",
  summary: "Connect a messaging platform that was paused or given up.",
  topic: "gateway",
  params: z.object({ tag: z.enum(PLATFORM_TAGS).describe("tag of the platform") }),
  positionals: ["tag"],
  surfaces: ["slash"],
  access: "admin",
  self: "settings",
  whole: true,
  run: async ({ tag }, ctx) => {
    await ctx.gateway.resume(tag);
    return { text: `${tag} is being connected`, data: { tag } };
  },
});
