import * as z from "zod";
import { defineCommand } from "../define.js";
import { refuseTools } from "../params/owner-needed.js";
import { keptLine, SUBSCRIPTIONS } from "./text.js";

export default defineCommand({
  path: "meetings maintain-subscriptions",
  summary: "Renew subscriptions that expire within 24 hours and recreate lost ones. The gateway does so hourly.",
  topic: "meetings",
  params: z.object({}),
  surfaces: ["cli"],
  access: "write",
  run: async (_params, ctx) => {
    refuseTools(ctx, SUBSCRIPTIONS);
    const data = await ctx.gateway.maintainSubscriptions(ctx.signal);
    const text = data.length === 0 ? "No subscriptions." : data.map(keptLine).join("\n");
    return { text, data, exit: data.some(({ action }) => action === "failed") ? 1 : 0 };
  },
});
