import * as z from "zod";
import { defineCommand } from "../define.js";
import { refuseTools } from "../params/owner-needed.js";

export default defineCommand({
  path: "pairing clear-pending",
  summary: "Forget every pairing code that was given out.",
  topic: "gateway",
  params: z.object({}),
  surfaces: ["cli"],
  access: "admin",
  self: "settings",
  run: async (_params, ctx) => {
    refuseTools(ctx);
    const cleared = await ctx.gateway.clearPending();
    return { text: cleared === 1 ? "1 code is forgotten" : `${cleared} codes are forgotten`, data: { cleared } };
  },
});
