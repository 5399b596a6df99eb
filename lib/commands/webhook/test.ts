import * as z from "zod";
import { defineCommand } from "../define.js";
import { refuseTools } from "../params/owner-needed.js";
import { WEBHOOKS } from "./text.js";

export default defineCommand({
  path: "webhook test",
  summary: "Post a signed test event to the running server and show its answer.",
  topic: "webhooks",
  params: z.object({
    name: z.string().describe("name of the webhook"),
    payload: z.string().optional().describe("request body (default: a small test event)"),
    event: z.string().optional().describe("event name"),
  }),
  positionals: ["name"],
  surfaces: ["cli"],
  access: "write",
  run: async ({ name, payload, event }, ctx) => {
    refuseTools(ctx, WEBHOOKS);
    const data = await ctx.gateway.testWebhook(name, { payload, event });
    return { text: `${data.status} ${data.answer}`, data, exit: data.status >= 200 && data.status < 300 ? 0 : 1 };
  },
});
