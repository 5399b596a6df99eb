import * as z from "zod";
import { defineCommand } from "../define.js";
import { meetingText } from "./text.js";

export default defineCommand({
  path: "meetings show",
  summary: "Show a meeting and its summary.",
  topic: "meetings",
  params: z.object({ id: z.string().min(1).describe("job id, as shown by agent meetings list") }),
  positionals: ["id"],
  surfaces: ["cli"],
  access: "read",
  run: async ({ id }, ctx) => {
    const data = await ctx.gateway.meeting(id);
    return { text: meetingText(data), data };
  },
});
