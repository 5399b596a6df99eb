import * as z from "zod";
import { defineCommand } from "../define.js";
import { meetingText } from "./text.js";

export default defineCommand({
  path: "meetings show",
  summary: "Show what is known of a meeting, with its summary.",
  topic: "meetings",
  params: z.object({ id: z.string().min(1).describe("id of the job, as agent meetings list shows it") }),
  positionals: ["id"],
  surfaces: ["cli"],
  access: "read",
  run: async ({ id }, ctx) => {
    const data = await ctx.gateway.meeting(id);
    return { text: meetingText(data), data };
  },
});
