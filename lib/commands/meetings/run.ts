import * as z from "zod";
import { defineCommand } from "../define.js";
import { refuseTools } from "../params/owner-needed.js";
import { meetingText } from "./text.js";

export default defineCommand({
  path: "meetings run",
  summary: "Process a meeting now: continue, or restart if it is finished.",
  topic: "meetings",
  params: z.object({
    id: z.string().min(1).describe("job id, as shown by agent meetings list"),
    "force-resend": z.boolean().default(false).describe("start over and deliver the summary again"),
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
