import * as z from "zod";
import { LONGEST_HOURS } from "../../contracts/gateway/meetings.js";
import { defineCommand } from "../define.js";
import { refuseTools } from "../params/owner-needed.js";
import { SUBSCRIPTIONS, subscriptionLine } from "./text.js";

export default defineCommand({
  path: "meetings subscribe",
  summary: "Subscribe to new transcripts or recordings. The subscription is renewed automatically.",
  topic: "meetings",
  params: z.object({
    resource: z.string().min(1).describe("resource, e.g. communications/onlineMeetings/getAllTranscripts"),
    "change-type": z.string().default("created").describe("comma-separated change types: created, updated, deleted"),
    "notification-url": z
      .string()
      .optional()
      .describe("notification URL (default: MSGRAPH_WEBHOOK_PUBLIC_URL with /msgraph/webhook)"),
    hours: z
      .number()
      .int()
      .default(48)
      .describe(`initial duration in hours, at most ${LONGEST_HOURS}; the gateway renews it`),
  }),
  positionals: ["resource"],
  surfaces: ["cli"],
  access: "write",
  run: async ({ resource, hours, ...params }, ctx) => {
    refuseTools(ctx, SUBSCRIPTIONS);
    const wanted = {
      resource,
      hours,
      change_type: params["change-type"],
      notification_url: params["notification-url"],
    };
    const data = await ctx.gateway.subscribeMeetings(wanted, ctx.signal);
    return { text: subscriptionLine(data), data };
  },
});
