import * as z from "zod";
import { defineCommand } from "../define.js";
import { refuseTools } from "../params/owner-needed.js";
import { meetingText } from "./text.js";

export default defineCommand({
  path: "meetings run",
  summary: "Work on a meeting now: where it stands, or from its beginning when it is over.",
  topic: "meetings",
  params: z.object({
    id: z.string().min(1).describe("id of the job, as agent meetings list shows it"),
    "force-resend": z
      .boolean()
      .default(false)
      .describe("begin anew, and deliver the summary once more although it was delivered"),
  }),
  positionals: ["id"],
  surfaces: ["cli"],
  access: "write",
  run: async ({ id, "force-resend": force }, ctx) => {
    refuseTools(ctx, "summaries of meetings");
    const data = await ctx.gateway.runMeeting(id, { force, signal: ctx.signal });
    return { text: meetingText(data), data, exit: data.state === "completed" ? 0 : 1 };
  },
});
