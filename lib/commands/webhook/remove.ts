import * as z from "zod";
import { defineCommand } from "../define.js";
import { refuseTools } from "../params/owner-needed.js";
import { WEBHOOKS } from "./text.js";

export default defineCommand({
  path: "webhook remove",
  summary: "Remove a webhook subscription.",
  topic: "webhooks",
  params: z.object({ name: z.string().describe("subscription name") }),
  positionals: ["name"],
  surfaces: ["cli"],
  access: "write",
  self: "settings",
  run: async ({ name }, ctx) => {
    refuseTools(ctx, WEBHOOKS);
    const data = await ctx.gateway.removeWebhook(name);
    return { text: `Removed webhook ${name}.`, data };
  },
});
