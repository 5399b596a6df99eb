import * as z from "zod";
import { defineCommand } from "../define.js";
import { meetingLine } from "./text.js";

export default defineCommand({
  path: "meetings list",
  aliases: ["meetings"],
  summary: "List processed meetings, newest first.",
  topic: "meetings",
  params: z.object({}),
  surfaces: ["cli"],
  access: "read",
  run: async (_params, ctx) => {
    const data = await ctx.gateway.meetings();
    return {
      text:
        data.length === 0
          ? "No meetings yet. agent meetings subscribe RESOURCE subscribes to them."
          : data.map(meetingLine).join("\n"),
      data,
    };
  },
});
