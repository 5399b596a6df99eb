import * as z from "zod";
import { PLATFORM_TAGS } from "../../contracts/board/platform-tag.js";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "platform pause",
  summary: "Disconnect a messaging platform until it is resumed, also over restarts.",
  topic: "gateway",
  params: z.object({ tag: z.enum(PLATFORM_TAGS).describe("tag of the platform") }),
  positionals: ["tag"],
  surfaces: ["slash"],
  access: "admin",
  self: "settings",
  whole: true,
  run: async ({ tag }, ctx) => {
    await ctx.gateway.pause(tag);
    return { text: `${tag} is paused; /platform resume ${tag} connects it again`, data: { tag } };
  },
});
