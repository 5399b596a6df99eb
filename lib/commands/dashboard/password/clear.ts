import * as z from "zod";
import { defineCommand } from "../../define.js";
import { requirePerson } from "../../params/board-target.js";

export default defineCommand({
  path: "dashboard password clear",
  summary: "Remove the dashboard password. Only the URL and the token give access then.",
  topic: "dashboard",
  params: z.object({}),
  surfaces: ["cli"],
  access: "admin",
  self: "settings",
  run: async (_params, ctx) => {
    await requirePerson(ctx);
    const removed = await ctx.dashboard.setPassword(undefined);
    return {
      text: removed ? "Password removed; its sessions have ended." : "No password is set.",
      data: { set: false, removed },
    };
  },
});
