import * as z from "zod";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "restart",
  summary: "Restart the messaging gateway. Interrupted turns resume afterwards.",
  topic: "gateway",
  params: z.object({}),
  surfaces: ["slash"],
  access: "admin",
  whole: true,
  run: async (_params, ctx) => {
    await ctx.gateway.restart(ctx.origin);
    const text =
      ctx.origin === undefined
        ? "The gateway restarts."
        : "🔄 The gateway restarts; you will be notified here when it is back.";
    return { text, data: { ok: true } };
  },
});
