import * as z from "zod";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "curator resume",
  summary: "Let the curator run by itself again.",
  topic: "curator",
  params: z.object({}),
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  self: "settings",
  run: async (_params, ctx) => {
    const state = await (await ctx.skills.curator()).pause(false);
    return { text: "The curator runs by itself again.", data: state };
  },
});
