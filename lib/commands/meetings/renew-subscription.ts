import * as z from "zod";
import { defineCommand } from "../define.js";
import { refuseTools } from "../params/owner-needed.js";
import { keptLine, SUBSCRIPTIONS } from "./text.js";

export default defineCommand({
  path: "meetings renew-subscription",
  summary: "Extend a subscription by 24 hours. A lost subscription is recreated.",
  topic: "meetings",
  params: z.object({ id: z.string().min(1).describe("subscription id") }),
  positionals: ["id"],
  surfaces: ["cli"],
  access: "write",
  run: async ({ id }, ctx) => {
    refuseTools(ctx, SUBSCRIPTIONS);
    const data = await ctx.gateway.renewSubscription(id, ctx.signal);
    return { text: keptLine(data), data, exit: data.action === "failed" ? 1 : 0 };
  },
});
