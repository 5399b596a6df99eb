import * as z from "zod";
import { defineCommand } from "../define.js";
import { platformParam } from "../params/platform.js";

export default defineCommand({
  path: "platform pause",
  summary: "Disconnect a messaging platform until resumed; persists across restarts.",
  topic: "gateway",
  params: z.object({ tag: platformParam("platform tag") }),
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
