import * as z from "zod";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "curator pause",
  summary: "Pause the curator: it no longer runs by itself. agent curator run still works.",
  topic: "curator",
  params: z.object({}),
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  self: "settings",
  run: async (_params, ctx) => {
    const state = await (await ctx.skills.curator()).pause(true);
    return { text: "The curator is paused.", data: state };
  },
});
