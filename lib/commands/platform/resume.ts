import * as z from "zod";
import { defineCommand } from "../define.js";
import { platformParam } from "../params/platform.js";

export default defineCommand({
  path: "platform resume",
  summary: "Reconnect a paused or failed messaging platform.",
  topic: "gateway",
  params: z.object({ tag: platformParam("platform tag") }),
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
