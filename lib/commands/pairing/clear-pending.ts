import * as z from "zod";
import { defineCommand } from "../define.js";
import { refuseTools } from "../params/owner-needed.js";

export default defineCommand({
  path: "pairing clear-pending",
  summary: "Discard all pending pairing codes.",
  topic: "gateway",
  params: z.object({}),
  surfaces: ["cli"],
  access: "admin",
  self: "settings",
  run: async (_params, ctx) => {
    refuseTools(ctx);
    const cleared = await ctx.gateway.clearPending();
    return { text: cleared === 1 ? "1 code discarded" : `${cleared} codes discarded`, data: { cleared } };
  },
});
