import * as z from "zod";
import { defineCommand } from "../define.js";
import { refuseTools } from "../params/owner-needed.js";
import { SUBSCRIPTIONS } from "./text.js";

export default defineCommand({
  path: "meetings delete-subscription",
  summary: "Delete a subscription, at the graph and here.",
  topic: "meetings",
  params: z.object({ id: z.string().min(1).describe("subscription id") }),
  positionals: ["id"],
  surfaces: ["cli"],
  access: "write",
  run: async ({ id }, ctx) => {
    refuseTools(ctx, SUBSCRIPTIONS);
    const data = await ctx.gateway.deleteSubscription(id, ctx.signal);
    return { text: `Deleted subscription ${id}.`, data };
  },
});
