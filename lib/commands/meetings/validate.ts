import * as z from "zod";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "meetings validate",
  summary: "Check whether the settings for meetings are complete, without network requests.",
  topic: "meetings",
  params: z.object({}),
  surfaces: ["cli"],
  access: "read",
  run: async (_params, ctx) => {
    const data = await ctx.gateway.validateMeetings();
    const text = data.map(({ name, ok, message }) => `${ok ? "ok  " : "FAIL"}  ${name}: ${message}`).join("\n");
    return { text, data, exit: data.every(({ ok }) => ok) ? 0 : 1 };
  },
});
