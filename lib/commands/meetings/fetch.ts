import * as z from "zod";
import { defineCommand } from "../define.js";
import { refuseTools } from "../params/owner-needed.js";
import { meetingText } from "./text.js";

export default defineCommand({
  path: "meetings fetch",
  summary: "Fetch the transcript or recording of a meeting and deliver its summary.",
  topic: "meetings",
  params: z.object({
    meeting: z
      .string()
      .min(1)
      .describe("path of the meeting in the graph, e.g. users/<id>/onlineMeetings/<id>, or its id"),
    "force-resend": z.boolean().default(false).describe("deliver the summary again"),
  }),
  positionals: ["meeting"],
  surfaces: ["cli"],
  access: "write",
  run: async ({ meeting, "force-resend": force }, ctx) => {
    refuseTools(ctx, "summaries of meetings");
    const data = await ctx.gateway.fetchMeeting(meeting, { force, signal: ctx.signal });
    return { text: meetingText(data), data, exit: data.state === "completed" ? 0 : 1 };
  },
});
