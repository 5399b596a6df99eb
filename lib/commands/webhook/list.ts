import * as z from "zod";
import { defineCommand } from "../define.js";
import { refuseTools } from "../params/owner-needed.js";
import { routeLine, WEBHOOKS } from "./text.js";

export default defineCommand({
  path: "webhook list",
  aliases: ["webhook"],
  summary: "List webhook subscriptions.",
  topic: "webhooks",
  params: z.object({}),
  surfaces: ["cli"],
  access: "read",
  run: async (_params, ctx) => {
    refuseTools(ctx, WEBHOOKS);
    const data = await ctx.gateway.webhooks();
    return {
      text:
        data.length === 0 ? "No webhooks. agent webhook subscribe NAME creates one." : data.map(routeLine).join("\n"),
      data,
    };
  },
});
