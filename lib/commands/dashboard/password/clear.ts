import * as z from "zod";
import { defineCommand } from "../../define.js";
import { personFor } from "../../params/board-target.js";

export default defineCommand({
  path: "dashboard password clear",
  summary: "Remove the password of the dashboard; only the URL and the token let in then.",
  topic: "dashboard",
  params: z.object({}),
  surfaces: ["cli"],
  access: "admin",
  self: "settings",
  run: async (_params, ctx) => {
    await personFor(ctx);
    const removed = await ctx.dashboard.setPassword(undefined);
    return {
      text: removed ? "The password was removed; its sessions have ended." : "No password was set.",
      data: { set: false, removed },
    };
  },
});
